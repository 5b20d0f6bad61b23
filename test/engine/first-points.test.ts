import { describe, expect, it } from 'vitest';
import { RefusedError, UnavailableError } from '../../src/model/error.ts';
import type { Service } from '../../src/model/service.ts';
import { prepareComparison } from '../../src/sync/compare/compare.ts';
import { pushMapping } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { settingNames } from '../support/points.ts';
import { ACCOUNT } from '../support/writes.ts';

const MAPPING = pushMapping({ name: 'points', resource: 'points_config', operation: 'set' });
const SETTINGS = Object.fromEntries(settingNames.map((name) => [name, 1]));

/** Answers reads of configurations and leagues; what is missing is refused with 404. An error is thrown as it is. */
interface Shown {
  readonly configs?: Readonly<Record<string, unknown>> | Error;
  readonly league?: unknown;
}

function show({ service }: Engine, { configs = {}, league = {} }: Shown): void {
  const get = (operation: string, { id = '' }: { readonly id?: string | number } = {}): unknown => {
    const found = operation === 'get-fantasy-league' ? league : configs;
    if (found instanceof Error) throw found;
    const record =
      operation === 'get-fantasy-league' ? found : (found as Readonly<Record<string, unknown>>)[String(id)];
    if (record === undefined) throw new RefusedError(404, 'no such id');
    return { status: 200, message: 'ok', records: [record], issues: [] };
  };
  service.get = ((operation: string, input?: object) =>
    Promise.resolve().then(() => get(operation, input))) as Service['get'];
}

/** What a first push of the configuration of league 7 is compared with. */
async function compared(
  shown: Shown,
  {
    arrange,
    compare,
    key = '7',
  }: {
    readonly arrange?: (engine: Engine) => Promise<void>;
    readonly compare?: 'live' | 'snapshot' | 'none';
    readonly key?: string;
  } = {},
): Promise<{ readonly values: unknown; readonly id: unknown; readonly engine: Engine }> {
  const engine = await makeEngine();
  await arrange?.(engine);
  show(engine, shown);
  const rows = await engine.store.openRunRows(null);
  const options = { adopt: false, again: false, compare };
  const account = { record: { id: ACCOUNT.accountId }, service: ACCOUNT };
  const comparison = await prepareComparison(engine.ports, MAPPING, account, rows, options);
  const [record] = (await comparison.lookup([key])).get(key) ?? [];
  await rows.remove();
  return { values: record?.values, id: record?.id, engine };
}

const HELD = { fantasy_league_id: 7, ...SETTINGS };

describe('a first push of a points configuration is compared', () => {
  it.each<readonly [string, Shown, string | null]>([
    ['by the number of the league', { configs: { 7: { id: 'C', ...HELD } } }, 'C'],
    [
      'by the id that the league shows',
      { configs: { C: { id: 'C', ...HELD } }, league: { id: 7, points_config: { id: 'C' } } },
      'C',
    ],
    [
      'with the settings that the league shows',
      { league: { id: 7, points_config: { id: 'C', ...SETTINGS } } },
      'C',
    ],
    ['with settings without an id', { league: { id: 7, points_config: SETTINGS } }, null],
    [
      'with the league where a configuration by its number shows no setting',
      { configs: { 7: { id: 'X' } }, league: { id: 7, points_config: SETTINGS } },
      null,
    ],
    [
      'with the league where that number is another league’s configuration',
      {
        configs: { 7: { id: 'X', ...SETTINGS, fantasy_league_id: 8 } },
        league: { id: 7, points_config: SETTINGS },
      },
      null,
    ],
  ])('%s', async (_name, shown, id) => {
    expect(await compared(shown)).toMatchObject({ values: HELD, id });
    expect(await compared(shown, { compare: 'live' })).toMatchObject({ values: HELD, id });
  });

  it('by the id that is remembered', async () => {
    const arrange = ({ store }: Engine): Promise<void> => store.setFact(ACCOUNT, 'points_config_id:7', 'C');
    expect(await compared({ configs: { C: { id: 'C', ...HELD } } }, { arrange })).toMatchObject({
      values: HELD,
    });
  });

  it.each<readonly [string, Shown]>([
    ['there is none', {}],
    ['the league is not known', { league: new RefusedError(404, 'no such league') }],
    ['the league says null', { league: { id: 7, points_config: null } }],
    ['the league shows another shape', { league: { id: 7, points_config: { rules: [SETTINGS] } } }],
    ['the league shows texts', { league: { id: 7, points_config: { starter_points: '1' } } }],
    ['the league shows a list', { league: { id: 7, points_config: [1, 2] } }],
    [
      'every id is answered in a shape of its own',
      { configs: new UnavailableError('service.no_envelope', 'text') },
    ],
    ['an unknown id is a failure', { configs: new UnavailableError('service.error', 'HTTP 500') }],
    ['the answer holds no record', { configs: new UnavailableError('service.record', 'no id') }],
  ])('with nothing where %s', async (_name, shown) => {
    expect((await compared(shown)).values).toBeUndefined();
    expect((await compared(shown, { compare: 'live' })).values).toBeUndefined();
  });

  it('with nothing where the operator wants that, or the league is still to be made', async () => {
    const shown = { configs: { 7: { id: 'C', ...HELD } } };
    expect((await compared(shown, { compare: 'none' })).values).toBeUndefined();
    expect((await compared(shown, { key: 'after:leagues:2' })).values).toBeUndefined();
  });

  it('and says what could not be read', async () => {
    const { engine } = await compared({ configs: new UnavailableError('service.error', 'HTTP 500') });
    expect(engine.events.map((event) => ('message' in event ? event.message : ''))).toContain(
      'points: whether the league has a points configuration could not be read: HTTP 500',
    );
  });

  it('not at all where the service cannot be reached', async () => {
    const failure = new UnavailableError('service.unreachable', 'no answer');
    await expect(compared({ configs: failure })).rejects.toBe(failure);
  });
});
