import type { Buffer } from 'node:buffer';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** Where a quoting mistake stands: lines and columns are 1-based, columns count characters. */
interface Spot {
  readonly line: number;
  readonly column: number;
}

/** A quotation mark that breaks the rules of CSV. */
export type QuoteFault =
  | { readonly kind: 'never_closed'; readonly opened: Spot }
  | { readonly kind: 'inside_bare_cell'; readonly at: Spot }
  | { readonly kind: 'text_after_close'; readonly opened: Spot; readonly at: Spot };

/** The first quoting mistake in a slice that begins with a record at `firstLine`, or undefined when there is none. */
export function findQuoteFault(slice: Buffer, delimiter: Buffer, firstLine: number): QuoteFault | undefined {
  let line = firstLine;
  let lineStart = 0;
  let at = 0;
  const spot = (offset: number): Spot => ({
    line,
    column: slice.toString('utf8', lineStart, offset).length + 1,
  });
  const endsLine = (offset: number): boolean => slice[offset] === LF || slice[offset] === CR;
  const passLine = (offset: number): number => {
    const next = slice[offset] === CR && slice[offset + 1] === LF ? offset + 2 : offset + 1;
    line++;
    lineStart = next;
    return next;
  };
  const delimits = (offset: number): boolean =>
    slice.subarray(offset, offset + delimiter.length).equals(delimiter);

  while (at < slice.length) {
    if (slice[at] === QUOTE) {
      const opened = spot(at);
      at++;
      while (at < slice.length && (slice[at] !== QUOTE || slice[at + 1] === QUOTE)) {
        if (slice[at] === QUOTE) at += 2;
        else at = endsLine(at) ? passLine(at) : at + 1;
      }
      if (at >= slice.length) return { kind: 'never_closed', opened };
      at++;
      if (at < slice.length && !endsLine(at) && !delimits(at)) {
        return { kind: 'text_after_close', opened, at: spot(at) };
      }
    }
    while (at < slice.length && !endsLine(at) && !delimits(at)) {
      if (slice[at] === QUOTE) return { kind: 'inside_bare_cell', at: spot(at) };
      at++;
    }
    if (at >= slice.length) return undefined;
    at = endsLine(at) ? passLine(at) : at + delimiter.length;
  }
  return undefined;
}
