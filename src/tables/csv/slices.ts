import { Buffer } from 'node:buffer';

const LF = 0x0a;
const CR = 0x0d;
export const QUOTE = 0x22;

/** Cuts a stream of bytes at line ends that stand outside quotes, so that each slice holds whole records. */
export interface Slicer {
  /** The whole records seen so far and not yet handed out, or undefined while the first is still open. */
  push(chunk: Buffer): Buffer | undefined;
  /** What is left at the end of the file. */
  end(): Buffer;
  /** Bytes held back. */
  pendingBytes(): number;
  /** Whether what is held back ends inside quotes. */
  isQuoted(): boolean;
}

/**
 * Quotes are counted, not understood: in a well-formed file a line end after an even number of quotes ends a record. In a malformed one the
 * parser finds the first wrong quote before any wrong cut.
 */
export function createSlicer(): Slicer {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let quoted = false;
  return {
    push(chunk) {
      const cut = lastRecordEnd(chunk, quoted);
      quoted = cut.quoted;
      if (cut.end === 0) {
        held.push(chunk);
        heldBytes += chunk.length;
        return undefined;
      }
      const slice = Buffer.concat([...held, chunk.subarray(0, cut.end)]);
      held = [chunk.subarray(cut.end)];
      heldBytes = chunk.length - cut.end;
      return slice;
    },
    end() {
      const rest = Buffer.concat(held);
      held = [];
      heldBytes = 0;
      return rest;
    },
    pendingBytes: () => heldBytes,
    isQuoted: () => quoted,
  };
}

/** The end of the last whole record in `chunk` (0: none ends here), and whether a quote is open at the chunk's end. */
function lastRecordEnd(
  chunk: Buffer,
  quotedBefore: boolean,
): { readonly end: number; readonly quoted: boolean } {
  let quoted = quotedBefore;
  let end = 0;
  let from = 0;
  for (;;) {
    const quote = chunk.indexOf(QUOTE, from);
    const to = quote === -1 ? chunk.length : quote;
    if (!quoted) end = Math.max(end, lineEndWithin(chunk, from, to));
    if (quote === -1) return { end, quoted };
    quoted = !quoted;
    from = quote + 1;
  }
}

/** One past the last line end in `[from, to)`, or 0. A CR as the chunk's last byte is left alone: its LF may be in the next. */
function lineEndWithin(chunk: Buffer, from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) {
    if (chunk[at] === LF) return at + 1;
    if (chunk[at] === CR && at + 1 < chunk.length) return at + 1;
  }
  return 0;
}
