import type { CoverFacts } from '../model/layout.ts';
import { wallClock } from '../model/wall-clock.ts';
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

/** The lines of a cover about the file as a whole, each a label and a text; the time is shown in the zone. None without facts. */
export function coverLines(
  facts: CoverFacts | undefined,
  timezone: string,
): readonly (readonly [string, string])[] {
  if (facts === undefined) return [];
  const partial = facts.partial?.() ?? [];
  return [
    [WRITTEN_LABEL, `${WRITTEN(wallClock(timezone)(facts.writtenAtMs))} (${timezone})`],
    ['Source', facts.service],
    ['Environment', facts.environment],
    ['Program', facts.program],
    ...(partial.length === 0 ? [] : [['Not whole', `Reading stopped: ${partial.join(', ')}`] as const]),
  ];
}

/** The heading of the list of tabs on a cover, which stands in the columns from B. */
export const TABS_HEADER = ['Tab', 'Contents', 'Rows'] as const;

/** The tabs that the cells of a cover name, in its order, without those that are not among `titles`. */
export function readCoveredTabs(
  cells: readonly (readonly (string | number | boolean)[])[],
  titles: ReadonlySet<string>,
): readonly CoveredTab[] {
  const heading = cells.findIndex((row) => TABS_HEADER.every((text, index) => row[index + 1] === text));
  if (heading === -1) return [];
  return cells.slice(heading + 1).flatMap((row): CoveredTab[] => {
    const [, tab = '', contents = '', rows] = row;
    if (!titles.has(String(tab))) return [];
    return [
      { tab: String(tab), contents: String(contents), rows: typeof rows === 'number' ? rows : undefined },
    ];
  });
}

/** The lines of a cover after a refresh: each tab that was refreshed in its old place or behind the others; `shown` is how a cell holds its name. */
export function joinCoveredTabs(
  standing: readonly CoveredTab[],
  refreshed: readonly CoveredTab[],
  shown: (tab: string) => string = (tab) => tab,
): readonly CoveredTab[] {
  const now = new Map(refreshed.map((each) => [shown(each.tab), each]));
  const known = new Set(standing.map(({ tab }) => tab));
  return [
    ...standing.map((each) => now.get(each.tab) ?? each),
    ...[...now].filter(([tab]) => !known.has(tab)).map(([, each]) => each),
  ];
}

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
