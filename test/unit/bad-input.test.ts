import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/model/error.ts';
import type { Cell } from '../../src/model/tables/cell.ts';
import { createRowReader } from '../../src/mapping/rows.ts';
import { parseMappings } from '../../src/mapping/parse/parse-mappings.ts';
import { handMade, textRow } from '../support/workbook.ts';
import { hex, messagesOf, parseRows, pushMapping, readCsv, USERS } from './tables/csv-source.ts';
import { parseTab, readTab } from './tables/xlsx-source.ts';

/** Users of two columns: key and name. */
const TWO = pushMapping(USERS.replace(/ {2}is_active.*\n/, ''));
const HEADER = 'Member ID,Display name\n';

/** With its byte order mark, which says the order too. */
const utf32 = (text: string, mark: string): Buffer => {
  const bytes = Buffer.alloc(4 * text.length);
  Array.from(text, (char, at) =>
    mark.startsWith('00')
      ? bytes.writeUInt32BE(char.charCodeAt(0), 4 * at)
      : bytes.writeUInt32LE(char.charCodeAt(0), 4 * at),
  );
  return Buffer.concat([hex(mark), bytes]);
};
const utf16 = (text: string, bigEndian = false): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
};

/** The error that stops a command, as `message`, with where and what next. */
async function fileError(
  work: () => unknown,
): Promise<{ message: string; line?: number | undefined; next?: string | undefined }> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { message: error.message, line: error.place.line, next: error.next };
  }
  throw new Error('no error was thrown');
}

interface FileCase {
  readonly row: string;
  readonly input: string | Uint8Array;
  readonly message: string;
  readonly line?: number;
  readonly next?: string;
}

describe('a file that cannot be read is refused whole, with its place and a remedy', () => {
  test.each<FileCase>([
    {
      row: '4: UTF-16 without a byte order mark',
      input: utf16('Member ID,Display name\nu1,Ana\n'),
      message: 'users.csv: the file looks like UTF-16LE without a byte order mark',
      next: 'Add --encoding utf-16le, or save the file as UTF-8.',
    },
    {
      row: '4: UTF-16, the other byte order',
      input: utf16('Member ID,Display name\nu1,Ana\n', true),
      message: 'users.csv: the file looks like UTF-16BE without a byte order mark',
      next: 'Add --encoding utf-16be, or save the file as UTF-8.',
    },
    ...['FF FE 00 00', '00 00 FE FF', ''].map((mark) => ({
      row: `4: UTF-32, mark ${mark}`,
      input: utf32('Member ID,Display name\nu1,Ana\n', mark),
      message: `users.csv: the file is UTF-32${mark.startsWith('00') ? 'BE' : 'LE'} text, which cannot be read`,
      next: 'Save the file as UTF-8.',
    })),
    {
      row: '5: José in windows-1252',
      input: Buffer.concat([Buffer.from(`${HEADER}u1,Ana\nu2,`), hex('4A 6F 73 E9'), Buffer.from('\n')]),
      message: 'users.csv line 3, byte 7 (offset 36): E9 is not UTF-8',
      line: 3,
      next: 'Save the file as UTF-8; or, if "u2,José" reads right, add --encoding windows-1252.',
    },
    {
      row: '6: a character cut at the end of the file',
      input: Buffer.concat([Buffer.from(`${HEADER}u1,Jos`), hex('C3')]),
      message: 'users.csv line 2, byte 7 (offset 29): C3 is not UTF-8',
      line: 2,
    },
    {
      row: '7: a surrogate in UTF-8',
      input: Buffer.concat([Buffer.from(`${HEADER}u1,`), hex('ED A0 80'), Buffer.from('\n')]),
      message: 'users.csv line 2, byte 4 (offset 26): ED is not UTF-8',
      line: 2,
    },
    {
      row: '9: 0 bytes',
      input: '',
      message: 'users.csv: no header in row 1, the file ends before it',
      line: 1,
    },
    {
      row: '10: only a byte order mark',
      input: hex('EF BB BF'),
      message: 'users.csv: no header in row 1, the file ends before it',
      next: 'Write the column names in the first row, or name the row with header_row.',
    },
    {
      row: '19: a quote opened in line 2 of 900 and never closed',
      input: `${HEADER}u1,"Ana\n${'u2,Bo\n'.repeat(898)}`,
      message: 'users.csv line 2, column 4: a quotation mark opens a cell here and is never closed',
      line: 2,
      next: 'Put the whole cell in quotation marks and write a mark that belongs to its text twice: "x""y".',
    },
    {
      row: '19: the same, where a later line holds a quoted cell',
      input: `${HEADER}u1,"Ana\nu2,Bo\nu3,"Cy"\n`,
      message:
        'users.csv line 2, column 4: the cell that a quotation mark opens here goes on after its closing mark, at line 4, column 5',
      line: 2,
    },
    {
      row: '20: a quote inside a bare cell',
      input: `${HEADER}u1,Ana\nu2,x"y\n`,
      message:
        'users.csv line 3, column 5: a quotation mark stands inside a cell that does not begin with one',
      line: 3,
    },
    {
      row: '21: text after the closing quote',
      input: `${HEADER}u1,"x"y\n`,
      message:
        'users.csv line 2, column 4: the cell that a quotation mark opens here goes on after its closing mark, at line 2, column 7',
      line: 2,
    },
    {
      row: '27-29: a separator that is not clear',
      input: 'Member ID;Name,Active\nu1;Ana,1\n',
      message:
        'users.csv row 1: the header holds as many comma and semicolon signs, so the separator is not clear',
      next: 'Name it in the mapping: source: { ..., delimiter: ";" }.',
    },
    {
      row: '30: a,a',
      input: 'a,a\n1,2\n',
      message: 'users.csv row 1: "a" stands in columns 1 and 2 of the header',
      line: 1,
      next: 'Rename or delete one of them.',
    },
    {
      row: '31: names that differ in case and blanks',
      input: 'Name, name \n1,2\n',
      message: 'users.csv row 1: "Name" and "name" stand in columns 1 and 2 of the header',
    },
    {
      row: '32: an empty header over data',
      input: 'Member ID,,Display name\nu1,,Ana\nu2,x,Bo\n',
      message: 'users.csv row 3: column 2 holds a value, but its header is empty',
      line: 3,
      next: 'Give the column a header, or empty it.',
    },
    {
      row: '38: 5,000 columns',
      input: `${Array.from({ length: 5000 }, (_, index) => `c${index}`).join(',')}\n`,
      message: 'users.csv row 1: 5000 columns, at most 1000',
    },
    {
      row: '93: a workbook named .csv',
      input: Buffer.concat([hex('50 4B 03 04'), Buffer.alloc(40)]),
      message: 'users.csv: this is an XLSX workbook or another ZIP file, not CSV',
      next: 'Name it with source: { xlsx: PATH, tab: NAME }, give it the ending .xlsx to import it, or export the tab as CSV.',
    },
    {
      row: '94: a protected workbook',
      input: Buffer.concat([hex('D0 CF 11 E0'), Buffer.alloc(40)]),
      message:
        'users.csv: this is a workbook that is protected by a password, or an old Excel workbook (.xls), not CSV',
    },
    {
      row: '95: a login page',
      input: '\n<!DOCTYPE html>\n<html><body>Sign in</body></html>\n',
      message: 'users.csv: this is a web page (HTML), perhaps a login page, not CSV',
      next: 'Download the file again while signed in.',
    },
  ])('$row', async ({ input, message, line, next }) => {
    const error = await fileError(() => readCsv(input));
    expect(error.message).toBe(message);
    if (line !== undefined) expect(error.line).toBe(line);
    if (next !== undefined) expect(error.next).toBe(next);
  });

  test('35: a required column is missing', async () => {
    const error = await fileError(() => parseRows('Member No,Display name\nu1,Ana\n', TWO));
    expect(error.message).toBe(
      'users.csv row 1: no column "Member ID" (for external_id); the header has "Member No", "Display name"; nearest: "Member No"',
    );
    expect(error.line).toBe(1);
  });
});

describe('a file that is only unusual is read as it is meant', () => {
  const expected = [
    { rowNumber: 2, cells: ['u1', 'José'] },
    { rowNumber: 3, cells: ['u2', 'Bo'] },
  ];
  test.each<{ row: string; input: string | Uint8Array; encoding?: string }>([
    { row: '1: UTF-8 with a byte order mark', input: `\ufeff${HEADER}u1,José\nu2,Bo\n` },
    { row: '2: UTF-16, little-endian', input: utf16(`\ufeff${HEADER}u1,José\nu2,Bo\n`) },
    { row: '3: UTF-16, big-endian', input: utf16(`\ufeff${HEADER}u1,José\nu2,Bo\n`, true) },
    { row: '4: UTF-16 that is named', input: utf16(`${HEADER}u1,José\nu2,Bo\n`), encoding: 'utf-16le' },
    {
      row: '5: windows-1252 that is named',
      input: Buffer.from(`${HEADER}u1,José\nu2,Bo\n`, 'latin1'),
      encoding: 'windows-1252',
    },
    { row: '12: CR LF', input: `${HEADER}u1,José\nu2,Bo\n`.replaceAll('\n', '\r\n') },
    { row: '13: LF', input: `${HEADER}u1,José\nu2,Bo\n` },
    { row: '14: CR', input: `${HEADER}u1,José\nu2,Bo\n`.replaceAll('\n', '\r') },
    { row: '15: all three in one file', input: 'Member ID,Display name\r\nu1,José\nu2,Bo\r' },
    { row: '16: no line end at the end', input: `${HEADER}u1,José\nu2,Bo` },
    { row: '24: blank lines at the end', input: `${HEADER}u1,José\nu2,Bo\n\n\n   \n` },
    { row: '26: a row of separators', input: `${HEADER}u1,José\nu2,Bo\n,,,\n` },
    { row: '27: semicolons', input: 'Member ID;Display name\nu1;José\nu2;Bo\n' },
    { row: '28: TABs', input: 'Member ID\tDisplay name\nu1\tJosé\nu2\tBo\n' },
    { row: '28: bars', input: 'Member ID|Display name\nu1|José\nu2|Bo\n' },
    {
      row: '29: sep=; in the first line, which a spreadsheet hides',
      input: 'sep=;\nMember ID;Display name\nu1;José\nu2;Bo\n',
    },
  ])('$row', async ({ input, encoding }) => {
    const { header, rows } = await readCsv(input, encoding === undefined ? {} : { encoding });
    expect(header).toEqual(['Member ID', 'Display name']);
    expect(rows).toEqual(expected);
  });

  test('18: a doubled quote is one', async () => {
    expect((await readCsv(`${HEADER}u1,"a""b"\n`)).rows[0]?.cells).toEqual(['u1', 'a"b']);
  });

  test('25: a blank line in the middle is skipped and counted; quoted line breaks count', async () => {
    const { rows } = await readCsv(`${HEADER}u1,Ana\n\nu2,"B\r\no"\nu3,Cy\n`);
    expect(rows.map(({ rowNumber }) => rowNumber)).toEqual([2, 4, 6]);
  });

  test('33: an empty header over an empty column is ignored', async () => {
    const rows = await parseRows('Member ID,Display name,\nu1,Ana,\n', TWO);
    expect(rows[0]).toMatchObject({
      status: 'valid',
      fields: { external_id: 'u1', display_name: 'Ana' },
      issues: [],
    });
  });

  test('34: a column that the mapping does not use is one warning', () => {
    const reader = createRowReader(TWO, ['Member ID', 'Display name', 'Club', 'Town'], {
      allowKeyShape: false,
      variable: () => undefined,
    });
    expect(reader.warnings).toEqual([
      {
        code: 'header.extra',
        severity: 'warning',
        message: 'columns "Club", "Town" are not used by the mapping',
      },
    ]);
  });

  test.each(['Member Id', 'memberid', 'Member\u00a0 ID'])(
    '35: a header that is %s is taken, with a warning',
    async (name) => {
      const rows = await parseRows(`${name},Display name\nu1,Ana\n`, TWO);
      expect(rows[0]?.fields).toEqual({ external_id: 'u1', display_name: 'Ana' });
      const reader = createRowReader(TWO, [name, 'Display name'], {
        allowKeyShape: false,
        variable: () => undefined,
      });
      expect(reader.warnings.map(({ code, message }) => [code, message.replace(/<.*>/, '')])).toEqual([
        ['header.alike', `column "${name.replace('\u00a0', '')}" is taken for "Member ID"`],
      ]);
    },
  );

  test('35: two headers that look like the wanted one are an error that names both', async () => {
    expect(await fileError(() => parseRows('MemberID,Member  ID,Display name\nu1,u2,Ana\n', TWO))).toEqual({
      message: 'users.csv row 1: no column "Member ID", and "MemberID" and "Member  ID" both look like it',
      line: 1,
      next: 'Name the right one "Member ID", or name it in the mapping.',
    });
  });

  test('35: a header that another column names as it is is taken for no other', async () => {
    const mapping = pushMapping(
      USERS.replace('from: Display name', 'from: [name, NAME 2]').replace('from: Active', 'from: Name'),
    );
    const rows = await parseRows('Member ID,Name\nu1,TRUE\n', mapping);
    expect(rows[0]?.fields).toEqual({ external_id: 'u1', is_active: true });
  });

  test('35: of several names, one that stands there as it is comes first', async () => {
    const mapping = pushMapping(USERS.replace('from: Display name', 'from: [Display name, Name]'));
    const rows = await parseRows('Member ID,display name,Name\nu1,x,Ana\n', mapping);
    expect(rows[0]?.fields).toEqual({ external_id: 'u1', display_name: 'Ana' });
  });

  test('36: headers with the names of object members are plain columns', async () => {
    const mapping = pushMapping(
      USERS.replace('Member ID', 'constructor')
        .replace('Display name', '__proto__')
        .replace('Active', 'toString'),
    );
    const rows = await parseRows('__proto__,constructor,toString\npolluted,u1,TRUE\n', mapping);
    expect(rows[0]?.fields).toEqual({ external_id: 'u1', display_name: 'polluted', is_active: true });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

interface RowCase {
  readonly row: string;
  readonly csv: string;
  /** The whole message, or none. */
  readonly messages: readonly string[];
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly yaml?: string;
}

async function checkRow({ csv, messages, fields, yaml }: RowCase): Promise<void> {
  const mapping = yaml === undefined ? TWO : pushMapping(yaml);
  const rows = await parseRows(csv, mapping);
  expect(messagesOf(rows, mapping.source.origin)).toEqual(messages);
  const invalid = rows.some(({ issues }) => issues.some(({ severity }) => severity === 'error'));
  expect(rows.some(({ status }) => status === 'invalid')).toBe(invalid);
  if (fields === undefined) expect(rows[0]?.fields).toBeNull();
  else expect(rows[0]?.fields).toEqual(fields);
}

const KEY = 'users.csv row 2, column "Member ID":';
const NAME = 'users.csv row 2, column "Display name":';
const longName = (count: number): string => 'n'.repeat(count);

/** Text as tag characters, which no screen shows. */
const tags = (text: string): string =>
  Array.from(text, (char) => String.fromCodePoint(0xe0000 + (char.codePointAt(0) ?? 0))).join('');

const nameOf = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
const shownUnseen = (text: string): string => Array.from(text, (char) => `<${nameOf(char)}>`).join('');

/** Characters that are drawn as nothing. */
const UNSEEN = [
  ...[
    '\u3164',
    '\u115f',
    '\uffa0',
    '\u2800',
    '\u034f',
    '\u17b4',
    '\u00ad',
    '\ufe0f',
    '\u{e0100}',
    '\u{e0041}',
  ],
  ...['\u{1d159}', '\u{13441}', '\u{16fe4}'],
];

/** England, Scotland and Wales: a black flag, tags and their end. */
const FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((region) => `\u{1f3f4}${tags(region)}\u{e007f}`);

describe('keys and names of users', () => {
  const takes = (
    row: string,
    line: string,
    external_id: string,
    display_name: string,
    ...messages: readonly string[]
  ): RowCase => ({ row, csv: `${HEADER}${line}\n`, messages, fields: { external_id, display_name } });
  const refuses = (row: string, line: string, message: string): RowCase => ({
    row,
    csv: `${HEADER}${line}\n`,
    messages: [message],
  });
  test.each<RowCase>([
    refuses('8: NUL', 'u1,a\0b', `${NAME} holds a NUL character (U+0000); delete it`),
    refuses(
      '17: a line break in a name',
      'u1,"Ana\nLima"',
      `${NAME} "Ana<U+000A>Lima" holds a line break; delete it, or set allow_newlines: true on the column`,
    ),
    {
      row: '17: allowed by the mapping',
      csv: `${HEADER}u1,"Ana\nLima"\n`,
      yaml: USERS.replace('from: Display name', 'from: Display name, allow_newlines: true').replace(
        / {2}is_active.*\n/,
        '',
      ),
      messages: [],
      fields: { external_id: 'u1', display_name: 'Ana\nLima' },
    },
    {
      row: '22: a short row',
      csv: 'Member ID,Display name,A,B\nu1,Ana,x\n',
      messages: ['users.csv row 2: expected 4 cells, got 3; add the missing separators'],
    },
    {
      row: '23: a long row',
      csv: `${HEADER}u1,Lima, Ana\n`,
      messages: [
        'users.csv row 2: expected 2 cells, got 3; put a cell that holds the separator in quotation marks',
      ],
    },
    refuses(
      '37: a cell of 10 MB',
      `u1,${longName(10 * 1024 * 1024)}`,
      `${NAME} 10485760 characters, at most 50`,
    ),
    takes('40: zeros before a key', '00123,Ana', '00123', 'Ana'),
    takes('43: digits past 2^53 as text', '9007199254740993,Ana', '9007199254740993', 'Ana'),
    ...['1E+05', '123.0', '2-Mar', 'TRUE'].map((key) => ({
      row: `44-46: ${key}`,
      csv: `${HEADER}${key},Ana\n`,
      messages: [
        `${KEY} "${key}" looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape`,
      ],
    })),
    takes(
      '47: blanks around a key',
      ' u1 ,Ana',
      'u1',
      'Ana',
      `${KEY} the blanks around " u1 " were left out`,
    ),
    takes(
      '48: a no-break space after a key',
      'u1\u00a0,Ana',
      'u1',
      'Ana',
      `${KEY} the blanks around "u1<U+00A0>" were left out`,
    ),
    ...['\u200b', '\u202e', '\ufeff'].map((char, index) => {
      const name = ['U+200B', 'U+202E', 'U+FEFF'][index] ?? '';
      return {
        row: `${49 + index}: ${name} in a key`,
        csv: `${HEADER}u${char}1,Ana\n`,
        messages: [`${KEY} "u<${name}>1" holds ${name}, which cannot be seen; delete it`],
      };
    }),
    ...UNSEEN.map((char) => {
      const name = nameOf(char);
      return {
        row: `49-51: ${name}, drawn as nothing, in a key`,
        csv: `${HEADER}u${char}1,Ana\n`,
        messages: [`${KEY} "u<${name}>1" holds ${name}, which cannot be seen; delete it`],
      };
    }),
    refuses(
      '49-51: a key of nothing that can be seen',
      '\u3164,Ana',
      `${KEY} "<U+3164>" holds U+3164, which cannot be seen; delete it`,
    ),
    ...[...UNSEEN, '\u200b'].map((sign) => ({
      row: `86: a display name of ${shownUnseen(sign)} alone`,
      csv: `${HEADER}u1,${sign} ${sign}\n`,
      messages: [
        `users.csv row 2, column "Display name": "${shownUnseen(sign)} ${shownUnseen(sign)}" holds nothing that can be seen; fill it in`,
      ],
    })),
    ...[...FLAGS, '\u2764\ufe0f', '葛\u{e0100}城'].map((sign) => ({
      row: `52: ${sign} in a name`,
      csv: `${HEADER}u1,${sign} Ana\n`,
      messages: [],
      fields: { external_id: 'u1', display_name: `${sign} Ana` },
    })),
    refuses(
      '52: tags without a flag in a name',
      `u1,Ana${tags('hi')}`,
      `${NAME} "Ana<U+E0068><U+E0069>" holds the tag character U+E0068, which cannot be seen; delete it`,
    ),
    refuses(
      '52: a flag whose tags do not end',
      `u1,\u{1f3f4}${tags('gbeng')}`,
      `${NAME} "\u{1f3f4}${shownUnseen(tags('gbeng'))}" holds the tag character U+E0067, which cannot be seen; delete it`,
    ),
    refuses(
      '52: a flag with a longer text than a country has',
      `u1,\u{1f3f4}${tags('gbengland')}\u{e007f}`,
      `${NAME} "\u{1f3f4}${shownUnseen(tags('gbengland'))}<U+E007F>" holds the tag character U+E0067, which cannot be seen; delete it`,
    ),
    takes('52: joined emoji in a name', 'u1,👩‍🚀 Ana', 'u1', '👩‍🚀 Ana'),
    refuses(
      '52: a turned writing direction in a name',
      'u1,\u202eanA',
      `${NAME} "<U+202E>anA" holds the control character U+202E; delete it`,
    ),
    refuses('59: an empty key', ',Ana', `${KEY} empty; every row needs its external_id`),
    ...['#N/A', '#REF!', '#NV', '#BEZUG!', '#¿NOMBRE?', 'Err:502', '####', 'Loading...'].map((error) => ({
      row: `60: ${error}`,
      csv: `${HEADER}${error},Ana\n`,
      messages: [`${KEY} holds the spreadsheet error ${error}; correct its formula, or write the value`],
    })),
    ...['#WERT!', '#VALEUR!', '#N/D', ' #NV '].map((error) => ({
      row: `60: ${error} as a name`,
      csv: `${HEADER}u1,${error}\n`,
      messages: [
        `${NAME} holds the spreadsheet error ${error.trim()}; correct its formula, or write the value`,
      ],
    })),
    {
      row: '60: #DIV/0! in a column of which only the digits are read',
      csv: `${HEADER}u1,#DIV/0!\n`,
      yaml: USERS.replace('Display name }', 'Display name, transform: [digits] }'),
      messages: [`${NAME} holds the spreadsheet error #DIV/0!; correct its formula, or write the value`],
    },
    takes('60: a name that only begins like an error', 'u1,#NVA!', 'u1', '#NVA!'),
    takes('60: a name that only begins as what waits for its values', 'u1,Loading', 'u1', 'Loading'),
    ...['null', 'NULL', 'N/A'].map((word) => ({
      row: `61: ${word} as a key`,
      csv: `${HEADER}${word},Ana\n`,
      messages: [`${KEY} "${word}" is not a key; write the real one, or delete the row`],
    })),
    takes(
      '61: N/A as a name',
      'u1,N/A',
      'u1',
      'N/A',
      `${NAME} "N/A" is sent as a text; empty the cell if it means nothing`,
    ),
    takes('62: 50 characters', `u1,${longName(50)}`, 'u1', longName(50)),
    refuses('63: 51 characters', `u1,${longName(51)}`, `${NAME} 51 characters, at most 50`),
    refuses(
      '63: 49 characters that take 51 units',
      `u1,${longName(47)}👩🚀`,
      `${NAME} 51 UTF-16 units (49 characters, some of which take two), at most 50`,
    ),
    {
      row: '63: lifted by the column',
      csv: `${HEADER}u1,${longName(51)}\n`,
      yaml: USERS.replace('from: Display name', 'from: Display name, max_length: 60').replace(
        / {2}is_active.*\n/,
        '',
      ),
      messages: [],
      fields: { external_id: 'u1', display_name: longName(51) },
    },
    takes(
      '64: a formula as a name',
      'u1,"=HYPERLINK(""http://x"",""y"")"',
      'u1',
      '=HYPERLINK("http://x","y")',
    ),
    refuses(
      '5: U+FFFD is never sent',
      'u1,Jos\ufffd',
      `${NAME} "Jos<U+FFFD>" holds U+FFFD, the mark of a character that was lost; type it again`,
    ),
  ])('$row', checkRow);

  test('44-46: --allow-key-shape takes the key as it is', async () => {
    const rows = await parseRows(`${HEADER}1E+05,Ana\n`, TWO, { allowKeyShape: true });
    expect(rows[0]).toMatchObject({ status: 'valid', key: '1E+05' });
  });

  test('54: composed and decomposed letters are one key', async () => {
    const rows = await parseRows(`${HEADER}é1,Ana\ne\u03011,Bo\n`, TWO);
    expect(rows.map(({ key }) => key)).toEqual(['é1', 'é1']);
  });

  test('57-58: keys that look alike are distinct and fold to one', async () => {
    const rows = await parseRows(`${HEADER}Ua1,Ana\nua1,Bo\nu\u04301,Cy\n`, TWO);
    expect(rows.map(({ key }) => key)).toEqual(['Ua1', 'ua1', 'u\u04301']);
    expect(rows.map(({ folded }) => folded)).toEqual(['ua1', 'ua1', 'ua1']);
  });
});

describe('truth values', () => {
  const csv = (cell: string): string => `Member ID,Display name,Active\nu1,Ana,${cell}\n`;
  test.each([
    ['TRUE', true],
    ['true', true],
    ['1', true],
    ['FALSE', false],
    ['0', false],
  ] as const)('81: %s', async (cell, value) => {
    expect((await parseRows(csv(cell)))[0]?.fields).toMatchObject({ is_active: value });
  });
  test('81: blank leaves the field alone', async () => {
    expect((await parseRows(csv('')))[0]?.fields).toEqual({ external_id: 'u1', display_name: 'Ana' });
  });
  test('81: yes, unless it is mapped', async () => {
    expect(messagesOf(await parseRows(csv('yes')))).toEqual([
      'users.csv row 2, column "Active": "yes" is neither true nor false; write TRUE or FALSE, or name it in true_values or false_values',
    ]);
    const mapped = pushMapping(USERS.replace('type: boolean', 'type: boolean, true_values: [yes, x]'));
    expect((await parseRows(csv('Yes'), mapped))[0]?.fields).toMatchObject({ is_active: true });
    const refused = async (words: string): Promise<readonly string[]> =>
      messagesOf(
        await parseRows(csv('maybe'), pushMapping(USERS.replace('type: boolean', `type: boolean, ${words}`))),
      );
    const says = (write: string): string =>
      `users.csv row 2, column "Active": "maybe" is neither true nor false; write ${write}`;
    expect(await refused('true_values: [yes, x], false_values: [no]')).toEqual([says('yes, x or no')]);
    expect(await refused('true_values: [yes]')).toEqual([says('yes or FALSE')]);
    expect(await refused('false_values: [no]')).toEqual([says('TRUE or no')]);
  });
});

const PRICES = `
name: prices
push: prices
source: { csv: prices.csv }
operation: append
columns:
  fantasy_league_id: { value: "\${fantasy_league_id}" }
  player_id: { from: Player ID, type: integer }
  price: { from: Price, type: number, min: 0.1, scale: 3 }
  type: { value: "\${price_type}" }
`;
const price = (cell: string, id = '7'): string => `Player ID;Price\n${id};${cell}\n`;
const PRICE = 'prices.csv row 2, column "Price":';
const PLAYER = 'prices.csv row 2, column "Player ID":';
const priced = (value: number): Readonly<Record<string, unknown>> => ({
  fantasy_league_id: 1,
  player_id: 7,
  price: value,
  type: 'initial',
});
const german = PRICES.replace('csv: prices.csv', 'csv: prices.csv, locale: de');
const english = PRICES.replace('csv: prices.csv', 'csv: prices.csv, locale: en');
const unscaled = PRICES.replace(', scale: 3', '');

describe('numbers', () => {
  const takes = (row: string, cell: string, value: number, yaml = PRICES): RowCase => ({
    row,
    csv: price(cell),
    yaml,
    messages: [],
    fields: priced(value),
  });
  const refuses = (row: string, cell: string, why: string, yaml = PRICES): RowCase => ({
    row,
    csv: price(cell),
    yaml,
    messages: [`${PRICE} ${why}`],
  });
  const refusesPlayer = (row: string, id: string, why: string): RowCase => ({
    row,
    csv: price('7', id),
    yaml: PRICES,
    messages: [`${PLAYER} ${why}`],
  });
  test.each<RowCase>([
    takes('65: 7.5', '7.5', 7.5),
    refuses('66: 7,5', '7,5', '"7,5" is not a number; write 7.5, or set locale: de on the source'),
    takes('66: 7,5 with locale: de', '7,5', 7.5, german),
    refuses(
      '66: 7.5 with locale: de',
      '7.5',
      '"7.5" is not a number; write 7,5, or set locale: en on the source',
      german,
    ),
    refuses(
      '67: 1,234.50',
      '1,234.50',
      '"1,234.50" is not clear; write it without thousands separators, or set locale: en on the source',
    ),
    takes('67: 1,234.50 with locale: en', '1,234.50', 1234.5, english),
    refuses(
      '68: 1.234,50',
      '1.234,50',
      '"1.234,50" is not a number; write 1234.50, or set locale: de on the source',
    ),
    takes('68: 1.234,50 with locale: de', '1.234,50', 1234.5, german),
    refuses(
      '68: 0.500 with locale: de',
      '0.500',
      '"0.500" is not a number; write 0,500, or set locale: en on the source',
      german,
    ),
    refuses(
      '68: 0,075 with locale: en',
      '0,075',
      '"0,075" is not a number; write 0.075, or set locale: de on the source',
      english,
    ),
    ...['$7.5', '7.5m', 'NaN', 'Infinity', '0x10', '1_000', '１２'].map((cell) =>
      refuses(
        `69-71: ${cell}`,
        cell,
        `"${cell}" is not a number; write digits with a decimal point, such as 7.5, and nothing else`,
      ),
    ),
    refuses('70: 1e400', '1e400', '"1e400" is not a number; write all its digits'),
    refuses('72: an empty price', '', 'empty; fill it in'),
    takes('73: all digits are kept', '7.123456789', 7.123456789, unscaled),
    takes('73: as many decimals as the scale, and zeros after them', '7.12500', 7.125),
    refuses('73: one decimal more', '7.1251', '"7.1251" has 4 decimals, at most 3'),
    refuses('73: more decimals than the scale', '7.123456789', '"7.123456789" has 9 decimals, at most 3'),
    refuses(
      '73: more digits than a number carries',
      '7.12345678901234567',
      '"7.12345678901234567" has too many digits, only 15 digits are exact',
      unscaled,
    ),
    refusesPlayer('74: 12.5', '12.5', '"12.5" is not a whole number; correct it'),
    refusesPlayer(
      '74: a whole number with a decimal comma',
      '"12,0"',
      '"12,0" is not a number; write digits only, such as 12',
    ),
    refusesPlayer('75: 0', '0', '0 is too small, at least 1'),
    refusesPlayer('75: -1', '-1', '-1 is too small, at least 1'),
    refusesPlayer(
      '76: 2^53',
      '9007199254740992',
      '"9007199254740992" has too many digits, at most 9007199254740991',
    ),
    refuses('65: below the least', '0.05', '0.05 is too small, at least 0.1'),
  ])('$row', checkRow);
});

describe('points configurations', () => {
  const POINTS = `
name: points
push: points_config
source: { csv: points.csv }
operation: set
columns: auto
`;
  const check = async (field: string, cell: string): Promise<readonly string[]> => {
    const mapping = pushMapping(POINTS);
    const reader = createRowReader(mapping, await fieldNames(), {
      allowKeyShape: false,
      variable: () => undefined,
    });
    const cells = reader.header.map((name) => (name === field ? cell : '10'));
    return messagesOf(reader.read([{ rowNumber: 2, cells }]), 'points.csv');
  };
  const fieldNames = async (): Promise<readonly string[]> =>
    Object.keys((await import('../../src/contract/index.ts')).resources.points_config.push.fields);

  test.each([
    ['77: eligibility 0', 'clean_sheet_eligibility_minutes', '0', ['0 is too small, at least 1']],
    ['77: eligibility 91', 'time_onfield_eligibility_minutes', '91', ['91 is too large, at most 90']],
    ['78: eligibility 1', 'clean_sheet_eligibility_minutes', '1', []],
    ['78: eligibility 90', 'time_onfield_eligibility_minutes', '90', []],
    ['79: points 1.5', 'starter_points', '1.5', ['"1.5" is not a whole number; correct it']],
    ['80: points per goal conceded', 'defender_goal_concede_points', '-0.5', []],
  ] as const)('%s', async (_, field, cell, messages) => {
    expect(await check(field, cell)).toEqual(
      messages.map((message) => `points.csv row 2, column "${field}": ${message}`),
    );
  });
});

describe('squads', () => {
  const SQUADS = `
name: squads
push: squads
source: { csv: squads.csv }
operation: create
columns:
  fantasy_league_id: { value: 1 }
  user_id: { from: User }
  name: { from: Squad name }
  players_in: { from: Players, split: ";" }
`;
  const csv = (name: string, players: string): string => `User,Squad name,Players\n3,${name},${players}\n`;
  const at = (column: string): string => `squads.csv row 2, column "${column}":`;
  const takes = (
    row: string,
    table: string,
    name: string,
    players_in: readonly number[],
    ...messages: readonly string[]
  ): RowCase => {
    const fields = { fantasy_league_id: 1, user_id: 3, name, players_in };
    return { row, csv: table, yaml: SQUADS, messages, fields };
  };
  const refuses = (row: string, table: string, message: string): RowCase => ({
    row,
    csv: table,
    yaml: SQUADS,
    messages: [message],
  });
  test.each<RowCase>([
    takes('82: a list', csv('Harbour XI', '1;2;3'), 'Harbour XI', [1, 2, 3]),
    refuses(
      '83: a player twice',
      csv('Harbour XI', '1;1'),
      `${at('Players')} 1 stands in the list twice; delete one`,
    ),
    takes('52: joined emoji in the name of a squad', csv('👩‍🚀 XI', '1'), '👩‍🚀 XI', [1]),
    takes(
      '47: blanks around the name of a squad',
      csv(' Hill XI ', '1'),
      'Hill XI',
      [1],
      `${at('Squad name')} the blanks around " Hill XI " were left out`,
    ),
    refuses('84: no players', csv('Harbour XI', ''), `${at('Players')} empty; fill it in`),
    refuses(
      '84: another separator than that of the mapping',
      csv('Harbour XI', '"10,200"'),
      `${at('Players')} "10,200" is not one number; separate the numbers by ";"`,
    ),
    refuses('85: a short name', csv('ab', '1'), `${at('Squad name')} "ab" has 2 characters, at least 3`),
    refuses(
      '85: a name short of characters, not of units',
      csv('a🚀', '1'),
      `${at('Squad name')} "a🚀" has 2 characters (3 UTF-16 units), at least 3`,
    ),
    refuses('86: a name of blanks', csv('"   "', '1'), `${at('Squad name')} empty; every row needs its name`),
    ...[...UNSEEN, '\u200b', '\u200d\u200d'].map((sign) =>
      refuses(
        `86: a name of ${shownUnseen(sign)} alone`,
        csv(sign.repeat(3), '1'),
        `${at('Squad name')} "${shownUnseen(sign.repeat(3))}" holds nothing that can be seen; fill it in`,
      ),
    ),
  ])('$row', checkRow);
});

describe('leagues', () => {
  test('86: a name of nothing that can be seen', () =>
    checkRow({
      row: '86',
      csv: 'League\n\u3164\n',
      yaml: `
name: leagues
push: fantasy_leagues
source: { csv: leagues.csv }
operation: create
columns:
  name: { from: League }
  league_id: { value: 1 }
`,
      messages: ['leagues.csv row 2, column "League": "<U+3164>" holds nothing that can be seen; fill it in'],
    }));
});

describe('dates', () => {
  const dated = (format: string): string =>
    USERS.replace('from: Display name', `from: Display name, type: datetime${format}`).replace(
      / {2}is_active.*\n/,
      '',
    );
  test.each([
    [
      '87: 01/02/2026',
      '',
      '01/02/2026',
      'UTC',
      '"01/02/2026" is not a date as expected; write yyyy-mm-dd hh:mm, or name its format in the mapping',
    ],
    [
      '88: an hour that the clocks leap over',
      '',
      '2026-03-29 02:30',
      'Europe/Berlin',
      '"2026-03-29 02:30" does not exist in Europe/Berlin: the clocks go forward over it; correct it',
    ],
    [
      '88: an hour that comes twice',
      '',
      '2026-10-25 02:30',
      'Europe/Berlin',
      '"2026-10-25 02:30" happens twice in Europe/Berlin: the clocks go back over it; add the offset, such as 2026-10-25T02:30+02:00',
    ],
    [
      '88: a day that no month has',
      '',
      '2026-02-29',
      'UTC',
      '"2026-02-29" is not a date of the calendar; correct it',
    ],
  ])('%s', async (_, format, cell, timezone, message) => {
    const rows = await parseRows(`${HEADER}u1,${cell}\n`, pushMapping(dated(format)), { timezone });
    expect(messagesOf(rows)).toEqual([`${NAME} ${message}`]);
  });
  test.each([
    ['87: with a format', ', format: dd/mm/yyyy', '01/02/2026', 'UTC', '2026-02-01T00:00:00Z'],
    ['88: summer time', '', '2026-07-01 12:00', 'Europe/Berlin', '2026-07-01T10:00:00Z'],
    [
      '88: an hour that comes twice, with its offset',
      '',
      '2026-10-25T02:30+01:00',
      'Europe/Berlin',
      '2026-10-25T01:30:00Z',
    ],
  ])('%s', async (_, format, cell, timezone, iso) => {
    const rows = await parseRows(`${HEADER}u1,${cell}\n`, pushMapping(dated(format)), { timezone });
    expect(rows[0]?.fields).toEqual({ external_id: 'u1', display_name: iso });
  });
});

describe('typed cells of a spreadsheet in a key column', () => {
  const read = (
    cell: Cell,
    allowKeyShape = false,
  ): { key: string | null | undefined; messages: readonly string[] } => {
    const reader = createRowReader(TWO, ['Member ID', 'Display name'], {
      allowKeyShape,
      variable: () => undefined,
    });
    const rows = reader.read([{ rowNumber: 2, cells: [cell, 'Ana'] }]);
    return { key: rows[0]?.key, messages: messagesOf(rows) };
  };
  const plain = 'format the column as plain text';
  test.each<[string, Cell, string | null, readonly string[]]>([
    ['41: 1001 shown so', { kind: 'number', value: 1001, shown: '1001' }, '1001', []],
    [
      '41: shown with zeros',
      { kind: 'number', value: 123, shown: '00123' },
      null,
      [`"00123" is a number shown in another form; ${plain}`],
    ],
    [
      '41: shown with a comma',
      { kind: 'number', value: 1001, shown: '1,001' },
      null,
      [`"1,001" is a number shown in another form; ${plain}`],
    ],
    [
      '41: shown with an exponent',
      { kind: 'number', value: 1e5, shown: '1E+05' },
      null,
      [`"1E+05" is a number shown in another form; ${plain}`],
    ],
    [
      '41: not whole',
      { kind: 'number', value: 12.5, shown: '12.5' },
      null,
      ['"12.5" looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape'],
    ],
    [
      '42: a number past 2^53',
      { kind: 'number', value: 9007199254740992 },
      null,
      [
        `"9007199254740992" is a number beyond 9007199254740991 and may have lost digits; ${plain} and type it again`,
      ],
    ],
    [
      '46: a date',
      { kind: 'datetime', iso: '2026-03-02T00:00:00Z', shown: '2-Mar' },
      null,
      ['"2-Mar" looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape'],
    ],
    [
      '46: TRUE',
      { kind: 'boolean', value: true },
      null,
      ['"TRUE" looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape'],
    ],
    [
      '60: an error cell',
      { kind: 'error', shown: '#N/A' },
      null,
      ['holds the spreadsheet error #N/A; correct its formula, or write the value'],
    ],
    ['53: half a character', 'u\ud8001', null, ['"u<U+D800>1" holds half of a character; type it again']],
  ])('%s', (_, cell, key, messages) => {
    expect(read(cell)).toEqual({ key, messages: messages.map((message) => `${KEY} ${message}`) });
  });
  test('41: --allow-key-shape takes what is shown', () => {
    expect(read({ kind: 'number', value: 123, shown: '00123' }, true)).toEqual({
      key: '00123',
      messages: [],
    });
  });
});

describe('mapping files', () => {
  const parse = (text: string): unknown =>
    parseMappings(text, 'mappings/users.yaml', {
      variable: () => undefined,
      resolvePath: (path) => path,
      readLayout: (file) => ({ file, text: 'version: 1' }),
    });
  const withColumn = (column: string): string =>
    `version: 1${USERS.replace('{ from: Display name }', column)}`;
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, index) => {
    const [name, before] = [String.fromCharCode(98 + index), String.fromCharCode(97 + index)];
    return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(',')}]`;
  }).join('\n')}\n`;

  test.each([
    [
      '104: an alias bomb',
      bomb,
      'mappings/users.yaml:1:1: more values than a mapping or layout can need, aliases counted',
    ],
    [
      '104: an alias of itself',
      'version: 1\nname: &x [*x]\n',
      'mappings/users.yaml:1:1: nested more than 32 levels deep',
    ],
    [
      '105: a key twice',
      'version: 1\nname: users\nname: members\n',
      'mappings/users.yaml:3:1: the key "name" stands twice in this map',
    ],
    [
      '106: default: 00123',
      withColumn('{ from: Display name, default: 00123 }'),
      'mappings/users.yaml:8:48: YAML reads 00123 as 123; put it in quotes: "00123"',
    ],
    [
      '107: !!js/function',
      'version: 1\nname: !!js/function "function () {}"\n',
      'mappings/users.yaml:2:7: tags are not allowed: Unresolved tag: tag:yaml.org,2002:js/function',
    ],
    [
      '108: 100,000 brackets',
      '['.repeat(100_000),
      'mappings/users.yaml:1:65: nested more than 32 levels deep; a mapping needs six',
    ],
    [
      '108: 100,000 list marks',
      `${'- '.repeat(100_000)}x`,
      'mappings/users.yaml:1:1: nested more than 32 levels deep; a mapping needs six',
    ],
    [
      '109: 20 MB',
      `# ${'x'.repeat(20 * 1024 * 1024)}`,
      'mappings/users.yaml:1:1: the file is larger than 1 MiB; a mapping is a few hundred lines at most',
    ],
  ])('%s', async (_, text, message) => {
    expect((await fileError(() => parse(text))).message).toBe(message);
  });
});

describe('workbooks', () => {
  const MAPPING = pushMapping(
    USERS.replace('{ csv: users.csv }', '{ xlsx: season.xlsx, tab: Users }').replace(/ {2}is_active.*\n/, ''),
  );
  const KEY_CELL = 'season.xlsx tab "Users" row 2, column "Member ID":';
  const FORMATS = ['00000', '#,##0', '0E+00', 'd-mmm', '@'];
  const keyed = (key: string, after = ''): Uint8Array => {
    const name = '<c r="B2" t="inlineStr"><is><t>Ana</t></is></c>';
    const rows = `<sheetData>${textRow(1, ['Member ID', 'Display name'])}<row r="2">${key}${name}</row></sheetData>`;
    return handMade({ tabs: { Users: rows + after }, formats: FORMATS });
  };
  const messages = async (content: Uint8Array): Promise<readonly string[]> =>
    messagesOf(await parseTab(content, MAPPING), MAPPING.source.origin);

  test.each<[row: string, cell: string, key: string | undefined]>([
    ['41: a number shown as its digits', '<c r="A2"><v>1001</v></c>', '1001'],
    ['41: a number in a text column', '<c r="A2" s="5"><v>1001</v></c>', '1001'],
    ['92: text that begins with a zero', '<c r="A2" t="inlineStr"><is><t>00123</t></is></c>', '00123'],
    ['100: rich text', '<c r="A2" t="inlineStr"><is><r><t>u</t></r><r><t>1</t></r></is></c>', 'u1'],
    ['101: the result of a formula', '<c r="A2" t="str"><f>"u"&amp;1</f><v>u1</v></c>', 'u1'],
  ])('%s is a key', async (_, cell, key) => {
    const [row] = await parseTab(keyed(cell), MAPPING);
    expect(row?.fields?.['external_id']).toBe(key);
    expect(row?.issues).toEqual([]);
  });

  test.each<[row: string, cell: string, message: string]>([
    [
      '41: zeros by format',
      '<c r="A2" s="1"><v>123</v></c>',
      '"00123" is a number shown in another form; format the column as plain text',
    ],
    [
      '41: thousands by format',
      '<c r="A2" s="2"><v>1001</v></c>',
      '"1,001" is a number shown in another form; format the column as plain text',
    ],
    [
      '41: a power of ten by format',
      '<c r="A2" s="3"><v>100000</v></c>',
      '"1E+05" is a number shown in another form; format the column as plain text',
    ],
    [
      '42: a number beyond the exact ones',
      '<c r="A2"><v>9007199254740993</v></c>',
      '"9.0072E+15" is a number beyond 9007199254740991 and may have lost digits; format the column as plain text and type it again',
    ],
    [
      '46: a day',
      '<c r="A2" s="4"><v>46083</v></c>',
      '"2-Mar" looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape',
    ],
    [
      '46: a truth value',
      '<c r="A2" t="b"><v>1</v></c>',
      '"TRUE" looks changed by a spreadsheet; write it as plain text, or add --allow-key-shape',
    ],
    ['59: nothing', '<c r="A2"/>', 'empty; every row needs its external_id'],
    [
      '101: an error',
      '<c r="A2" t="e"><v>#REF!</v></c>',
      'holds the spreadsheet error #REF!; correct its formula, or write the value',
    ],
    [
      '101: a formula that nobody calculated',
      '<c r="A2"><f>1+1</f></c>',
      'A2 holds a formula without a stored result; open and save the file in Excel or LibreOffice',
    ],
    ['8: NUL', '<c r="A2" t="str"><v>a_x0000_b</v></c>', 'holds a NUL character (U+0000); delete it'],
  ])('%s in a key is a row error', async (_, cell, message) => {
    expect(await messages(keyed(cell))).toEqual([`${KEY_CELL} ${message}`]);
  });

  test('90: merged cells in a key are a row error, and elsewhere nothing', async () => {
    const cell = '<c r="A2" t="inlineStr"><is><t>u1</t></is></c>';
    const merged = (range: string): string => `<mergeCells><mergeCell ref="${range}"/></mergeCells>`;
    expect(await messages(keyed(cell, merged('A2:A3')))).toEqual([
      `${KEY_CELL} is part of the merged cells A2:A3, so whose value it is cannot be told; unmerge them`,
    ]);
    expect(await messages(keyed(cell, merged('D2:E2')))).toEqual([]);
  });

  test('38: 5,000 columns', async () => {
    const cells = Array.from(
      { length: 5000 },
      (_, index) => `<c t="inlineStr"><is><t>c${index}</t></is></c>`,
    );
    const error = await fileError(() => readTab(handMade({ rows: `<row>${cells.join('')}</row>` })));
    expect(error.message).toBe('season.xlsx tab "Users" row 1: 5000 columns, at most 1000');
  });
});
