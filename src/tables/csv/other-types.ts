import type { Buffer } from 'node:buffer';
import { ConfigError } from '../../model/error.ts';

const SIGNATURES: readonly {
  readonly bytes: readonly number[];
  readonly what: string;
  readonly next: string;
}[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    what: 'an XLSX workbook or another ZIP file',
    next: 'Name it with source: { xlsx: PATH, tab: NAME }, or export the tab as CSV.',
  },
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
    what: 'an old Excel workbook (.xls) or one that is protected by a password',
    next: 'Save it without a password as .xlsx, or export the tab as CSV.',
  },
  { bytes: [0x25, 0x50, 0x44, 0x46], what: 'a PDF document', next: 'Export the table as CSV.' },
  { bytes: [0x1f, 0x8b], what: 'a gzip archive', next: 'Unpack it first.' },
];

/** Errors: ConfigError `source.type` when the first bytes show that the file is no CSV at all. */
export function refuseOtherTypes(head: Buffer, origin: string): void {
  const known = SIGNATURES.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
  if (known !== undefined) throw otherType(origin, known.what, known.next);
}

/** Errors: ConfigError `source.type` when the text is a web page or another markup document. */
export function refuseMarkup(text: string, origin: string): void {
  if (/^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(text)) {
    throw otherType(
      origin,
      'a web page (HTML), perhaps a login page',
      'Download the file again while signed in.',
    );
  }
  if (/^\s*<\?xml\b/i.test(text)) throw otherType(origin, 'an XML document', 'Export the table as CSV.');
}

function otherType(origin: string, what: string, next: string): ConfigError {
  return new ConfigError('source.type', `${origin}: this is ${what}, not CSV`, { file: origin, next });
}
