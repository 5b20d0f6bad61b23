const LONGEST = 100;

/** The candidate that takes the fewest edits to become `word`, regardless of case; undefined when none is close. Equal ones: the first. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = fold(word);
  let best: string | undefined;
  let fewest = Math.max(2, Math.floor(wanted.length * 0.4)) + 0.5;
  for (const candidate of candidates) {
    const edits = distance(wanted, fold(candidate));
    if (edits < fewest) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

/** `: did you mean "x"?`, with another sign in front where one is given, or an empty text. */
export function didYouMean(word: string, candidates: readonly string[], sign: ':' | ';' = ':'): string {
  const found = nearest(word, candidates);
  return found === undefined ? '' : `${sign} did you mean "${found}"?`;
}

function fold(word: string): string {
  return word
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
}

/** Levenshtein distance. */
function distance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
