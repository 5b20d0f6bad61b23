import { parseWeekChoice, WEEK_CHOICES, type WeekChoice } from '../../mapping/week-choice.ts';
import { UsageError, type ExitCode } from '../../model/error.ts';
import type { Pair } from '../../rules/substitutions.ts';
import type { Difference } from '../../season/audit.ts';
import { serviceNow } from '../../sync/memory/service-time.ts';
import { auditWeeks, type AuditDifference, type AuditLack, type WeekAudit } from '../../sync/audit.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import type { Program } from '../program.ts';
import { renderColumns, safeText } from '../render/text.ts';
import type { Session } from '../session.ts';

/** The game weeks that `--week` or `--weeks` names; the last one without a flag. Errors: UsageError `usage.weeks`. */
export function weeksOf(week: string | undefined, weeks: string | undefined): WeekChoice {
  if (week !== undefined && weeks !== undefined)
    throw new UsageError('usage.weeks', '--week and --weeks stand both; write one of them');
  const written = weeks ?? week ?? 'last';
  const choice = parseWeekChoice(written);
  if (choice !== undefined) return choice;
  throw new UsageError('usage.weeks', `"${written}" names no game weeks; write ${WEEK_CHOICES}`);
}

/** `substitutions audit`: what the memory of a league shows of substitutions, beside what the rules make of them. Only the account is read. */
export async function audit(
  { ports, config }: Session,
  league: number,
  choice: WeekChoice,
  { screen }: Program,
): Promise<ExitCode> {
  const account = await openAccount(ports);
  const scope = { account: account.service, league };
  const found = await auditWeeks(
    ports,
    scope,
    config.rules,
    choice,
    await serviceNow(ports, account.service),
  );
  if (screen.json) {
    await screen.data(JSON.stringify({ weeks: found.weeks.map(documentOf) }));
    return found.exitCode;
  }
  if (found.weeks.length > 0) await screen.data(renderWeeks(found.weeks, screen.dataStyle));
  for (const week of found.weeks) for (const line of linesOf(week)) await screen.data(`  ${safeText(line)}`);
  if (!found.weeks.some(({ squads }) => squads > 0))
    screen.tell(`No line-up of these game weeks of fantasy league ${league} is kept: pull line-ups first.`);
  return found.exitCode;
}

function documentOf({ week, squads, agree, differ, unknown, differences }: WeekAudit): object {
  return {
    week: week ?? null,
    ...{ squads, agree, differ, unknown },
    differences: differences.map(({ squad, verdict }) => ({
      squad,
      expected: verdict.expected.map(idsOf),
      logged: verdict.logged.map(idsOf),
      why: renderWhy({ squad, verdict }),
    })),
  };
}

/** Ids of players are whole numbers, but in line-ups. */
const idOf = (id: string | undefined): number | string | null =>
  id === undefined ? null : /^\d{1,15}$/.test(id) ? Number(id) : id;
const idsOf = (pair: Partial<Pair>): object => ({ out: idOf(pair.out), in: idOf(pair.in) });

function renderWeeks(weeks: readonly WeekAudit[], style: Program['screen']['dataStyle']): string {
  const head = ['game week', 'squads', 'agree', 'differ', 'unknown'].map((text) => style('dim', text));
  const rows = weeks.map(({ week, name, squads, agree, differ, unknown }) => [
    safeText(String(week ?? name)),
    ...[squads, agree, differ, unknown].map(String),
  ]);
  return renderColumns([head, ...rows], [false, true, true, true, true]);
}

const LACKS: Readonly<Record<AuditLack, string>> = {
  not_processed: 'the substitutions of the week are not known to be processed',
  lineup: 'the line-up before the substitutions was not kept',
  direction: 'nothing tells who went out and who came in',
  week: 'the log has records whose game week cannot be told',
  log: 'the log shows no substitution of the week yet',
  minutes: 'the minutes of a player are not known',
  position: 'the position of a player is not known',
  armband: 'nothing shows who is captain',
};

function linesOf(audited: WeekAudit): readonly string[] {
  const week = `game week ${audited.week ?? audited.name}`;
  if (audited.squads === 0) return [`${week}: none of its line-ups is kept`];
  return [
    ...audited.differences.map((each) => `${week}, ${each.squad.name}: ${renderWhy(each)}`),
    ...[...audited.lacks].map(([lack, count]) => `${week}: ${count} unknown, because ${LACKS[lack]}`),
  ];
}

const renderPairs = (pairs: readonly Partial<Pair>[]): string =>
  pairs.length === 0 ? 'nobody' : pairs.map((pair) => `${pair.in ?? '?'} for ${pair.out ?? '?'}`).join(', ');

const renderWhy = ({ verdict }: AuditDifference): string =>
  verdict.why.map((why) => renderDifference(why, verdict)).join('; ');

function renderDifference(
  why: Difference,
  { expected, logged }: Pick<AuditDifference['verdict'], 'expected' | 'logged'>,
): string {
  switch (why.kind) {
    case 'substitutions':
      return `the rules bring in ${renderPairs(expected)}, the log ${renderPairs(logged)}`;
    case 'armband':
      return `the armband belongs to player ${why.expected}, and ${why.found === undefined ? 'nobody' : `player ${why.found}`} has it`;
    case 'formation':
      return `the formation afterwards is not allowed: ${why.positions.join(', ')}`;
  }
}
