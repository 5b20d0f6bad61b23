import type { LeagueScope } from '../model/state/memory.ts';
import { EXIT, type ExitCode } from '../model/error.ts';
import type { WeekChoice } from '../mapping/week-choice.ts';
import { parseTimeMs } from '../model/time/service-time.ts';
import type { Rules } from '../rules/rules.ts';
import { newestSeason } from '../season/seasons.ts';
import { nameOfWeek } from '../season/game-week.ts';
import { auditSquads, type AuditedSquad, type Verdict } from '../season/audit.ts';
import {
  keptLog,
  keptPlayers,
  keptWeeks,
  minutesOf,
  type KeptLog,
  type KeptWeek,
} from './memory/league-records.ts';
import { begunWeeks } from './memory/league-weeks.ts';
import type { SyncPorts } from './ports.ts';

/** A squad whose substitutions are not those of the rules. */
export interface AuditDifference {
  readonly squad: { readonly id: string; readonly name: string };
  readonly verdict: Extract<Verdict, { readonly kind: 'differ' }>;
}

/** Why nothing is said of squads, and of how many. */
export type AuditLack = 'not_processed' | Extract<Verdict, { readonly kind: 'unknown' }>['lacks'];

/** What an audit found of one game week. */
export interface WeekAudit {
  readonly week: number | undefined;
  /** What people know it by, also without a number. */
  readonly name: string;
  readonly squads: number;
  readonly agree: number;
  readonly differ: number;
  readonly unknown: number;
  readonly differences: readonly AuditDifference[];
  readonly lacks: ReadonlyMap<AuditLack, number>;
}

/** The audits of weeks, and the exit code: 3 with a difference, 7 where not enough is known, 0 where all agree. */
export interface Audit {
  readonly weeks: readonly WeekAudit[];
  readonly exitCode: ExitCode;
}

/** Compares the substitutions that are kept of game weeks with what the rules make of the line-ups kept. Asks the service nothing. */
export async function auditWeeks(
  { store }: Pick<SyncPorts, 'store'>,
  scope: LeagueScope,
  rules: Rules,
  choice: WeekChoice,
  nowMs: number,
): Promise<Audit> {
  const { memory } = store;
  const weeks = await keptWeeks(memory, scope, choice);
  const log = await keptLog(memory, scope, weeks);
  const audits: WeekAudit[] = [];
  const begun = await begunWeeks(memory, scope, nowMs);
  for (const week of chosen(weeks, begun, log, choice)) {
    const players = await keptPlayers(memory, scope, week, rules);
    const points = [...players].flatMap(([id, { stat }]): [string, number][] =>
      typeof stat.points === 'number' ? [[id, stat.points]] : [],
    );
    const about = { rules, minutes: minutesOf(players), points: new Map(points) };
    audits.push(auditWeek(week, log, (squads) => auditSquads(squads, about)));
  }
  const has = (count: (audit: WeekAudit) => number): boolean => audits.some((each) => count(each) > 0);
  const isUnknown =
    has(({ unknown }) => unknown) || audits.length === 0 || !audits.every(({ squads }) => squads > 0);
  const exitCode = has(({ differ }) => differ) ? EXIT.rows : isUnknown ? EXIT.incomplete : EXIT.done;
  return { weeks: audits, exitCode };
}

const isProcessed = ({ week, processedMs }: KeptWeek, { weekOf }: KeptLog): boolean =>
  processedMs !== undefined || [...weekOf.values()].includes(week.id);

/**
 * The weeks of a choice, also those of which no line-up is kept: of a week that is over, that is a lack. The last one is the last whose substitutions are processed, else the last that
 * line-ups are kept of.
 */
function chosen(
  weeks: readonly KeptWeek[],
  begun: ReadonlyMap<string, boolean>,
  log: KeptLog,
  choice: WeekChoice,
): readonly KeptWeek[] {
  const read = weeks.filter(({ week, lineups }) => lineups.size > 0 && begun.has(week.id));
  switch (choice.kind) {
    case 'all':
      return weeks.filter((each) => read.includes(each) || begun.get(each.week.id) === true);
    case 'current':
      return weeks.filter(({ week }) => begun.has(week.id)).slice(-1);
    case 'last': {
      // Line-ups are read of the last weeks alone: of one before these it would seem that none is kept.
      const last = read[0] === undefined ? weeks : weeks.slice(weeks.indexOf(read[0]));
      const processed = last.filter((week) => begun.has(week.week.id) && isProcessed(week, log));
      return (processed.length > 0 ? processed : read).slice(-1);
    }
    case 'range':
      return newestSeason(weeks.filter(({ week }) => begun.has(week.id))).filter(
        ({ week: { number = 0 } }) => choice.from <= number && number <= choice.to,
      );
  }
}

function auditWeek(
  week: KeptWeek,
  log: KeptLog,
  audit: (squads: readonly AuditedSquad[]) => readonly Verdict[],
): WeekAudit {
  const logged = Map.groupBy(
    log.pairs.filter((pair) => pair.week === week.week.id),
    ({ squad }) => (squad?.id ?? '').toLowerCase(),
  );
  const untold = log.records.filter(
    ({ id, created_at }) => !log.weekOf.has(id) && !(parseTimeMs(created_at ?? '') < week.overMs),
  );
  const mayBe = new Set(untold.map(({ squad }) => (squad?.id ?? '').toLowerCase()));
  const squads = [...week.lineups].map(([id, lineups]) => ({
    ...{ id, name: lineups.latest?.name ?? id, lineups },
    ...{ logged: logged.get(id) ?? [], mayHaveMore: mayBe.has(id) },
  }));
  const lacks = new Map<AuditLack, number>();
  const lack = (what: AuditLack): unknown => lacks.set(what, (lacks.get(what) ?? 0) + 1);
  const differences: AuditDifference[] = [];
  let agree = 0;
  const verdicts = isProcessed(week, log) ? audit(squads) : [];
  for (const [index, squad] of squads.entries()) {
    const verdict = verdicts[index];
    if (verdict === undefined) lack('not_processed');
    else if (verdict.kind === 'unknown') lack(verdict.lacks);
    else if (verdict.kind === 'agree') agree += 1;
    else differences.push({ squad: { id: squad.id, name: squad.name }, verdict });
  }
  const differ = differences.length;
  return {
    week: week.week.number,
    name: nameOfWeek(week.week),
    squads: squads.length,
    agree,
    differ,
    unknown: squads.length - agree - differ,
    differences,
    lacks,
  };
}
