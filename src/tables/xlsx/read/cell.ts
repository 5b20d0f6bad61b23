import { cleanNumber, type Cell } from '../../../model/tables/cell.ts';
import { decodeCellText } from './strings.ts';
import { shownGeneral, type NumberFormat } from './number-format.ts';
import { XmlFault } from '../parts/xml-scan.ts';

/** A cell as its part writes it. */
export interface RawCell {
  /** The kind of its value, such as `s` for a shared text; empty is a number. */
  readonly type: string;
  readonly style: number;
  /** Undefined when there is none. */
  readonly value: string | undefined;
  /** The text that stands in the cell itself. */
  readonly inline: string;
}

/** What cells refer to. */
export interface CellTables {
  readonly strings: readonly string[];
  readonly formats: readonly NumberFormat[];
  readonly from1904: boolean;
}

const DAY_MS = 86_400_000;
const START_1904 = Date.UTC(1904, 0, 1);
const START_1900 = Date.UTC(1899, 11, 31);
/** Workbooks that count from 1900 have a 29th of February 1900, which never was. */
const NO_SUCH_DAY = 60;
const DAYS_END = 2_958_466;

/** The moment of a day's number as its wall-clock time, `2026-08-14T19:00:00`, to the millisecond. */
function wallTime(days: number, from1904: boolean): string {
  const start = from1904 ? START_1904 : START_1900;
  const shift = !from1904 && days >= NO_SUCH_DAY + 1 ? 1 : 0;
  const ms = Math.round((days - shift) * DAY_MS);
  const iso = new Date(start + ms).toISOString().slice(0, -1).replace('.000', '');
  if (from1904 || shift === 1 || days < NO_SUCH_DAY) return iso;
  return `1900-02-29${iso.slice(10)}`;
}

function numberCell(value: number, { formats, from1904 }: CellTables, style: number): Cell {
  const format = formats[style];
  if (format === undefined) return { kind: 'number', value, shown: shownGeneral(value) };
  if (format.momentsFrom === undefined) return { kind: 'number', value, shown: format.shown(value) };
  // What a person sees in place of a day that there is none of.
  if (value < 0 || value >= DAYS_END) return { kind: 'error', shown: '#####' };
  if (value < format.momentsFrom) return format.shown(value);
  const shown = format.shown(from1904 ? value + 1462 : value);
  return { kind: 'datetime', iso: wallTime(value, from1904), shown };
}

/** What a cell holds; `''` is nothing. Errors: XmlFault for what no program writes. */
export function readCell({ type, style, value = '', inline }: RawCell, tables: CellTables): Cell {
  switch (type) {
    case 's': {
      const text = tables.strings[value === '' ? -1 : Number(value)];
      if (text === undefined)
        throw new XmlFault(`a cell names the text ${JSON.stringify(value)}, which is missing`);
      return text;
    }
    case 'inlineStr':
      return decodeCellText(inline);
    case 'str':
      return decodeCellText(value);
    case 'b':
      return value.trim() === '' ? '' : { kind: 'boolean', value: /^\s*(?:1|true)\s*$/i.test(value) };
    case 'e':
      return { kind: 'error', shown: value };
    case 'd': {
      const iso = value.trim().replace(/Z$/, '');
      return iso === '' ? '' : { kind: 'datetime', iso, shown: iso.replace('T', ' ') };
    }
    case '':
    case 'n':
      return plainNumber(value, tables, style);
    default:
      throw new XmlFault(`a cell is of the unknown type ${JSON.stringify(type)}`);
  }
}

function plainNumber(value: string, tables: CellTables, style: number): Cell {
  const digits = value.trim();
  if (digits === '') return '';
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i.test(digits))
    throw new XmlFault(`a cell holds ${JSON.stringify(digits.slice(0, 40))} in the place of a number`);
  const number = Number(digits);
  if (!Number.isFinite(number)) return { kind: 'error', shown: '#NUM!' };
  return numberCell(cleanNumber(number), tables, style);
}
