import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';

export const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;
const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** @throws Refusal 421 or 403 unless the request was made on this machine and for this machine: its pages need no key to be read. */
export function checkPlace({ ip, headers }: FastifyRequest): void {
  if (!LOOPBACK_NAME.test(headers.host ?? '')) {
    throw new Refusal(421, 'the header Host does not name this machine');
  }
  if (!LOOPBACK_ADDRESS.test(ip)) throw new Refusal(403, 'the console is for this machine alone');
}

/** @throws Refusal 403 unless a form of this very console sent the request, which browsers tell by its origin. */
export function checkOrigin({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const isOwn =
    headers.origin === `http://${headers.host ?? ''}` && (site === undefined || site === 'same-origin');
  if (!isOwn) throw new Refusal(403, 'the request does not come from a page of this console');
}

const COOKIE = 'teamsheet_console';
const SESSION_MS = 12 * 3_600_000;
/** The oldest session ends when there would be more. */
const MOST_SESSIONS = 20;

/** The operators who have typed the control key. */
export interface Sessions {
  /** Begins one, in a cookie that no script can read and no other site can use. */
  begin(reply: FastifyReply): void;
  end(request: FastifyRequest, reply: FastifyReply): void;
  isOpen(request: FastifyRequest): boolean;
  /** Keeps what the operator is to read on the next page. */
  tell(request: FastifyRequest, notice: Notice): void;
  /** What was kept, once. */
  takeNotice(request: FastifyRequest): Notice | undefined;
}

/** What came of something that the operator did. */
export interface Notice {
  readonly isGood: boolean;
  readonly text: string;
}

interface Session {
  readonly endsMs: number;
  notice: Notice | undefined;
}

/** Sessions in memory, twelve hours each; `nowMs` is real time. */
export function openSessions(nowMs: () => number): Sessions {
  const sessions = new Map<string, Session>();
  const setCookie = (reply: FastifyReply, value: string, seconds: number): void => {
    const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
    void reply.header('set-cookie', `${COOKIE}=${value}; ${attributes}`);
  };
  const find = (request: FastifyRequest): Session | undefined => {
    const session = sessions.get(tokenOf(request));
    return session !== undefined && session.endsMs > nowMs() ? session : undefined;
  };
  return {
    begin: (reply) => {
      const token = randomBytes(32).toString('base64url');
      sessions.set(token, { endsMs: nowMs() + SESSION_MS, notice: undefined });
      const [oldest] = sessions.keys();
      if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      setCookie(reply, token, SESSION_MS / 1_000);
    },
    end: (request, reply) => {
      sessions.delete(tokenOf(request));
      setCookie(reply, '', 0);
    },
    isOpen: (request) => find(request) !== undefined,
    tell: (request, notice) => {
      const session = find(request);
      if (session !== undefined) session.notice = notice;
    },
    takeNotice: (request) => {
      const session = find(request);
      const notice = session?.notice;
      if (session !== undefined) session.notice = undefined;
      return notice;
    },
  };
}

function tokenOf({ headers }: FastifyRequest): string {
  const cookies = (headers.cookie ?? '').split(';').map((one) => one.trim());
  return cookies.find((one) => one.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? '';
}
