import type { ParsedRow } from '../../mapping/rows.ts';
import { renderCountOf } from '../../model/count.ts';
import type { RowChoice } from '../../plan/saved/push-plan.ts';

/** Refused keys that are spelt out; the rest are counted. */
const MOVED_SHOWN = 3;

/** Says which refused keys are in no row any more, and which key stands in their place: a row whose key was corrected is another one. */
export function movedRows({ keys, stoodAt = [] }: RowChoice): {
  readonly look: (rows: readonly ParsedRow[]) => void;
  readonly told: () => readonly string[];
} {
  const missing = new Map(keys.map((key, at) => [key, stoodAt[at]]));
  const places = new Set(stoodAt);
  const now = new Map<number, string>();
  return {
    look: (rows) => {
      for (const { key, rowNumber } of rows) {
        if (key === null) continue;
        missing.delete(key);
        if (places.has(rowNumber)) now.set(rowNumber, key);
      }
    },
    told: () => {
      const all = [...missing].map(([key, rowNumber = 0]) => {
        const other = now.get(rowNumber);
        return other === undefined
          ? `the refused key ${key} is no longer in any row`
          : `row ${rowNumber} had the refused key ${key} and now has ${other}, which is not read`;
      });
      const more = all.length - MOVED_SHOWN;
      return more <= 0
        ? all
        : [
            ...all.slice(0, MOVED_SHOWN),
            `${renderCountOf(more, 'more refused key is', 'more refused keys are')} no longer in any row`,
          ];
    },
  };
}
