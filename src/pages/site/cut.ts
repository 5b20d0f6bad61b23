const GRAPHEMES = new Intl.Segmenter('en');
/** Scripts and signs that take two columns. */
const WIDE =
  /[\p{Extended_Pictographic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/u;

/** How many columns a text takes where most signs take one. */
const widthOf = (grapheme: string): number => (WIDE.test(grapheme) ? 2 : 1);

/** A text that fits into so many columns, with `…` where it had to be cut; for drawings, whose texts do not wrap. */
export function cut(text: string, columns: number): string {
  const graphemes = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
  if (graphemes.reduce((sum, one) => sum + widthOf(one), 0) <= columns) return text;
  let room = columns - 1;
  const kept = graphemes.slice(
    0,
    graphemes.findIndex((one) => (room -= widthOf(one)) < 0),
  );
  return `${kept.join('').trimEnd()}…`;
}
