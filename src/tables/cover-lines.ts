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
  return [
    [WRITTEN_LABEL, `${WRITTEN(wallClock(timezone)(facts.writtenAtMs))} (${timezone})`],
    ['Source', facts.service],
    ['Environment', facts.environment],
    ['Program', facts.program],
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
