import type { Issue } from '../model/issue.ts';
import { codePoint, show, UNSEEN } from './show.ts';

/** What a text may be. */
export interface TextBounds {
  /** Counted in characters, without blanks at the ends. */
  readonly min: number;
  /** Counted in UTF-16 units: the interface does not say what it counts, and no other count is higher. */
  readonly max: number;
  readonly allowNewlines: boolean;
  /** The rows are imported, so that there is no mapping yet to allow anything in. */
  readonly ofImport?: boolean | undefined;
}

/** The most that a spreadsheet cell holds; no field of the service is longer. */
const MAX_TEXT = 32_767;
const ORDINARY = /^[ -~\u00a1-\u1fff\u3041-\ud7ff]*$/;
/** Tag characters hide a text; only between this flag and the tag that ends it they draw one, as England's. */
const FLAG = '\u{1f3f4}';
const TAG = /[\u{e0001}\u{e0020}-\u{e007f}]/u;
const FORBIDDEN = new RegExp(
  String.raw`${FLAG}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|` +
    String.raw`[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff\ufffd-\uffff]|${TAG.source}`,
  'gu',
);
const NOTHING_SEEN = new RegExp(String.raw`^[\s${UNSEEN}]*$`, 'u');
const NOTHING = /^\s*(?:null|n\/a)\s*$/i;

/** The text as it is when it may be sent, or undefined with the error in `issues`. A text such as `N/A` is kept with a warning. */
export function checkText(
  text: string,
  column: string | undefined,
  bounds: TextBounds,
  issues: Issue[],
): string | undefined {
  const refuse = (code: string, message: string): string | undefined => {
    issues.push({ code, severity: 'error', column, message });
    return undefined;
  };
  if (text.length > bounds.max || text.length > MAX_TEXT) {
    return refuse('cell.length', `${lengthOf(text, 'units')}, at most ${Math.min(bounds.max, MAX_TEXT)}`);
  }
  if (NOTHING_SEEN.test(text))
    return refuse('cell.unseen', `${show(text)} holds nothing that can be seen; fill it in`);
  if (bounds.min > 0 && shortOf(text.trim(), bounds.min)) {
    return refuse(
      'cell.length',
      `${show(text)} has ${lengthOf(text.trim(), 'characters')}, at least ${bounds.min}`,
    );
  }
  if (!ORDINARY.test(text)) {
    if (!text.isWellFormed())
      return refuse('cell.surrogate', `${show(text)} holds half of a character; type it again`);
    for (const [char] of text.matchAll(FORBIDDEN)) {
      if (char.startsWith(FLAG)) continue;
      if (bounds.allowNewlines && (char === '\n' || char === '\r')) continue;
      return refuse('cell.control', forbidden(text, char, bounds));
    }
  }
  if (text.length < 12 && NOTHING.test(text)) {
    issues.push({
      code: 'cell.nothing',
      severity: 'warning',
      column,
      message: `${show(text)} is sent as a text; empty the cell if it means nothing`,
    });
  }
  return text;
}

/** A text that is long enough in UTF-16 units may still be short of characters. */
function shortOf(text: string, min: number): boolean {
  return text.length < min || (text.length < 2 * min && Array.from(text).length < min);
}

function forbidden(text: string, char: string, { ofImport = false }: TextBounds): string {
  if (char === '\n' || char === '\r') {
    const saved = ofImport ? 'save the mapping with --save-mapping, and ' : '';
    return `${show(text)} holds a line break; delete it, or ${saved}set allow_newlines: true on the column`;
  }
  if (char === '\ufffd') {
    return `${show(text)} holds U+FFFD, the mark of a character that was lost; type it again`;
  }
  if (TAG.test(char)) {
    return `${show(text)} holds the tag character ${codePoint(char)}, which cannot be seen; delete it`;
  }
  return `${show(text)} holds the control character ${codePoint(char)}; delete it`;
}

/** What a limit counts stands first, so that nobody reads of 49 characters, at most 50. */
function lengthOf(text: string, limited: 'characters' | 'units'): string {
  const units = text.length;
  // Counting the code points of a cell of megabytes would tell nobody anything.
  const points = units > MAX_TEXT ? units : Array.from(text).length;
  const characters = `${points} ${points === 1 ? 'character' : 'characters'}`;
  if (points === units) return characters;
  return limited === 'units'
    ? `${units} UTF-16 units (${characters}, some of which take two)`
    : `${characters} (${units} UTF-16 units)`;
}
