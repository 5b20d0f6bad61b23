import { describe, expect, it } from 'vitest';
import { withWeeks } from '../../../../src/runtime/weeks/week-options.ts';
import { pullMapping } from '../../../support/pull.ts';

const csv = { kind: 'csv', path: '/reports/report.csv' } as const;
const where = { fantasy_league_id: 7 };
const lineups = pullMapping('lineups', csv, { where });
const squads = pullMapping('squads', csv, { where, weeks: { kind: 'last' } });
const substitutions = pullMapping('auto_substitutions', csv, { where });
const users = pullMapping('users', csv);
const KEPT = { isNamed: false, isKept: true };
const refused = (code: string, part: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(part) as string }) as Error;

describe('the game weeks of a command', () => {
  it('win over those of the mappings, and leave out what has no game weeks', () => {
    const chosen = withWeeks([lineups, users, squads, substitutions], { week: '3' }, KEPT);
    const weeks = { kind: 'range', from: 3, to: 3 };
    expect(chosen.map((each) => [each.resource, each.weeks, each.detail])).toEqual([
      ['lineups', weeks, false],
      ['squads', weeks, true],
      ['auto_substitutions', weeks, false],
    ]);
  });

  it('are those of the mappings without a flag, and the current one where nothing is asked of the service', () => {
    expect(withWeeks([lineups, users, squads], {}, KEPT)).toEqual([lineups, users, squads]);
    const offline = withWeeks([lineups, users, squads], { offline: true }, KEPT);
    expect(offline.map(({ weeks }) => weeks)).toEqual([{ kind: 'current' }, { kind: 'last' }]);
  });

  it.each([
    [{ week: '3', weeks: '1-4' }, 'not both'],
    [{ week: 'last' }, '--week takes the number of a game week, not "last"'],
    [{ weeks: '4-1' }, 'not "4-1"'],
    [{ weeks: '' }, 'not ""'],
  ])('are refused when they cannot be meant: %o', (options, part) => {
    expect(() => withWeeks([lineups], options, KEPT)).toThrow(refused('usage.weeks', part));
  });

  it('are refused for a report that is named and has none', () => {
    const named = { ...KEPT, isNamed: true };
    expect(() => withWeeks([users], { week: '3' }, named)).toThrow(refused('usage.weeks', 'users is not'));
    expect(() => withWeeks([users], { offline: true }, named)).toThrow(
      refused('usage.offline', 'users is not'),
    );
  });

  it('need a league, and a memory that is kept', () => {
    const all = pullMapping('lineups', csv, { where: { user_id: 5 } });
    expect(() => withWeeks([all], { week: '3' }, KEPT)).toThrow(refused('mapping.where', 'names none'));
    const off = { isNamed: false, isKept: false };
    expect(() => withWeeks([squads], {}, off)).toThrow(refused('season.off', 'keeps none'));
    expect(withWeeks([lineups], {}, off)).toEqual([lineups]);
    expect(withWeeks([squads], { offline: true }, off)).toHaveLength(1);
  });
});
