import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { ConfigError } from '../../../src/model/error.ts';
import { textRow, workbookParts } from '../../support/workbook.ts';
import { makeZip } from '../../support/zip.ts';
import type { ZipPart } from '../../support/zip.ts';
import { readTab } from './xlsx-source.ts';

const PARTS = workbookParts({ rows: textRow(1, ['Member ID']) + textRow(2, ['u1']) });
const SHEET = 'xl/worksheets/sheet1.xml';
const EXPECTED = { header: ['Member ID'], rows: [{ rowNumber: 2, cells: ['u1'] }] };

/** The same parts with one of them changed. */
const withPart = (name: string, change: Partial<ZipPart>): readonly ZipPart[] =>
  PARTS.map((part) => (part.name === name ? { ...part, ...change } : part));

async function failure(
  content: Uint8Array,
): Promise<{ code: string; message: string; next: string | undefined }> {
  try {
    await readTab(content);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { code: error.code, message: error.message, next: error.next };
  }
  throw new Error('no error was thrown');
}

const MEGABYTE = 1024 * 1024;

describe('an archive', () => {
  it('is read whether its parts are packed or not, and with sizes of eight bytes', async () => {
    expect(await readTab(makeZip(PARTS))).toEqual(EXPECTED);
    expect(await readTab(makeZip(PARTS.map((part) => ({ ...part, stored: true }))))).toEqual(EXPECTED);
    expect(await readTab(makeZip(PARTS.map((part) => ({ ...part, zip64: true }))))).toEqual(EXPECTED);
    expect(await readTab(makeZip([{ name: 'xl/', content: '' }, ...PARTS]))).toEqual(EXPECTED);
  });

  test.each<{ what: string; parts: readonly ZipPart[]; message: string }>([
    {
      what: '96: 300 MB in 299 KB',
      parts: withPart(SHEET, { declaredBytes: 300 * MEGABYTE, content: Buffer.alloc(299 * 1024, 'x') }),
      message:
        'refused, because xl/worksheets/sheet1.xml unpacks to 300 MB, more than 200 times its packed size',
    },
    {
      what: '96: more than 100 MB in all',
      parts: [
        ...PARTS,
        ...[1, 2, 3].map((number): ZipPart => ({
          name: `xl/media/image${number}.png`,
          content: Buffer.alloc(40),
          method: 8,
          declaredBytes: 40 * MEGABYTE,
        })),
      ].map((part) =>
        part.declaredBytes === undefined ? part : { ...part, content: randomBytes(MEGABYTE) },
      ),
      message: 'refused, because it unpacks to 121 MB or more; at most 100 MB are read',
    },
    {
      what: '97: too many parts',
      parts: [...PARTS, ...Array.from({ length: 1000 }, (_, index) => ({ name: `x/${index}`, content: '' }))],
      message: 'refused, because it holds 1006 parts; a workbook has at most 1000',
    },
    ...['../evil', 'xl/../../evil', '/etc/evil', 'xl\\evil', 'C:evil'].map((name) => ({
      what: `99: the name ${name}`,
      parts: [...PARTS, { name, content: 'x' }],
      message: `refused, because the name of one of its parts leads out of it: ${JSON.stringify(name)}`,
    })),
    {
      what: 'a password',
      parts: withPart(SHEET, { flags: 1 }),
      message: 'refused, because its parts are protected by a password',
    },
  ])('is refused before anything is unpacked: $what', async ({ parts, message }) => {
    expect(await failure(makeZip(parts))).toEqual({
      code: 'source.unsafe',
      message: `season.xlsx: ${message}`,
      next: 'Look at where the file comes from. Open and save it in Excel or LibreOffice, or export the tab as CSV.',
    });
  });

  test.each<{ what: string; parts: readonly ZipPart[]; why: string }>([
    {
      what: 'more bytes than were declared',
      parts: withPart(SHEET, { declaredBytes: 100 }),
      why: `${SHEET} cannot be unpacked`,
    },
    { what: 'another checksum', parts: withPart(SHEET, { crc: 7 }), why: `${SHEET} cannot be unpacked` },
    {
      what: 'an unknown way of packing',
      parts: withPart(SHEET, { method: 12 }),
      why: `${SHEET} is packed in an unknown way`,
    },
    {
      what: 'one name twice',
      parts: [...PARTS, { name: 'XL/workbook.xml', content: '' }],
      why: 'two of its parts have the same name',
    },
    {
      what: 'a part that is missing',
      parts: PARTS.filter(({ name }) => name !== SHEET),
      why: `its part ${SHEET} is missing`,
    },
    {
      what: '98: a document type',
      parts: withPart('xl/workbook.xml', {
        content: '<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "b">]><workbook/>',
      }),
      why: 'xl/workbook.xml cannot be read, it holds a document type (DTD), which no spreadsheet program writes',
    },
    {
      what: 'bytes that are not UTF-8',
      parts: withPart(SHEET, { content: Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0x3c, 0x2f, 0x61, 0x3e]) }),
      why: `${SHEET} is not UTF-8`,
    },
  ])('is refused as damaged: $what', async ({ parts, why }) => {
    expect(await failure(makeZip(parts))).toMatchObject({
      code: 'source.damaged',
      message: `season.xlsx: the workbook is damaged: ${why}`,
      next: 'Open and save it in Excel or LibreOffice, or export the tab as CSV.',
    });
  });

  it('that is cut anywhere is refused', async () => {
    const whole = makeZip(PARTS);
    for (let length = 4; length < whole.length; length += 97)
      expect((await failure(whole.subarray(0, length))).code).toMatch(/^source\.(?:damaged|type)$/);
  });
});

describe('another kind of file is named as what it is', () => {
  test.each<{ what: string; content: Uint8Array; is: string; next: string }>([
    { what: 'nothing', content: Buffer.alloc(0), is: 'an empty file', next: 'Save the workbook again.' },
    {
      what: '94: a protected or old workbook',
      content: Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      is: 'a workbook that is protected by a password, or an old Excel workbook (.xls)',
      next: 'Save it without a password as .xlsx.',
    },
    {
      what: '95: a login page',
      content: Buffer.from('\n<!DOCTYPE html><html><body>Sign in</body></html>'),
      is: 'a web page (HTML), perhaps a login page',
      next: 'Download the file again while signed in.',
    },
    {
      what: 'CSV',
      content: Buffer.from('Member ID,Name\nu1,Ana\n'),
      is: 'a text file, such as CSV',
      next: 'Name it with source: { csv: PATH }, or give it the ending .csv.',
    },
    {
      what: 'OpenDocument',
      content: makeZip([
        { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet', stored: true },
      ]),
      is: 'an OpenDocument spreadsheet (.ods)',
      next: 'Save it as .xlsx in LibreOffice.',
    },
    {
      what: 'a binary workbook',
      content: makeZip([{ name: 'xl/workbook.bin', content: 'x' }]),
      is: 'a binary workbook (.xlsb)',
      next: 'Save it as .xlsx in Excel.',
    },
    {
      what: 'another archive',
      content: makeZip([{ name: 'readme.txt', content: 'x' }]),
      is: 'a ZIP archive without a workbook in it',
      next: 'Unpack it and name the workbook.',
    },
    {
      what: 'a picture',
      content: Buffer.from('89504e470d0a1a0a00', 'hex'),
      is: 'another kind of file',
      next: 'Save the workbook as .xlsx.',
    },
  ])('$what', async ({ content, is, next }) => {
    expect(await failure(content)).toEqual({
      code: 'source.type',
      message: `season.xlsx: this is ${is}, not an XLSX workbook`,
      next,
    });
  });
});
