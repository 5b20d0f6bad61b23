import { isListed, PUSHED_RESOURCES, resourcePlans } from '../../plan/resources/index.ts';
import type { Program } from '../program.ts';
import { orCancelled } from './ask-vars.ts';

/** Where the reports of a set-up go, so that each is written once. */
export const REPORT_PLACES = ['workbook', 'csv', 'both'] as const;
export type ReportPlace = (typeof REPORT_PLACES)[number];

/** The shipped mappings that write workbooks, and those whose CSV reports hold the same records. */
const SEASON_WORKBOOK = 'season-workbook.yaml';
const WORKBOOKS = [SEASON_WORKBOOK, 'players-workbook.yaml'];
const TWINS = ['squads', 'lineups', 'fixtures', 'auto-substitutions', 'standings', 'prices', 'players'].map(
  (name) => `${name}-report.yaml`,
);
const LEFT_OUT: Readonly<Record<ReportPlace, readonly string[]>> = {
  workbook: TWINS,
  csv: WORKBOOKS,
  both: [],
};

/** Whether a set-up writes a shipped mapping, by its file name; `inTabs`: the season's reports stand beside the tables that are filled in. */
export const isWanted = (place: ReportPlace, mapping: string, inTabs: boolean): boolean =>
  !LEFT_OUT[place].includes(mapping) && !(inTabs && mapping === SEASON_WORKBOOK);

/** A shipped mapping where reports go into workbooks: a report that is a CSV file alone is a tab, and names of players are looked up in the tab of the players. */
export const placedMapping = (place: ReportPlace, text: string): string =>
  place === 'workbook' ? lookedUpInWorkbook(reportInWorkbook(text)) : text;

const reportInWorkbook = (text: string): string =>
  text.replace(/^( *)destination: \{ csv: out\/([\w-]+)\.csv \}$/m, (_, indent: string, name: string) => {
    const words = name.replaceAll('-', ' ');
    return `${indent}destination: { xlsx: out/league.xlsx, tab: ${words.charAt(0).toUpperCase()}${words.slice(1)} }`;
  });

/** People know a player by the last name, which that tab calls so. */
const lookedUpInWorkbook = (text: string): string =>
  text.includes(PLAYERS_CSV)
    ? text
        .replace(PLAYERS_CSV, 'in: { xlsx: out/players.xlsx, tab: Players, optional: true }')
        .replace(/^ *match_any: .*$/m, (ways) => ways.replaceAll('Last name', 'Player'))
        .replaceAll('players-report', 'players-workbook')
    : text;

const PLAYERS_CSV = 'in: { csv: out/players.csv, optional: true }';

/** What the reports show, by the names of their mappings without `-report`, `-workbook` and `-tab`, in the order in which they are offered. */
const NAMED = {
  table: 'the league table, in a tab',
  squads: 'squads',
  lineups: 'line-ups',
  fixtures: 'fixtures',
  'auto-substitutions': 'automatic substitutions',
  history: 'standings week by week, in a tab',
  standings: 'standings week by week, in CSV',
  players: 'players, whose names Squads may hold',
  prices: 'price uploads',
  users: 'users',
  points: 'points configuration',
  'fantasy-leagues': 'fantasy league and its next game week',
  'mini-leagues': 'mini leagues',
  account: 'what is left of the account',
} as const;
type NamedKind = keyof typeof NAMED;

/** The report of a resource that is listed needs no line of its own. */
const LISTED = PUSHED_RESOURCES.filter(isListed).map(
  (resource) => [resource.replaceAll('_', '-'), resourcePlans[resource].nouns[1]] as const,
);
const SHOWN: Readonly<Record<string, string>> = {
  ...NAMED,
  ...Object.fromEntries(LISTED.filter(([kind]) => !(kind in NAMED))),
};
export const REPORT_KINDS = Object.keys(SHOWN);

/** The tabs of the season's workbook. */
const FIRST_CHOICE: readonly NamedKind[] = [
  'table',
  'squads',
  'lineups',
  'fixtures',
  'auto-substitutions',
  'history',
  'standings',
];

/** The standings stand in the tab of the workbook, or in a CSV file. */
const NOT_IN: Readonly<Record<ReportPlace, readonly string[]>> = {
  workbook: ['standings'],
  csv: ['table', 'history'],
  both: [],
};

/** The text of a shipped file without the mappings of reports that were not chosen; undefined when none is left. */
export function chosenMappings(text: string, kinds: readonly string[]): string | undefined {
  const [head = '', ...mappings] = text.split(/^(?=- |version:)/m);
  const chosen = mappings.filter((mapping) => {
    const [, kind] = /^ *name: (.+)-(?:report|workbook|tab)$/m.exec(mapping) ?? [];
    return kind === undefined || kinds.includes(kind);
  });
  return chosen.length === 0 ? undefined : head + chosen.join('');
}

/** Which reports there are to be: as the flag says, else as a person answers, else all. */
export async function askReportKinds(
  given: readonly string[],
  place: ReportPlace,
  { interactive, screen, signal }: Pick<Program, 'interactive' | 'screen' | 'signal'>,
): Promise<readonly string[]> {
  if (given.length > 0) return given;
  if (!interactive || screen.json) return REPORT_KINDS;
  const { multiselect } = await import('@clack/prompts');
  const offered = REPORT_KINDS.filter((kind) => !NOT_IN[place].includes(kind));
  const kinds = await multiselect<string>({
    output: process.stderr,
    signal,
    message: 'Which reports?',
    required: false,
    initialValues: FIRST_CHOICE.filter((kind) => offered.includes(kind)),
    options: offered.map((value) => ({ value, label: SHOWN[value] ?? value })),
  });
  return orCancelled<readonly string[]>(kinds, signal);
}

/** Where the reports go: as the flag says, else as a person answers, else into workbooks; `inputs` is what the tables to fill in are tabs of. */
export async function askReportPlace(
  given: ReportPlace | undefined,
  inputs: 'workbook' | 'spreadsheet' | undefined,
  { interactive, screen, signal }: Pick<Program, 'interactive' | 'screen' | 'signal'>,
): Promise<ReportPlace> {
  if (given !== undefined) return given;
  if (!interactive || screen.json) return 'workbook';
  const { select } = await import('@clack/prompts');
  const place = await select<ReportPlace>({
    output: process.stderr,
    signal,
    message: 'Where do the reports go?',
    initialValue: 'workbook',
    options: [
      inputs === undefined
        ? { value: 'workbook', label: 'Excel workbooks', hint: 'for people: out/season.xlsx with charts' }
        : { value: 'workbook', label: `tabs of the ${inputs}`, hint: 'for people, beside what you fill in' },
      { value: 'csv', label: 'CSV files', hint: 'for other programs: out/squads.csv and so on' },
      { value: 'both', label: 'both', hint: 'the same records twice' },
    ],
  });
  return orCancelled<ReportPlace>(place, signal);
}
