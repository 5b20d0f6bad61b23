import type { RunRowPatch, RunRows } from '../../model/state/run-rows.ts';
import { resolveDuplicates } from '../../plan/duplicates.ts';

/** Rows of one key may stand far apart: so many are recorded at once, in row order, that their neighbours are too. */
const PATCHES = 50_000;

/** Compares the rows of each key with each other, and records what becomes of them. */
export async function settleDuplicates(rows: RunRows, mapping: string): Promise<void> {
  let patches: RunRowPatch[] = [];
  const save = async (): Promise<void> => {
    await rows.patch(
      mapping,
      patches.sort((one, other) => one.rowNumber - other.rowNumber),
    );
    patches = [];
  };
  for await (const group of rows.duplicates(mapping)) {
    for (const patch of resolveDuplicates(group)) patches.push(patch);
    if (patches.length >= PATCHES) await save();
  }
  if (patches.length > 0) await save();
}
