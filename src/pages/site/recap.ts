import { visible } from '../markup.ts';
import { count, decimal } from '../parts.ts';
import type { SiteFile } from './frame.ts';
import type { SiteWeek, SquadName } from './values.ts';
import { chipWords, plural, STATE_WORDS } from './words.ts';

const MOST_IN_LINE = 3;
const MOST_OF_TABLE = 10;

/** A recap in parts, before it becomes Markdown or plain text. */
interface Recap {
  readonly heading: string;
  readonly lines: readonly { readonly label: string; readonly text: string }[];
  readonly table: readonly string[];
}

interface Notation {
  readonly name: (text: string) => string;
  readonly strong: (text: string) => string;
}

/**
 * A name for texts that people post: on one line, with nothing that cannot be seen, and with no sign by which a chat would call everybody together: its `@` is
 * the wide one.
 */
const plainName = (name: string): string =>
  visible(name).replaceAll(/\s+/g, ' ').replaceAll('@', '＠').trim();

const MARKDOWN: Notation = {
  name: (text) => plainName(text).replaceAll(/[\\`*_[\]|<>~&]|:(?=\/\/)/g, '\\$&'),
  strong: (text) => `**${text}**`,
};
const TEXT: Notation = { name: plainName, strong: (text) => text };

/** A week in words to post: as Markdown and as plain text. */
export function recapFiles(league: string, week: SiteWeek): readonly SiteFile[] {
  const path = `recap/week-${week.number}`;
  return [
    { path: `${path}.md`, text: asMarkdown(recapOf(league, week, MARKDOWN)) },
    { path: `${path}.txt`, text: asText(recapOf(league, week, TEXT)) },
  ];
}

function asMarkdown({ heading, lines, table }: Recap): string {
  const said = lines.map(({ label, text }) => `- **${label}:** ${text}`);
  return `${[`## ${heading}`, '', ...said, '', ...table.map((row) => `${row}  `)].join('\n').trimEnd()}\n`;
}

function asText({ heading, lines, table }: Recap): string {
  const said = lines.map(({ label, text }) => `${label}: ${text}`);
  return `${[heading, '', ...said, '', ...table].join('\n').trimEnd()}\n`;
}

function recapOf(league: string, week: SiteWeek, notation: Notation): Recap {
  const { name, strong } = notation;
  const heading = `${name(league)}: game week ${week.number}${week.state === 'open' || week.state === 'provisional' ? ` (${STATE_WORDS[week.state].short})` : ''}`;
  const table = week.top
    .slice(0, MOST_OF_TABLE)
    .map(
      ({ rank, squad, value, weekPoints }) =>
        `${count(rank)} · ${strong(squadText(squad, notation))} ${plural(value, 'point')}${weekPoints === undefined ? '' : ` (${signed(weekPoints)})`}`,
    );
  return { heading, lines: linesOf(week, notation), table };
}

const signed = (value: number): string => (value < 0 ? count(value) : `+${count(value)}`);

const squadText = ({ name: squad, member }: SquadName, { name }: Notation): string =>
  member === undefined ? name(squad) : `${name(squad)} (${name(member)})`;

/** A line for everything that there is to say, and none for what did not happen. */
function linesOf(week: SiteWeek, notation: Notation): Recap['lines'] {
  const { name } = notation;
  const squad = (one: SquadName): string => squadText(one, notation);
  const list = (parts: readonly string[]): string => parts.slice(0, MOST_IN_LINE).join(', ');
  const [first] = week.best;
  const [captain] = week.captains;
  const [differential] = week.differentials;
  const [bench] = week.bench;
  const lines: readonly (readonly [string, string | undefined])[] = [
    [
      week.best.length > 1 ? 'Managers of the week' : 'Manager of the week',
      first && `${list(week.best.map((each) => squad(each.squad)))} with ${plural(first.value, 'point')}`,
    ],
    ['Average', week.average === undefined ? undefined : `${decimal(week.average)} points`],
    ['Climbers', list(week.climbers.map((each) => `${squad(each.squad)} ▲${each.value}`))],
    [
      'Most captained',
      captain &&
        `${name(captain.player.name)} (${plural(captain.squads, 'squad')}${captain.points === undefined ? '' : `, ${plural(captain.points, 'point')}`})`,
    ],
    [
      'Differential',
      differential &&
        `${name(differential.player.name)}: ${plural(differential.points ?? 0, 'point')}, in ${plural(differential.squads, 'squad')}`,
    ],
    ['Most on the bench', bench && `${squad(bench.squad)}: ${plural(bench.value, 'point')}`],
    ['Most bought', list(week.playersIn.map((each) => `${name(each.player.name)} (${each.squads})`))],
    ['Chips', list(week.chips.map((each) => `${name(chipWords(each.chip))} (${each.squads.length})`))],
    [
      'Automatic substitutions',
      week.substitutions.length === 0 ? undefined : week.substitutions.length.toLocaleString('en-US'),
    ],
  ];
  return lines.flatMap(([label, text]) => (text === undefined || text === '' ? [] : [{ label, text }]));
}
