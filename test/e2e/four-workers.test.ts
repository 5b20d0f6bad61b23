import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dice, type Dice } from '../simulation/dice.ts';
import { BIN, makeFolder, startService, USERS_MAPPING, type Service } from '../support/cli.ts';
import { control } from '../support/control.ts';
import { openLine, type Line } from '../support/cut-line.ts';
import { clientOf, newSchema, noPostgres, startPostgres } from '../support/postgres.ts';
import { isLong } from '../support/long.ts';
import { runHere } from '../support/run-here.ts';

const MINUTES = Number(process.env['TEAMSHEET_MINUTES'] ?? (isLong ? 20 : 0.25));
const SEED = Number(process.env['TEAMSHEET_SEED'] ?? (isLong ? Date.now() % 1_000_000 : 1));
// What is under way at the end is gone on with.
vi.setConfig({ testTimeout: (MINUTES + 10) * 60_000 });
const WORKERS = 4;
const LEASE_MS = 3000;
const SETTLE_MS = 1000;
/** Rows that each round adds to each table. */
const NEW_ROWS = 60;
/** Users that are changed in a round, and how many there may be. */
const CHANGED = 20;
const MOST_USERS = 3000;

const scheduled = (mapping: string): string => `${mapping}batch_size: 5\nschedule: "0 5 1 1 *"\n`;
const MINIS = `version: 1
name: minis
push: mini_leagues
source: { csv: minis.csv }
operation: create
columns:
  fantasy_league_id: { value: 1 }
  name: { from: Name }
  type: { value: classic }
`;

const config = (schema: string): string => `version: 1
environments:
  test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
push: { settle: ${SETTLE_MS}ms, timeout: 5s, concurrency: 3 }
state: { env: TEAMSHEET_STATE_URL }
state_schema: ${schema}
state_lease: ${LEASE_MS}ms
`;

/** The program on a machine of its own: nobody else's process is on it, and no earlier one. */
const onMachine = (name: string): readonly string[] => [
  '--import',
  `data:text/javascript,import fs from'node:fs';import{syncBuiltinESMExports}from'node:module';const read=fs.readFileSync;fs.readFileSync=(file,...rest)=>file==='/proc/sys/kernel/random/boot_id'?'${name}':read(file,...rest);syncBuiltinESMExports()`,
];

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** One host: a worker that is started again whenever it ends, and its way to the database. */
class Host {
  readonly name: string;
  readonly line: Line;
  readonly #url: string;
  readonly #folder: string;
  readonly #env: Service['env'];
  #child: ChildProcess | undefined;
  #starts = 0;
  readonly said: string[] = [];

  constructor(name: string, line: Line, url: string, folder: string, env: Service['env']) {
    this.name = name;
    this.line = line;
    this.#url = url;
    this.#folder = folder;
    this.#env = env;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    this.#starts += 1;
    const url = new URL(this.#url);
    url.port = String(this.line.port);
    const args = [...onMachine(`${this.name}-${this.#starts}`), BIN, 'worker', '--host', this.name];
    this.#child = spawn(process.execPath, args, {
      cwd: this.#folder,
      env: { PATH: process.env['PATH'] ?? '', ...this.#env, TEAMSHEET_STATE_URL: url.href },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.said.push(text));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((done) => child.once('close', done));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await ended;
    }
    this.#child = undefined;
  }
}

/** The tables of the operator, which grow and change from round to round. */
class Tables {
  readonly users = new Map<string, { name: string; isActive: boolean }>();
  readonly minis: string[] = [];
  readonly #write: (name: string, text: string) => void;
  readonly #dice: Dice;

  constructor(folder: string, chance: Dice) {
    this.#dice = chance;
    // Another host may be reading it.
    this.#write = (name, text) => {
      writeFileSync(join(folder, `.${name}`), text);
      renameSync(join(folder, `.${name}`), join(folder, name));
    };
  }

  grow(round: number): void {
    for (const [key, user] of this.#dice.some([...this.users], CHANGED / Math.max(CHANGED, this.users.size)))
      this.users.set(key, { ...user, name: `Member ${key} of ${round}` });
    for (let at = 0; at < NEW_ROWS && this.users.size < MOST_USERS; at += 1) {
      const key = `M${this.users.size}`;
      this.users.set(key, { name: `Member ${key}`, isActive: !this.#dice.chance(0.1) });
      if (at % 3 === 0) this.minis.push(`Mini ${this.minis.length}`);
    }
    const lines = [...this.users].map(
      ([key, { name, isActive }]) => `${key},${name},${isActive ? 'yes' : 'no'}`,
    );
    this.#write('users.csv', ['Member ID,Name,Active', ...lines, ''].join('\n'));
    this.#write('minis.csv', ['Name', ...this.minis, ''].join('\n'));
  }
}

describe.skipIf(noPostgres !== undefined)(`four workers on one database (${noPostgres ?? 'found'})`, () => {
  it(`write everything once while they are killed, paused and cut off (seed ${SEED})`, async () => {
    const chance = dice(SEED, 'chaos');
    const server = await startPostgres();
    const client = { current: await clientOf(server) };
    const schema = newSchema();
    const folder = makeFolder({
      'teamsheet.yaml': config(schema),
      'mappings/users.yaml': scheduled(USERS_MAPPING),
      'mappings/minis.yaml': scheduled(MINIS),
    });
    const service = await startService({
      settings: { latency_ms: 60, page_size: 1000, per_minute: 300, window_seconds: 10 },
    });
    const statuses = new Map<number, number>();
    service.sandbox.app.server.on('request', (_request, response) =>
      response.on('finish', () =>
        statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1),
      ),
    );
    const { hostname, port } = new URL(server.url);
    const lines = await Promise.all(
      Array.from({ length: WORKERS }, () => openLine({ host: hostname, port: Number(port) })),
    );
    const hosts = lines.map((line, at) => new Host(`host-${at}`, line, server.url, folder.path, service.env));
    onTestFinished(async () => {
      for (const host of hosts) host.signal('SIGCONT');
      await Promise.all(hosts.map((host) => host.end('SIGKILL')));
      await Promise.all(lines.map((line) => line.close()));
      await service.close();
      await client.current.close();
      await server.close();
      folder.remove();
    });
    const stored = async (query: string): Promise<readonly (readonly unknown[])[]> =>
      (await client.current.query(query.replaceAll('@', `"${schema}"`), [])).rows;
    const run = (...args: readonly string[]) =>
      runHere(args, { cwd: folder.path, env: { ...service.env, TEAMSHEET_STATE_URL: server.url } });
    const makeDue = async (): Promise<void> => {
      await stored(
        `UPDATE @.fact SET value = '{\\"sinceMs\\":1}' WHERE name LIKE 'schedule:%' AND value NOT LIKE '%unfinished%'`,
      );
      // What an outage ended is tried again at once.
      await stored(
        `UPDATE @.fact SET value = regexp_replace(value, 'triedMs(..):[0-9]+', 'triedMs\\1:1') WHERE name LIKE 'schedule:%'`,
      );
    };
    const tables = new Tables(folder.path, chance);
    tables.grow(0);
    const counts: Record<string, number> = {};
    const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);

    /** The host that writes, as soon as one does. */
    async function writing(): Promise<Host | undefined> {
      for (let looks = 0; looks < 50; looks += 1) {
        const [row] = await stored(
          "SELECT owner FROM @.lease WHERE expires > clock_timestamp() AND owner LIKE '%sync%'",
        );
        const pid = Number(/^pid (\d+) /.exec(String(row?.[0]))?.[1]);
        const writer = hosts.find((host) => host.pid === pid);
        if (writer !== undefined) return writer;
        await pause(100);
      }
      return undefined;
    }

    /** Does something to a host, for a while; most often to the one that writes. */
    async function disturb(busy: Set<Host>, writer: Host | undefined): Promise<void> {
      const host = writer !== undefined && chance.chance(0.8) ? writer : chance.pick(hosts);
      if (busy.has(host)) return;
      busy.add(host);
      const of = host === writer ? 'writer' : 'other';
      const long = chance.chance(0.5);
      const whileMs = long ? chance.int(LEASE_MS + SETTLE_MS, 3 * LEASE_MS) : chance.int(100, LEASE_MS / 2);
      const how = chance.pick(['kill', 'kill', 'pause', 'gone', 'dead'] as const);
      count(`${how}${how === 'kill' ? '' : long ? ' long' : ' short'} ${of}`);
      if (how === 'kill') await host.end('SIGKILL');
      else if (how === 'pause') host.signal('SIGSTOP');
      else host.line.cut(how);
      await pause(whileMs);
      if (how === 'kill') host.start();
      else if (how === 'pause') host.signal('SIGCONT');
      else host.line.mend();
      busy.delete(host);
    }

    // The tables of the state, and the account.
    expect((await run('plan')).code).toBe(0);
    for (const host of hosts) host.start();
    const over = AbortSignal.timeout(MINUTES * 60_000);
    const busy = new Set<Host>();
    const disturbed: Promise<void>[] = [];
    let restarts = 0;
    for (let round = 1; !over.aborted; round += 1) {
      if (round % 2 === 1) tables.grow(round);
      await makeDue();
      count('rounds');
      const writer = await writing();
      await pause(chance.int(0, 700));
      disturbed.push(disturb(busy, writer));
      await pause(chance.int(0, 1500));
      if (server.restart !== undefined && chance.chance(0.02 + (restarts === 0 ? 0.1 : 0))) {
        restarts += 1;
        await Promise.all(disturbed.splice(0));
        await client.current.close();
        await server.restart();
        client.current = await clientOf(server);
      }
    }
    await Promise.all(disturbed);
    await Promise.all(hosts.map((host) => host.end('SIGTERM')));

    // Every row that is held says why, and a write of it is open.
    const unknown = await stored(
      `SELECT mapping.run_id, mapping.name, row_number, said FROM @.run_row AS row JOIN @.run_mapping AS mapping ON mapping.number = row.mapping WHERE outcome = 'unknown'`,
    );
    const open = (
      await stored(
        "SELECT document, holder FROM @.intent AS intent LEFT JOIN @.silent AS silent ON silent.lease = intent.lease WHERE result IS NULL OR result = 'ambiguous'",
      )
    ).map(([document, holder]) => ({
      ...(JSON.parse(String(document)) as {
        readonly runId: string;
        readonly mapping: string;
        readonly rowNumbers: readonly number[];
      }),
      holder,
    }));
    const unexplained = unknown.filter(
      ([runId, mapping, row, said]) =>
        said === '' ||
        !open.some(
          (write) =>
            write.runId === runId && write.mapping === mapping && write.rowNumbers.includes(Number(row)),
        ),
    );
    expect(unexplained).toEqual([]);

    const silent = await stored('SELECT count(*) FROM @.silent');
    const numbers = await stored('SELECT max(number) FROM @.lease');
    // One that ended while the database was away could not let its lock go.
    while (
      Number((await stored('SELECT count(*) FROM @.lease WHERE expires > clock_timestamp()'))[0]?.[0]) > 0
    )
      await pause(100);
    // The hosts say that their last processes are gone; then all is settled.
    for (const host of hosts) {
      const { code, stderr } = await run('worker', '--once', '--host', host.name);
      expect([0, 3, 7], `${stderr}\n${hosts.map(({ said }) => said.join('')).join('\n---\n')}`).toContain(
        code,
      );
    }
    for (let runs = 0; runs < 20; runs += 1) {
      const { code, stdout } = await run('resume', '--yes', '--json');
      if (code === 0 && (JSON.parse(stdout) as { readonly run: unknown }).run === null) break;
    }
    const last = await run('push', '--yes', '--json');
    expect({ code: last.code, stderr: last.stderr }).toMatchObject({ code: 0 });
    const again = JSON.parse((await run('plan', '--json')).stdout) as {
      readonly mappings: readonly Readonly<Record<string, number>>[];
    };
    expect(again.mappings.map(({ rows, unchanged }) => rows === unchanged)).toEqual([true, true]);

    // What the service has is what the tables say, and everything was made once.
    const effects: { readonly operation: string; readonly records: number }[] = [];
    for (let after = 0; ;) {
      const { list } = await control(service.sandbox, 'GET', `/effects?after=${after}`);
      if (list.length === 0) break;
      effects.push(
        ...list.map((effect) => ({
          operation: String(effect['operation']),
          records: Number(effect['record_count']),
        })),
      );
      after = Number(list.at(-1)?.['number']);
    }
    const made = (operation: string): number =>
      effects
        .filter((effect) => effect.operation === operation)
        .reduce((sum, { records }) => sum + records, 0);
    folder.write(
      'mappings/seen.yaml',
      '- { version: 1, name: seen, pull: users, destination: { csv: out/users.csv } }\n- { version: 1, name: seen-minis, pull: mini_leagues, where: { fantasy_league_id: 1 }, destination: { csv: out/minis.csv } }\n',
    );
    expect((await run('pull')).code).toBe(0);
    const read = (name: string): readonly Readonly<Record<string, string>>[] =>
      parse(readFileSync(join(folder.path, name), 'utf8'), { columns: true });
    const users = read('out/users.csv');
    const wanted = [...tables.users]
      .map(([key, { name, isActive }]) => `${key} ${name} ${isActive}`)
      .toSorted();
    process.stdout.write(
      `${JSON.stringify({ seed: SEED, minutes: MINUTES, ...counts, restarts, users: users.length, minis: tables.minis.length, unknown: unknown.length, silent: open.filter(({ holder }) => holder !== null).length, silentHolders: silent[0]?.[0], leases: numbers[0]?.[0], effects: effects.length, statuses: Object.fromEntries(statuses) })}\n`,
    );
    expect(
      users.map((user) => `${user['external_id']} ${user['display_name']} ${user['is_active']}`).toSorted(),
    ).toEqual(wanted);
    expect(made('create-users')).toBe(tables.users.size);
    expect(
      read('out/minis.csv')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(tables.minis.toSorted());
    expect(made('create-mini-league')).toBe(tables.minis.length);
    // What a process that went silent had on its way is not in the budget of who came after it.
    expect(statuses.get(429) ?? 0).toBeLessThanOrEqual(Number(silent[0]?.[0]));
  });
});
