import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

const ACCOUNT_ID = '0b0e3c9a-0000-4000-8000-000000000001';
const AT = '2026-08-14T19:00:00.000Z';
const PAGE = 100;
const LIMIT = 1e9;

interface User {
  readonly id: string;
  readonly user_id: number;
  readonly external_id: string;
  readonly display_name: string;
}

/** A service of users alone that answers at once and has no limit, for measuring what a client takes. */
export interface BareService {
  readonly baseUrl: string;
  readonly users: number;
  /** Begins again with no user, as another account. */
  clear(): void;
  close(): void;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}

const userId = (n: number): string => `0b0e3c9a-0000-4000-8000-${String(n).padStart(12, '0')}`;
const answer = ({ id, user_id, external_id, display_name }: User): unknown => {
  return { id, user_id, external_id, is_active: true, display_name, created_at: AT, updated_at: AT };
};

function account(users: number, number: number): unknown {
  const window = {
    limit: LIMIT,
    window: '1d',
    used: 0,
    remaining: LIMIT,
    reset_at: new Date(Date.now() + 3_600_000),
  };
  const quota = { max: LIMIT, used: users, remaining: LIMIT - users, state: 'available', is_blocked: false };
  const config = { rate_limit: { per_day: window }, features: { users: quota } };
  const id = ACCOUNT_ID.slice(0, -4) + String(number).padStart(4, '0');
  return { id, tier: 'bench', is_active: true, api_key_active: true, config };
}

export async function startBareService(): Promise<BareService> {
  let [users, accounts] = [[] as User[], 1];
  const respond = async (request: IncomingMessage): Promise<readonly [status: number, answer: object]> => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (url.pathname === '/v1/auth/account') return [200, { data: account(users.length, accounts) }];
    if (request.method === 'POST') {
      const { users: sent } = JSON.parse(await bodyOf(request)) as { readonly users: readonly User[] };
      const made = sent.map(({ external_id, display_name }, index): User => {
        const user_id = users.length + index + 1;
        return { id: userId(user_id), user_id, external_id, display_name };
      });
      users.push(...made);
      return [201, { data: made.map(answer) }];
    }
    const page = Number(url.searchParams.get('page') ?? 1);
    const shown = users.slice((page - 1) * PAGE, page * PAGE);
    const [page_total, total] = [Math.ceil(users.length / PAGE), users.length];
    const paging = { page, page_total, per_page: PAGE, current: shown.length, total };
    return [200, { data: shown.map(answer), paging }];
  };
  const server = createServer((request, response) => {
    void respond(request).then(([statusCode, rest]) => {
      response.writeHead(statusCode, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ statusCode, message: 'done', ...rest }));
    });
  }).listen(0, '127.0.0.1');
  // A client that is busy elsewhere for some seconds keeps its connections.
  server.keepAliveTimeout = 120_000;
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get users() {
      return users.length;
    },
    clear: () => {
      users = [];
      accounts += 1;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
