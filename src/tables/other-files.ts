import { ConfigError } from '../model/error.ts';

/** A kind of file that is no table, with what to do instead. */
interface OtherFile {
  readonly what: string;
  readonly next: string;
}

const SIGNATURES: readonly (OtherFile & { readonly bytes: string })[] = [
  {
    bytes: 'd0cf11e0',
    what: 'a workbook that is protected by a password, or an old Excel workbook (.xls)',
    next: 'Save it without a password as .xlsx.',
  },
  { bytes: '25504446', what: 'a PDF document', next: 'Export the table as CSV.' },
  { bytes: '1f8b', what: 'a gzip archive', next: 'Unpack it first.' },
];

/** What the first bytes of a file show that is neither CSV nor a workbook. */
export function otherFileOf(head: Buffer): OtherFile | undefined {
  const start = head.toString('hex', 0, 4);
  return SIGNATURES.find(({ bytes }) => start.startsWith(bytes)) ?? markupOf(head.toString('utf8', 0, 1024));
}

/** The same for a text: a web page or another markup document. */
export function markupOf(text: string): OtherFile | undefined {
  if (/^\ufeff?\s*<(?:!doctype\s+html|html|head|body|table)\b/i.test(text))
    return {
      what: 'a web page (HTML), perhaps a login page',
      next: 'Download the file again while signed in.',
    };
  return /^\ufeff?\s*<\?xml\b/i.test(text)
    ? { what: 'an XML document', next: 'Open it in Excel or LibreOffice and save it as .xlsx or CSV.' }
    : undefined;
}

/** ConfigError `source.type`: the file is something else than the `wanted` kind. */
export function wrongFile(origin: string, wanted: string, { what, next }: OtherFile): ConfigError {
  return new ConfigError('source.type', `${origin}: this is ${what}, not ${wanted}`, { file: origin, next });
}
