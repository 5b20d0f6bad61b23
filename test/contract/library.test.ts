import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTeamsheet, fetchTransport, StoppedError } from '../../src/index.ts';
import type { PlanView, RunEvent, Teamsheet, TeamsheetOptions, Transport } from '../../src/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { makeFolder } from '../support/cli.ts';

const USERS = {
  version: 1,
  name: 'users',
  push: 'users',
  operation: 'upsert',
  source: { csv: 'users.csv' },
  columns: { external_id: { from: 'id', type: 'text', required: true }, display_name: 'name' },
};
const REPORT =
  'version: 1\nname: report\npull: users\ndestination: { csv: out/users.csv }\ncolumns: { Member: external_id, Name: display_name }\n';

let folder: ReturnType<typeof makeFolder>;
let sandbox: Sandbox;
let events: RunEvent[];

beforeEach(async () => {
  folder = makeFolder({ 'users.csv': 'id,name\nA,Ann\nB,Bob\n' });
  sandbox = await createSandbox();
  events = [];
});
afterEach(async () => {
  await sandbox.close();
  folder.remove();
});

function open(options: Partial<TeamsheetOptions> = {}): Promise<Teamsheet> {
  const { baseUrl, apiKey } = sandbox;
  return createTeamsheet({
    ...{ baseUrl, apiKey, folder: folder.path, mappings: [USERS, REPORT] },
    env: { XDG_STATE_HOME: folder.path },
    on: (event) => events.push(event),
    ...options,
  } as TeamsheetOptions);
}

const yes = (): boolean => true;
const MAPPINGS =
  'mappings is a folder, or a list of mappings, each a text or an object that JSON can write, not ';
const NEXT = 'correct the option; its value may come from a variable that is not set';

describe('a push', () => {
  it('asks with the plan, writes, and writes nothing the second time', async () => {
    await using sheet = await open();
    const asked: PlanView[] = [];
    const first = await sheet.push({
      approve: (plan) => {
        asked.push(plan);
        return true;
      },
    });
    expect(first.report).toMatchObject({
      command: 'push',
      exit_code: 0,
      mappings: [{ created: 2, rows: 2 }],
    });
    expect(asked.map(({ mappings }) => mappings[0]?.changes.create)).toEqual([2]);
    expect(events.filter(({ kind }) => kind === 'outcome')).toHaveLength(2);
    const again = await sheet.push({ approve: () => Promise.reject(new Error('nobody is to be asked')) });
    expect(again.report).toMatchObject({ exit_code: 0, mappings: [{ unchanged: 2 }] });
  });

  it.each<[string, (error: Error) => void]>([
    [
      'throws',
      (error) => {
        throw error;
      },
    ],
    ['answers later, and throws then', (error) => Promise.reject(error)],
  ])('goes on where a listener %s, which Node warns of once', async (_, fail) => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await using sheet = await open({ on: () => fail(new Error('the listener is broken')) });
    const { report } = await sheet.push({ approve: yes });
    expect(report).toMatchObject({ exit_code: 0, mappings: [{ created: 2 }] });
    expect(warned.mock.calls).toEqual([['on: Error: the listener is broken', { code: 'library.listener' }]]);
    warned.mockRestore();
  });

  it('sends nothing when it is not approved', async () => {
    await using sheet = await open();
    const refused = sheet.push({ approve: () => false });
    await expect(refused).rejects.toMatchObject({ code: 'approval.declined', exitCode: 6 });
    await expect(refused).rejects.toBeInstanceOf(StoppedError);
    const answered = sheet.push({ approve: () => 'no' as unknown as boolean });
    await expect(answered).rejects.toMatchObject({ code: 'approval.declined' });
    await using plan = await sheet.plan();
    expect(plan.mappings[0]?.changes.create).toBe(2);
  });

  it('throws on what approve throws, as it is', async () => {
    await using sheet = await open();
    const thrown = new RangeError('mine');
    await expect(sheet.push({ approve: () => Promise.reject(thrown) })).rejects.toBe(thrown);
  });

  it('is stopped by guards as on the command line', async () => {
    await using sheet = await open();
    folder.write('users.csv', 'id,name\n');
    await expect(sheet.push({ approve: yes })).rejects.toMatchObject({ code: 'guard.empty_source' });
  });

  it('that is stopped leaves a run that resume ends', async () => {
    await using sheet = await open();
    const { report, stoppedBy } = await sheet.push({ approve: yes, maxRequests: 1 });
    expect(report).toMatchObject({ exit_code: 7, mappings: [{ deferred: 2 }] });
    expect(stoppedBy).toMatchObject({ code: 'budget.max_requests' });
    const resumed = await sheet.resume({ approve: yes });
    expect(resumed?.report).toMatchObject({ command: 'resume', exit_code: 0, mappings: [{ created: 2 }] });
    expect(await sheet.resume({ approve: yes })).toBeUndefined();
  });
});

describe('a plan', () => {
  it('has its changes until it is disposed of, and asks the service with GET alone', async () => {
    await using sheet = await open();
    await using plan = await sheet.plan({ mappings: ['users'], limit: 1 });
    expect(await Array.fromAsync(plan.changes())).toMatchObject([
      { mapping: 'users', row: 2, key: 'A', kind: 'create', fields: { display_name: { after: 'Ann' } } },
    ]);
    expect(plan.exitCode).toBe(0);
  });

  it.each(['disposed of', 'closed'])('has no rows to read once it is %s', async (how) => {
    const sheet = await open();
    const plan = await sheet.plan();
    const checked = await sheet.validate();
    const midway = plan.changes()[Symbol.asyncIterator]();
    await midway.next();
    for (const each of how === 'closed' ? [sheet] : [plan, checked]) await each[Symbol.asyncDispose]();
    const gone = { code: 'library.closed', exitCode: 64 };
    await expect(midway.next()).rejects.toMatchObject(gone);
    await expect(Array.fromAsync(plan.changes())).rejects.toMatchObject(gone);
    await expect(Array.fromAsync(checked.issues())).rejects.toMatchObject(gone);
    await sheet.close();
  });

  it('that nobody disposed of ends with the teamsheet, once', async () => {
    const sheet = await open();
    const plan = await sheet.plan();
    const found = await sheet.validate();
    expect(await Array.fromAsync(plan.changes())).toHaveLength(2);
    expect(await Array.fromAsync(found.issues())).toEqual([]);
    await sheet.close();
    await expect(Array.fromAsync(plan.changes())).rejects.toThrow(Error);
    await expect(Array.fromAsync(found.issues())).rejects.toThrow(Error);
    await plan[Symbol.asyncDispose]();
    await sheet.close();
  });
});

describe('what reads', () => {
  it('validate says what is wrong with rows, and asks the service nothing', async () => {
    await using sheet = await open({ baseUrl: 'http://127.0.0.1:9', apiKey: 'nobody-listens-there' });
    folder.write('users.csv', `id,name\nA,${'x'.repeat(51)}\nB,Bob\n`);
    await using found = await sheet.validate();
    expect(found).toMatchObject({ exitCode: 3, mappings: [{ valid: 1, outcomes: { invalid: 1 } }] });
    expect(await Array.fromAsync(found.issues())).toMatchObject([
      { mapping: 'users', file: 'users.csv', row: 2, column: 'name', code: 'cell.length', severity: 'error' },
    ]);
    expect(found.pulls.map(({ name }) => name)).toEqual(['report']);
  });

  it('pull writes a report', async () => {
    await using sheet = await open();
    await sheet.push({ approve: yes });
    const { report } = await sheet.pull();
    expect(report).toMatchObject({ exit_code: 0, mappings: [{ name: 'report', records: 2 }] });
    expect(readFileSync(`${folder.path}/out/users.csv`, 'utf8')).toContain('Ann');
  });

  it('verify reads back what a run wrote', async () => {
    await using sheet = await open();
    expect(await sheet.verify()).toBeUndefined();
    const { report } = await sheet.push({ approve: yes });
    const verified = await sheet.verify({ run: report.run ?? '' });
    expect(verified).toMatchObject({ exitCode: 0, others: [], run: { id: report.run } });
    expect(verified?.counts.get('users')).toMatchObject({ agrees: 2 });
  });
});

describe('resolve', () => {
  it('has nothing open after a clean push, and wants approval for a word', async () => {
    await using sheet = await open();
    await sheet.push({ approve: yes });
    expect(await sheet.resolve()).toEqual({ cases: [], resumable: [], exitCode: 0 });
    const word = sheet.resolve({ intent: '01', assume: 'applied' });
    await expect(word).rejects.toMatchObject({ code: 'approval.missing' });
  });
});

describe('a teamsheet', () => {
  it('does one thing at a time', async () => {
    await using sheet = await open();
    const inside = sheet.push({ approve: () => sheet.pull().then(() => true) });
    await expect(inside).rejects.toMatchObject({ code: 'library.busy' });
  });

  it('stops what is under way when it is closed, and does nothing more', async () => {
    const sheet = await open();
    const stopped = sheet.push({
      approve: () => {
        void sheet.close();
        return true;
      },
    });
    await expect(stopped).resolves.toMatchObject({ stoppedBy: { code: 'run.interrupted' } });
    await sheet.close();
    await expect(sheet.plan()).rejects.toMatchObject({ code: 'library.closed' });
  });

  it('waits for no answer of approve when it is closed, not even where approve closes it', async () => {
    const sheet = await open();
    const asked = Promise.withResolvers<undefined>();
    const stopped = sheet.push({
      approve: () => {
        asked.resolve(undefined);
        return new Promise(() => undefined);
      },
    });
    await asked.promise;
    await sheet.close();
    await expect(stopped).rejects.toMatchObject({ code: 'run.interrupted', exitCode: 143 });
    const other = await open();
    const closing = other.push({ approve: () => other.close().then(() => true) });
    await expect(closing).rejects.toMatchObject({ code: 'run.interrupted' });
    await other.close();
    await using again = await open();
    await expect(again.push({ approve: yes })).resolves.toMatchObject({ report: { exit_code: 0 } });
  });

  it('says that the changes of a plan which approve was given are gone once its method ended', async () => {
    await using sheet = await open();
    let plan: PlanView | undefined;
    await sheet.push({
      approve: async (asked) => {
        plan = asked;
        expect(await Array.fromAsync(asked.changes())).toHaveLength(2);
        return true;
      },
    });
    await expect(Array.fromAsync(plan?.changes() ?? [])).rejects.toMatchObject({
      code: 'library.closed',
      exitCode: 64,
    });
  });

  it('is closed once: whoever closes it again waits for the same end', async () => {
    const sheet = await open();
    await using plan = await sheet.plan();
    const ended: string[] = [];
    const first = sheet.close().then(() => ended.push('first'));
    await sheet.close();
    ended.push('second');
    await first;
    expect(ended).toEqual(['first', 'second']);
    expect(plan.exitCode).toBe(0);
  });

  it('takes no notice of an option that is undefined, and of one that another method has', async () => {
    await using sheet = await open({ more: undefined } as object);
    await using plan = await sheet.plan({ approve: yes, more: undefined } as object);
    expect(plan.exitCode).toBe(0);
  });

  it('is opened as without an option that is undefined, which its types allow too', async () => {
    const none = { db: undefined, seed: undefined, apiKey: undefined, controlKey: undefined, now: undefined };
    const noneElse = { settings: undefined, faults: undefined, clock: undefined, port: undefined };
    const unheard = { onFailure: undefined, onAnswer: undefined };
    await using own = await createSandbox({ ...none, ...noneElse, ...unheard });
    await using sheet = await createTeamsheet({
      ...{ baseUrl: own.baseUrl, apiKey: own.apiKey, folder: folder.path, mappings: [USERS] },
      ...{ config: undefined, environment: undefined, league: undefined, state: undefined, vars: undefined },
      ...{ clock: undefined, random: undefined, tables: undefined, transport: undefined },
      ...{ env: { XDG_STATE_HOME: folder.path }, insecure: undefined, on: undefined },
    });
    const { report } = await sheet.push({ approve: yes });
    expect(report).toMatchObject({ exit_code: 0, mappings: [{ created: 2 }] });
  });

  it('does what it is asked next after a signal that is none', async () => {
    await using sheet = await open();
    await expect(sheet.plan({ signal: {} as AbortSignal })).rejects.toMatchObject({ code: 'library.option' });
    await using plan = await sheet.plan();
    expect(plan.exitCode).toBe(0);
  });

  it.each([
    [{ limit: Number('') }, 'limit is a whole number from 1 on, not 0'],
    [{ limit: Number.NaN }, 'limit is a whole number from 1 on, not NaN'],
    [{ maxRequests: 1.5 }, 'maxRequests is a whole number from 1 on, not 1.5'],
    [{ maxWaitMs: Number.NaN }, 'maxWaitMs is milliseconds from 0 on, not NaN'],
    [{ finishBy: new Date('tomorrow') }, 'finishBy is a time, not Invalid Date'],
  ])('takes no number and no time that is none: %j', async (options, message) => {
    await using sheet = await open();
    const error = { code: 'library.option', exitCode: 64, message };
    await expect(sheet.push({ approve: yes, ...options })).rejects.toMatchObject(error);
  });

  it.each<[keyof Teamsheet & string, unknown, string]>([
    ['push', undefined, 'approve is a function, not undefined'],
    ['push', {}, 'approve is a function, not undefined'],
    ['push', 'a secret', 'push takes an object of options, not a text'],
    ['push', null, 'push takes an object of options, not null'],
    ['push', { approve: 'yes' }, "approve is a function, not 'yes'"],
    ['push', { approve: yes, compare: 'lve' }, "compare is one of auto, live, snapshot, none, not 'lve'"],
    ['push', { approve: yes, onAmbiguous: 'no' }, "onAmbiguous is one of hold, settle, not 'no'"],
    ['push', { approve: yes, finishBy: '2030' }, "finishBy is a time, not '2030'"],
    ['push', { approve: yes, maxRequest: 5 }, 'push has no option "maxRequest": did you mean "maxRequests"?'],
    ['push', { approve: yes, dryRun: true }, 'push has no option "dryRun"'],
    ['plan', [], 'plan takes an object of options, not []'],
    ['plan', { mappings: 'users' }, "mappings is a list of texts, not 'users'"],
    ['plan', { mappings: [3] }, 'mappings is a list of texts, not [ 3 ]'],
    ['plan', { maxWaitMs: '5' }, "maxWaitMs is milliseconds from 0 on, not '5'"],
    ['validate', { allowEmpty: 1 }, 'allowEmpty is true or false, not 1'],
    ['pull', { weeks: 3 }, 'weeks is a text, not 3'],
    ['resume', undefined, 'approve is a function, not undefined'],
    ['resolve', { assume: 'x' }, "assume is one of applied, not-applied, not 'x'"],
    ['verify', { run: Array(99).fill(1) }, `run is a text, not [ ${'1, '.repeat(19)}1…`],
  ] as never)('%s takes no options of another kind: %j', async (method, options, message) => {
    await using sheet = await open();
    const error = { code: 'library.option', exitCode: 64, message, next: NEXT };
    await expect((sheet[method] as (given: unknown) => Promise<unknown>)(options)).rejects.toMatchObject(
      error,
    );
  });

  it.each<[object, string]>([
    [{ state: 5 }, 'state is the path of a file, not 5'],
    [{ state: ':memory:' }, "state is the path of a file, not ':memory:'"],
    [{ folder: null }, 'folder is a text, not null'],
    [{ mappings: 3 }, `${MAPPINGS}3`],
    [{ mappings: [3] }, `${MAPPINGS}[ 3 ]`],
    [{ vars: { league: null } }, 'vars is an object of texts, not { league: null }'],
    [{ clock: {} }, 'clock is an object with now, monotonic and sleep, not {}'],
    [
      { tables: { csv: 3 } },
      'tables is an object of kinds of tables, each with open and write, not { csv: 3 }',
    ],
    [{ transport: 'x' }, "transport is a function, not 'x'"],
    [{ mapings: [] }, 'createTeamsheet has no option "mapings": did you mean "mappings"?'],
  ])('is not opened with an option of another kind: %j', async (options, message) => {
    await expect(open(options)).rejects.toMatchObject({ code: 'library.option', exitCode: 64, message });
  });

  it('is not opened with a mapping that holds itself or a value that JSON cannot write', async () => {
    const circle: { columns?: object } = {};
    circle.columns = circle;
    for (const [mapping, shown] of [
      [{ batch_size: 1n }, '{ batch_size: 1n }'],
      [circle, '<ref *1> { columns: [Circular *1] }'],
    ] as const)
      await expect(open({ mappings: [mapping] })).rejects.toMatchObject({
        code: 'library.option',
        message: `${MAPPINGS}[ ${shown} ]`,
      });
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('the proxy is away');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the proxy is away'))],
    ['answers with nothing', () => undefined],
    ['answers with a Response', () => new Response('{}')],
  ])(
    'takes a transport that %s for a service without an answer, and looks for what it may have sent',
    async (_, fail) => {
      const own = fetchTransport();
      await using sheet = await open({
        config: { push: { settle: '50ms' } },
        transport: (async (request) => {
          const answer = await own(request);
          return request.method === 'POST' ? fail() : answer;
        }) as Transport,
      });
      expect((await sheet.push({ approve: yes })).report).toMatchObject({ mappings: [{ created: 2 }] });
    },
  );

  it('is stopped by a signal of the program', async () => {
    await using sheet = await open();
    await expect(sheet.plan({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'run.interrupted',
      exitCode: 143,
    });
  });

  it('holds the lock and the state of the command line: what one wrote the other knows', async () => {
    await using one = await open();
    await one.push({ approve: yes });
    await using other = await open();
    const { report } = await other.push({
      approve: () => Promise.reject(new Error('nobody is to be asked')),
    });
    expect(report).toMatchObject({ mappings: [{ unchanged: 2 }] });
  });

  it.each([{ baseUrl: undefined }, { apiKey: undefined }, { apiKey: 7 }])(
    'takes an address and a key together, and never the ones of the configuration in the place of one: %j',
    async (given) => {
      const config = `version: 1\nenvironments: { live: { base_url: '${sandbox.baseUrl}', api_key: { env: KEY } } }\n`;
      folder.write('teamsheet.yaml', config);
      const env = { KEY: sandbox.apiKey, XDG_STATE_HOME: folder.path };
      const opened = open({ env, ...given } as unknown as TeamsheetOptions);
      await expect(opened).rejects.toMatchObject({ code: 'library.option', exitCode: 64 });
    },
  );

  it('reads a configuration as the command line does', async () => {
    folder.write(
      'teamsheet.yaml',
      'version: 1\nenvironments:\n  test: { base_url: "${URL}", api_key: { env: KEY } }\nmappings: maps\n',
    );
    folder.write('maps/users.yaml', JSON.stringify(USERS));
    const env = { URL: sandbox.baseUrl, KEY: sandbox.apiKey, XDG_STATE_HOME: folder.path };
    await using sheet = await createTeamsheet({ config: 'teamsheet.yaml', folder: folder.path, env });
    expect((await sheet.push({ approve: yes })).report.exit_code).toBe(0);
  });

  it('refuses an address that would carry the key readably, and a key that no header can carry', async () => {
    const at = async (baseUrl: string, apiKey: string): Promise<unknown> => {
      await using sheet = await open({ baseUrl, apiKey });
      return await sheet.plan().catch((error: unknown) => error);
    };
    expect(await at('http://service.example', 'k'.repeat(20))).toMatchObject({ code: 'base_url.insecure' });
    expect(await at(sandbox.baseUrl, 'not a key')).toMatchObject({ code: 'key.invalid' });
  });

  it('shows the key nowhere: not in errors, and not in events', async () => {
    const apiKey = 'Kz81-very-secret-92Qx';
    const body = JSON.stringify({ statusCode: 401, message: `no account has ${apiKey}`, data: null });
    const transport = () => Promise.resolve({ status: 401, headers: {}, body });
    await using sheet = await open({ apiKey, transport });
    const error: unknown = await sheet.pull().catch((cause: unknown) => cause);
    const shown = [String(error), (error as Error).stack ?? '', String((error as Error).cause)];
    expect(error).toMatchObject({ exitCode: 5 });
    expect([...shown, JSON.stringify(events)].filter((text) => text.includes('very-secret'))).toEqual([]);
    expect(shown.join()).toContain('[redacted]');
  });
});
