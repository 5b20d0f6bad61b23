import type { CoverFacts, Highlight } from '../model/tables/layout.ts';
import { wallClock } from '../model/time/wall-clock.ts';
import { dateRenderer } from './date-format.ts';

/** What a cover says of one tab of the file. */
export interface CoveredTab {
  readonly tab: string;
  readonly contents: string;
  /** Undefined for a tab of charts. */
  readonly rows: number | undefined;
}

const WRITTEN = dateRenderer('dddd d mmmm yyyy, hh:mm');

/** The line of a cover that says when the file was written. */
export const WRITTEN_LABEL = 'Written';

const NOT_WHOLE = 'Not whole';
const RANKS_READ = 'Ranks read';
/** The labels of {@link coverLines}. */
const TECHNICAL: readonly string[] = [
  WRITTEN_LABEL,
  'Source',
  'Environment',
  'Program',
  NOT_WHOLE,
  RANKS_READ,
];

/** The lines of a cover about the file as a whole, each a label and a text; the time is shown in the zone. None without facts. */
export function coverLines(
  facts: CoverFacts | undefined,
  timezone: string,
): readonly (readonly [string, string])[] {
  if (facts === undefined) return [];
  const { partial, readOn } = facts.remarks?.() ?? { partial: [], readOn: [] };
  return [
    [WRITTEN_LABEL, `${WRITTEN(wallClock(timezone)(facts.writtenAtMs))} (${timezone})`],
    ['Source', facts.service],
    ['Environment', facts.environment],
    ['Program', facts.program],
    ...(partial.length === 0 ? [] : [[NOT_WHOLE, `Reading stopped: ${partial.join(', ')}`] as const]),
    ...readOn.map(
      ({ report, days }) =>
        [RANKS_READ, `On ${days.join(', ')}, they may not fit together: ${report}`] as const,
    ),
  ];
}

/** The heading of the list of tabs on a cover, which stands in the columns from B. */
export const TABS_HEADER = ['Tab', 'Contents', 'Rows'] as const;

type CoverCells = readonly (readonly (string | number | boolean)[])[];

export const textAt = (row: CoverCells[number] | undefined, column: number): string =>
  String(row?.[column] ?? '');

/** The row of a cover that heads its list of tabs; -1 without one. */
export const coverHeading = (cells: CoverCells): number =>
  cells.findIndex((row) => TABS_HEADER.every((text, index) => row[index + 1] === text));

/** The tabs that the cells of a cover name, in its order, without those that are not among `titles`. */
export function readCoveredTabs(cells: CoverCells, titles: ReadonlySet<string>): readonly CoveredTab[] {
  const heading = coverHeading(cells);
  if (heading === -1) return [];
  const below = cells.slice(heading + 1);
  // A workbook's blank rows are not read, so that the technical lines may follow at once.
  const end = below.findIndex(
    (row) => textAt(row, 1) === '' || (textAt(row, 1) === WRITTEN_LABEL && typeof row[3] !== 'number'),
  );
  return below.slice(0, end === -1 ? undefined : end).flatMap((row): CoveredTab[] => {
    const [, tab = '', contents = '', rows] = row;
    if (!titles.has(String(tab))) return [];
    return [
      { tab: String(tab), contents: String(contents), rows: typeof rows === 'number' ? rows : undefined },
    ];
  });
}

/** The highlights of a cover: what stands before its list of tabs and has a text, as title and note have none. An older cover has its technical lines there. */
export function readHighlights(cells: CoverCells): readonly Highlight[] {
  const found: { label: string; lines: Highlight['lines'][number][] }[] = [];
  for (const row of cells.slice(0, Math.max(0, coverHeading(cells)))) {
    const [label, text, value] = [textAt(row, 1), textAt(row, 2), row[3] ?? ''];
    if (TECHNICAL.includes(label) || text === '') continue;
    if (label !== '') found.push({ label, lines: [] });
    found.at(-1)?.lines.push({ text, value: value === '' || typeof value === 'boolean' ? null : value });
  }
  return found;
}

/** What stands on a cover after a refresh: what is fresh in the place of what has its name, or behind the others. */
function joined<T>(standing: readonly T[], fresh: readonly T[], nameOf: (each: T) => string): readonly T[] {
  const now = new Map(fresh.map((each) => [nameOf(each), each]));
  const known = new Set(standing.map(nameOf));
  return [
    ...standing.map((each) => now.get(nameOf(each)) ?? each),
    ...fresh.filter((each) => !known.has(nameOf(each))),
  ];
}

/** The highlights of a cover after a refresh, without those that no row fits. */
export const joinHighlights = (
  standing: readonly Highlight[],
  refreshed: readonly Highlight[],
): readonly Highlight[] =>
  joined(standing, refreshed, ({ label }) => label).filter(({ lines }) => lines.length > 0);

/** The rows of highlights as they stand on a cover: the label in front of the first line alone. */
export const highlightRows = (
  highlights: readonly Highlight[],
): readonly (readonly [label: string, text: string, value: string | number | null])[] =>
  highlights.flatMap(({ label, lines }) =>
    lines.map(({ text, value }, index) => [index === 0 ? label : '', text, value] as const),
  );

/** The tabs that a cover names after a refresh; `shown` is how a cell holds the name of one. */
export const joinCoveredTabs = (
  standing: readonly CoveredTab[],
  refreshed: readonly CoveredTab[],
  shown: (tab: string) => string = (tab) => tab,
): readonly CoveredTab[] => joined(standing, refreshed, ({ tab }) => shown(tab));

const CONTENTS_CHARACTERS_MAX = 60;

/** What a cover says of the contents of a tab: the first of its headers, or of its charts' titles. */
export function contentsOf(names: readonly string[]): string {
  let text = '';
  for (const name of names) {
    const longer = text === '' ? name : `${text}, ${name}`;
    if (longer.length > CONTENTS_CHARACTERS_MAX) return text === '' ? name : `${text} …`;
    text = longer;
  }
  return text;
}
