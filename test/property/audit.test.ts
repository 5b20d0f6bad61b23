import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AutoSubstitution } from '../../src/contract/resources/auto-substitutions.ts';
import type { Lineup } from '../../src/contract/resources/lineups.ts';
import { PUBLIC_RULES } from '../../src/rules/rules.ts';
import type { Place } from '../../src/rules/substitutions.ts';
import { auditSquads, type Verdict } from '../../src/season/audit.ts';
import { loggedPairs } from '../../src/season/pairs.ts';
import { entriesOf, weekLineups } from '../../src/season/week-lineups.ts';
import { processSquad, type ProcessedSquad } from '../support/processed-week.ts';
import { lineups } from '../support/random-squads.ts';
import { runs } from '../support/long.ts';

const RUNS = runs(12, 200);
const SQUADS = 200;
const AT = '2026-08-30T12:00:00Z';

/** Players of one squad stand in no other, so that each has minutes of its own. */
const renumber = (lineup: readonly Place[], squad: number): readonly Place[] =>
  lineup.map((place) => ({ ...place, player: String(Number(place.player) + 100 * squad) }));

const weeks = fc
  .array(lineups, { minLength: SQUADS, maxLength: SQUADS })
  .map((all) => all.map((lineup, index) => renumber(lineup, index + 1)));

/** The verdict of every squad, from what the service showed of a week and what the log says. */
function audit(
  lineupsOf: readonly (readonly Place[])[],
  squads: readonly ProcessedSquad[],
): readonly Verdict[] {
  const minutes = new Map(lineupsOf.flat().map(({ player, minutes: played = 0 }) => [player, played]));
  const kept = new Map(
    squads.map(({ id, before, after }) => [
      id,
      weekLineups(
        JSON.stringify(before) === JSON.stringify(after)
          ? [{ readAtMs: 2, record: after }]
          : [
              { readAtMs: 2, record: after },
              { readAtMs: 1, record: before },
            ],
        { processedMs: 1 },
      ),
    ]),
  );
  const log = squads.flatMap((squad) => squad.log);
  const weekOf = new Map(log.map(({ id }) => [id, 'week']));
  const pairs = loggedPairs(log, weekOf, (_week, squad) => kept.get(squad) ?? {});
  return auditSquads(
    squads.map(({ id, name }) => ({
      ...{ id, name, lineups: kept.get(id) ?? {} },
      logged: pairs.filter(({ squad }) => squad?.id === id),
    })),
    { rules: PUBLIC_RULES, minutes, points: minutes },
  );
}

const processed = (all: readonly (readonly Place[])[]): readonly ProcessedSquad[] =>
  all.map((lineup, index) => processSquad(`S${index}`, lineup, AT));

const kindsOf = (verdicts: readonly Verdict[]): readonly string[] => verdicts.map(({ kind }) => kind);

/** The squads that an error can be planted in, with the error. */
function plant(
  squads: readonly ProcessedSquad[],
  all: readonly (readonly Place[])[],
  error: (squad: ProcessedSquad, lineup: readonly Place[]) => ProcessedSquad | undefined,
): readonly ProcessedSquad[] {
  let planted = 0;
  return squads.map((squad, index) => {
    // Most squads are as they should be: what words and flags mean is learnt from them.
    if (planted >= 5) return squad;
    const wrong = error(squad, all[index] ?? []);
    planted += Number(wrong !== undefined);
    return wrong ?? squad;
  });
}

/** A line-up in which two players have changed places. */
function exchange(lineup: Lineup, one: string, other: string): Lineup {
  const entries = entriesOf(lineup).map(({ entry }) => entry);
  const find = (id: string) => entries.find(({ player }) => player?.id === id);
  const place = (entry: (typeof entries)[number]) => {
    const id = entry.player?.id;
    return (id === one ? find(other) : id === other ? find(one) : entry) ?? entry;
  };
  return {
    ...lineup,
    squad: {
      starting_xi: (lineup.squad?.starting_xi ?? []).map(place),
      bench: (lineup.squad?.bench ?? []).map(place),
    },
  };
}

/** Instead of the one who came in, another one of the bench did: in the log, and in the line-up. */
function letIn(squad: ProcessedSquad, into: string, wrong: string): ProcessedSquad {
  const log = squad.log.map((record): AutoSubstitution =>
    String(record.player?.id) === into ? { ...record, player: { id: Number(wrong) } } : record,
  );
  return { ...squad, log, after: exchange(squad.after, into, wrong) };
}

describe('the audit of 200 squads', () => {
  it('finds nothing where the service did as the rules say', () => {
    fc.assert(
      fc.property(weeks, (all) => {
        expect(new Set(kindsOf(audit(all, processed(all))))).toEqual(new Set(['agree']));
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  const wrongMan = (squad: ProcessedSquad, lineup: readonly Place[]): ProcessedSquad | undefined => {
    const [out, into] = squad.log;
    const came = squad.log.filter(({ action }) => action === 'in').map(({ player }) => String(player?.id));
    // Somebody who did not play is the wrong one in every order.
    const wrong = lineup.find(
      ({ isStarting, minutes, player }) => !isStarting && minutes === 0 && !came.includes(player),
    );
    return out === undefined || into === undefined || wrong === undefined
      ? undefined
      : letIn(squad, String(into.player?.id), wrong.player);
  };
  const brokenFormation = (squad: ProcessedSquad, lineup: readonly Place[]): ProcessedSquad | undefined => {
    const started = lineup.filter(({ isStarting, position }) => isStarting && position === 'DEF');
    const out = started.find(({ player }) => squad.log.some((each) => String(each.player?.id) === player));
    const pair = squad.log.find(({ action, txn_ref: ref }) => {
      const mate = squad.log.find((each) => each.txn_ref === ref && each.action === 'out');
      return action === 'in' && String(mate?.player?.id) === out?.player;
    });
    const into = lineup.find(({ player }) => player === String(pair?.player?.id));
    const wrong = lineup.find(
      ({ isStarting, minutes = 0, position, player }) =>
        !isStarting &&
        minutes > 0 &&
        position !== 'DEF' &&
        position !== 'GK' &&
        !squad.log.some((each) => String(each.player?.id) === player),
    );
    return started.length !== 3 || squad.log.length !== 2 || into?.position !== 'DEF' || wrong === undefined
      ? undefined
      : letIn(squad, into.player, wrong.player);
  };
  const forgottenArmband = (squad: ProcessedSquad): ProcessedSquad | undefined => {
    const captain = (lineup: Lineup) =>
      [...(lineup.squad?.starting_xi ?? []), ...(lineup.squad?.bench ?? [])].find(
        (entry) => entry.is_captain,
      );
    const [was, is] = [captain(squad.before)?.player?.id, captain(squad.after)?.player?.id];
    if (was === is) return undefined;
    const flags = (entry: NonNullable<ReturnType<typeof captain>>) => ({
      ...entry,
      is_captain: entry.player?.id === was,
      is_vice_captain: entry.player?.id === is,
      points: entry.player?.id === is ? (entry.points ?? 0) / 2 : (entry.points ?? 0),
    });
    const { starting_xi: eleven, bench } = squad.after.squad ?? {};
    const after = {
      ...squad.after,
      squad: { starting_xi: (eleven ?? []).map(flags), bench: (bench ?? []).map(flags) },
    };
    return { ...squad, after };
  };
  /** The armband is handed on, and the log still has it with the one who went out. */
  const armbandInLog = (squad: ProcessedSquad): ProcessedSquad | undefined => {
    const out = squad.log.find(({ action, is_vice_captain: vice }) => action === 'out' && vice === true);
    const was = entriesOf(squad.before).find(({ entry }) => entry.is_captain === true);
    if (out === undefined || String(out.player?.id) !== was?.entry.player?.id) return undefined;
    const log = squad.log.map((record) =>
      record === out ? { ...record, is_captain: true, is_vice_captain: false } : record,
    );
    return { ...squad, log };
  };

  it.each([
    ['a wrong man in', wrongMan, 'substitutions'],
    ['a formation that is not allowed', brokenFormation, 'formation'],
    ['a forgotten armband', forgottenArmband, 'armband'],
    ['an armband that the log forgets', armbandInLog, 'armband'],
  ] as const)('finds %s, and nothing else', (_name, error, kind) => {
    let found = 0;
    fc.assert(
      fc.property(weeks, (all) => {
        const right = processed(all);
        const squads = plant(right, all, error);
        const verdicts = audit(all, squads);
        for (const [index, verdict] of verdicts.entries()) {
          const isPlanted = squads[index] !== right[index];
          expect(verdict.kind, squads[index]?.id).toBe(isPlanted ? 'differ' : 'agree');
          if (verdict.kind !== 'differ') continue;
          found += 1;
          expect(verdict.why.map((why) => why.kind)).toContain(kind);
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(found).toBeGreaterThanOrEqual(5);
  });
});
