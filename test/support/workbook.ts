import type { Buffer } from 'node:buffer';
import { makeZip } from './zip.ts';
import type { ZipPart } from './zip.ts';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** A workbook of one or more tabs, written by hand: what programs write, and what they should not. */
export interface HandMade {
  /** What stands in `<worksheet>` of each tab, by its name. */
  readonly tabs?: Readonly<Record<string, string>>;
  /** Shorthand for the rows of one tab, "Users". */
  readonly rows?: string;
  /** The `<si>` of the shared texts. */
  readonly strings?: string;
  /** Number formats; cells name them by their position, from 1. */
  readonly formats?: readonly string[];
  readonly from1904?: boolean;
  readonly strict?: boolean;
  /** The `<definedName>` of the workbook. */
  readonly names?: string;
  /** Kinds of tabs other than sheets of cells, and states such as hidden. */
  readonly kinds?: Readonly<Record<string, 'chartsheet' | 'dialogsheet'>>;
  readonly states?: Readonly<Record<string, string>>;
  readonly extra?: readonly ZipPart[];
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? '');

/** The parts of a workbook, to be changed by a test before they become a file. */
export function workbookParts({
  rows = '',
  tabs = { Users: `<sheetData>${rows}</sheetData>` },
  strings,
  formats = [],
  from1904 = false,
  strict = false,
  names: definedNames = '',
  kinds = {},
  states = {},
  extra = [],
}: HandMade): readonly ZipPart[] {
  const main = strict ? 'http://purl.oclc.org/ooxml/spreadsheetml/main' : MAIN;
  const relations = strict ? 'http://purl.oclc.org/ooxml/officeDocument/relationships' : RELATIONS;
  const names = Object.keys(tabs);
  const relation = (id: string, kind: string, target: string): string =>
    `<Relationship Id="${id}" Type="${relations}/${kind}" Target="${target}"/>`;
  const sheets = names.map(
    (name, index) =>
      `<sheet name="${escape(name)}" sheetId="${index + 1}" state="${states[name] ?? 'visible'}" r:id="rId${index + 1}"/>`,
  );
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  return [
    {
      name: '[Content_Types].xml',
      content: `${head}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `${head}<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `${head}<workbook xmlns="${main}" xmlns:r="${relations}"><workbookPr${from1904 ? ' date1904="1"' : ''}/><sheets>${sheets.join('')}</sheets>${definedNames === '' ? '' : `<definedNames>${definedNames}</definedNames>`}</workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `${head}<Relationships xmlns="${PACKAGE}/relationships">${names
        .map((name, index) =>
          relation(`rId${index + 1}`, kinds[name] ?? 'worksheet', `worksheets/sheet${index + 1}.xml`),
        )
        .join(
          '',
        )}${strings === undefined ? '' : relation('rIdS', 'sharedStrings', 'sharedStrings.xml')}${relation('rIdF', 'styles', '/xl/styles.xml')}</Relationships>`,
    },
    {
      name: 'xl/styles.xml',
      content: `${head}<styleSheet xmlns="${main}"><numFmts>${formats
        .map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escape(code)}"/>`)
        .join(
          '',
        )}</numFmts><cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
        .map((_, index) => `<xf numFmtId="${164 + index}" applyNumberFormat="1"/>`)
        .join('')}</cellXfs></styleSheet>`,
    },
    ...(strings === undefined
      ? []
      : [{ name: 'xl/sharedStrings.xml', content: `${head}<sst xmlns="${main}">${strings}</sst>` }]),
    ...names.map((name, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `${head}<worksheet xmlns="${main}">${tabs[name] ?? ''}</worksheet>`,
    })),
    ...extra,
  ];
}

/** The file of such a workbook. */
export const handMade = (workbook: HandMade): Buffer => makeZip(workbookParts(workbook));

/** `<row r="1">…</row>` with texts in the cells; numbers stay numbers. */
export function textRow(row: number, cells: readonly (string | number)[]): string {
  const written = cells.map((cell, index) => {
    const at = `${String.fromCharCode(65 + index)}${row}`;
    return typeof cell === 'number'
      ? `<c r="${at}"><v>${cell}</v></c>`
      : `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escape(cell)}</t></is></c>`;
  });
  return `<row r="${row}">${written.join('')}</row>`;
}
