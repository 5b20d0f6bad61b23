import { shownText, type Cell } from '../model/tables/cell.ts';
import type { Issue } from '../model/issue.ts';
import { codePoint, show, UNSEEN } from './show.ts';

const ORDINARY = /^[!-~]+$/;
const INVISIBLE = new RegExp(String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}${UNSEEN}\ufffd-\uffff]`, 'u');
const NOTHING = /^(?:null|nan|n\/a|undefined)$/i;
const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
/**
 * Numbers with thousands separators. One point alone (1.234) may stand in a key, and people write long numbers with ordinary blanks between groups of three
 * digits; neither is taken for one.
 */
const GROUPED = [
  '(?:,\\d{3})+(?:\\.\\d+)?',
  '(?:\\.\\d{3}){2,}(?:,\\d+)?|\\.\\d{3},\\d+',
  "(?:['\\u2019\\u00a0\\u202f]\\d{3})+(?:[.,]\\d+)?",
].join('|');
/** What a spreadsheet makes of identifiers: 1E+05, 123.0, 1,001, 2-Mar, Mar-02, TRUE. */
const CHANGED = new RegExp(
  `^(?:-?[1-9]\\d{0,2}(?:${GROUPED})|[+-]?\\d+(?:[.,]\\d+)?E[+-]\\d+|\\d+[.,]0+|\\d{1,2}-(?:${MONTHS})(?:-\\d{2,4})?|(?:${MONTHS})-\\d{1,4}|true|false)$`,
  'i',
);

/**
 * The key that a text cell holds, in composed form (NFC) and without blanks around it, or undefined when it cannot be one; `issues` then has
 * the error. Blanks that were removed are a warning. `allowShape` accepts keys that look changed by a spreadsheet (`--allow-key-shape`).
 */
export function readKey(
  text: string,
  column: string | undefined,
  allowShape: boolean,
  issues: Issue[],
): string | undefined {
  const refuse = (code: string, message: string): string | undefined => {
    issues.push({ code, severity: 'error', column, message });
    return undefined;
  };
  let key = text;
  if (!ORDINARY.test(text)) {
    if (!text.isWellFormed())
      return refuse('cell.surrogate', `${show(text)} holds half of a character; type it again`);
    const hidden = INVISIBLE.exec(text);
    if (hidden !== null) {
      return refuse(
        'key.invisible',
        `${show(text)} holds ${codePoint(hidden[0])}, which cannot be seen; delete it`,
      );
    }
    key = trimKey(text, column, issues).normalize('NFC');
  }
  if (NOTHING.test(key))
    return refuse('key.null', `${show(key)} is not a key; write the real one, or delete the row`);
  if (!allowShape && CHANGED.test(key)) return refuse('key.shape', changed(show(key)));
  return key;
}

function changed(shown: string): string {
  return `${shown} looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape`;
}

/** The text without blanks around it; when there were any, `issues` gets a warning. */
export function trimKey(text: string, column: string | undefined, issues: Issue[]): string {
  const key = text.trim();
  if (key !== text) {
    const message = `the blanks around ${show(text)} were left out`;
    issues.push({ code: 'key.trimmed', severity: 'warning', column, message });
  }
  return key;
}

/**
 * The text of a typed cell in a key column: a whole number shown as its plain digits is those digits; anything else is an error in `issues`,
 * because what the person typed is lost.
 */
export function readTypedKey(
  cell: Exclude<Cell, string>,
  column: string | undefined,
  allowShape: boolean,
  issues: Issue[],
): string | undefined {
  const shown = shownText(cell);
  const refuse = (code: string, message: string): string | undefined => {
    issues.push({ code, severity: 'error', column, message });
    return undefined;
  };
  if (cell.kind === 'number') {
    if (Math.abs(cell.value) > Number.MAX_SAFE_INTEGER) {
      const message = `${show(shown)} is a number beyond 9007199254740991 and may have lost digits; format the column as plain text and type it again`;
      return refuse('key.precision', message);
    }
    if (shown === String(cell.value) && /^\d+$/.test(shown)) return shown;
  }
  if (allowShape) return shown;
  if (cell.kind === 'number' && shown !== String(cell.value)) {
    return refuse(
      'key.shape',
      `${show(shown)} is a number shown in another form; format the column as plain text`,
    );
  }
  return refuse('key.shape', changed(show(shown)));
}

/** Each Cyrillic or Greek letter with the Latin one that it looks like behind it. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [
    'АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS ԀD ԚQ ԜW ӀI аa еe кk мm оo рp сc тt уy хx іi јj ѕs һh ԁd ԛq ԝw ӏl',
    'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa ιi κk νv οo ρp τt υu χx ϳj',
  ].flatMap((pairs) => pairs.split(' ').map(([letter = '', latin = '']) => [letter, latin])),
);
const PLAIN_ASCII = /^[\0-\x7f]*$/;

const ALL_UNSEEN = new RegExp(`[${UNSEEN}]`, 'gu');

/** A key with everything taken away that a person hardly sees: case, compatibility forms, what is drawn as nothing, Cyrillic and Greek look-alikes of Latin letters. */
export function foldKey(key: string): string {
  if (PLAIN_ASCII.test(key)) return key.toLowerCase();
  const seen = key.normalize('NFKC').replace(ALL_UNSEEN, '');
  const latin = Array.from(seen, (char) => LOOKALIKES.get(char) ?? char).join('');
  return latin.toUpperCase().toLowerCase();
}
