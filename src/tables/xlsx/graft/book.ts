import type { WorkbookTab } from '../parts/package.ts';
import { OUR_PROGRAM } from '../existing.ts';
import { PROPERTIES_PART, propertyNumber } from '../memory.ts';
import { textOf } from '../parts/part.ts';
import { FILTER_NAME } from '../write/render.ts';
import type { Zip } from '../parts/zip.ts';
import {
  attributesOf,
  escapeXml,
  joinXml,
  replaceChildren,
  sliceXml,
  withAttribute,
  type SlicedXml,
  type XmlSlice,
} from '../parts/xml-slices.ts';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** The order of a workbook's elements that the format asks for. */
const ORDER = `
  fileVersion fileSharing workbookPr workbookProtection bookViews sheets functionGroups
  externalReferences definedNames calcPr oleSize customWorkbookViews pivotCaches smartTagPr
  smartTagTypes webPublishing fileRecoveryPr webPublishObjects extLst
`
  .trim()
  .split(/\s+/);

/**
 * Elements that are written again. The version of the program that saved the file last is left out, because LibreOffice trusts the stored results of
 * formulas in files of programs that it knows.
 */
const REBUILT = ['fileVersion', 'sheets', 'definedNames', 'calcPr'];

function child({ children }: SlicedXml, name: string): SlicedXml | undefined {
  const found = children.find((slice) => slice.name === name);
  return found === undefined ? undefined : sliceXml(found.xml);
}

/** The relations of the workbook with those of new tabs, and without the order of calculation, which programs make again; answers the new ids too. */
export function graftRelations(
  xml: string,
  parts: readonly string[],
): { readonly xml: string; readonly added: readonly string[] } {
  const relations = sliceXml(xml);
  const kept = relations.children.filter(
    ({ xml: one }) => !attributesOf(one).get('Type')?.endsWith('/calcChain'),
  );
  const taken = new Set(kept.map(({ xml: one }) => attributesOf(one).get('Id')));
  const added: string[] = [];
  for (let number = 1; added.length < parts.length; number += 1)
    if (!taken.has(`rId${number}`)) added.push(`rId${number}`);
  const written = added.map((id, index): XmlSlice => ({
    name: 'Relationship',
    xml: `<Relationship Id="${id}" Type="${RELATIONS}/worksheet" Target="/${escapeXml(parts[index] ?? '')}"/>`,
  }));
  return { xml: joinXml({ ...relations, children: [...kept, ...written] }), added };
}

/** The content types with those of new parts, and without those of parts that are gone. */
export function graftContentTypes(
  xml: string,
  types: ReadonlyMap<string, string>,
  removed: ReadonlySet<string>,
): string {
  const sheet = sliceXml(xml);
  const nameOf = (slice: XmlSlice): string =>
    (attributesOf(slice.xml).get('PartName') ?? '').replace(/^\//, '');
  const kept = sheet.children.filter((slice) => !removed.has(nameOf(slice)) || types.has(nameOf(slice)));
  const known = new Set(kept.map(nameOf));
  const added = [...types]
    .filter(([name]) => !known.has(name))
    .map(([name, type]): XmlSlice => ({
      name: 'Override',
      xml: `<Override PartName="/${escapeXml(name)}" ContentType="${type}"/>`,
    }));
  return joinXml({ ...sheet, children: [...kept, ...added] });
}

/** A new tab of a workbook, by the id of its relation. */
interface AddedTab {
  readonly name: string;
  readonly id: string;
  /** It stands before all others. */
  readonly isFirst: boolean;
}

/**
 * The list of tabs with new ones behind the others, or before them. Names of ours, such as print titles, follow their tabs; the filters of reports follow their rows; and
 * formulas are calculated again when the file is opened, because what they look at has changed.
 */
export function graftBook(
  old: string,
  fresh: string,
  added: readonly AddedTab[],
  filters: ReadonlyMap<string, string>,
  standing: readonly WorkbookTab[],
): string {
  const [into, from] = [sliceXml(old), sliceXml(fresh)];
  const sheets = child(into, 'sheets') ?? { head: '<sheets>', children: [], tail: '</sheets>' };
  let sheetId = Math.max(
    0,
    ...sheets.children.map(({ xml }) => Number(attributesOf(xml).get('sheetId') ?? 0)),
  );
  const tabs = added.map(({ name, id, isFirst }) => ({
    isFirst,
    name: 'sheet',
    xml: `<sheet xmlns:r="${RELATIONS}" name="${escapeXml(name)}" sheetId="${++sheetId}" r:id="${id}"/>`,
  }));
  const before = tabs.filter(({ isFirst }) => isFirst);
  const all = [...before, ...sheets.children, ...tabs.filter(({ isFirst }) => !isFirst)];
  const position = (name: string | undefined): number =>
    all.findIndex(({ xml }) => attributesOf(xml).get('name')?.toLowerCase() === name?.toLowerCase());
  const names = mixNames(moveNames(into, before.length), from, position, (at) =>
    filters.get(standing[at - before.length]?.part ?? ''),
  );
  const calculation = into.children.find(({ name }) => name === 'calcPr')?.xml ?? '<calcPr/>';
  const rebuilt = [
    { name: 'sheets', xml: joinXml({ ...sheets, children: all }) },
    ...(names.length === 0
      ? []
      : [{ name: 'definedNames', xml: `<definedNames>${names.join('')}</definedNames>` }]),
    { name: 'calcPr', xml: withAttribute(calculation, 'fullCalcOnLoad', '1') },
  ];
  return joinXml({ ...into, children: replaceChildren(into.children, REBUILT, rebuilt, ORDER) });
}

/** The names of a workbook, which know their tabs by position, once there are so many tabs before them. */
function moveNames(into: SlicedXml, before: number): readonly string[] {
  return (child(into, 'definedNames')?.children ?? []).map(({ xml }) => {
    const at = attributesOf(xml).get('localSheetId');
    return at === undefined ? xml : withAttribute(xml, 'localSheetId', String(Number(at) + before));
  });
}

function mixNames(
  standing: readonly string[],
  from: SlicedXml,
  position: (tab: string | undefined) => number,
  sheetAt: (position: number) => string | undefined,
): readonly string[] {
  const tabs = child(from, 'sheets')?.children.map(({ xml }) => attributesOf(xml).get('name')) ?? [];
  const ours = (child(from, 'definedNames')?.children ?? []).map(({ xml }) =>
    withAttribute(xml, 'localSheetId', String(position(tabs[Number(attributesOf(xml).get('localSheetId'))]))),
  );
  const keyOf = (xml: string): string => {
    const attributes = attributesOf(xml);
    return JSON.stringify([attributes.get('name'), attributes.get('localSheetId')]);
  };
  const keys = new Set(ours.map(keyOf));
  const kept = standing.filter((xml) => !keys.has(keyOf(xml)));
  return [...kept, ...ours].flatMap((xml) => filterName(xml, sheetAt));
}

/** The hidden name of a filter's range, which says the same as the filter; without a filter there is no name. */
function filterName(xml: string, sheetAt: (position: number) => string | undefined): readonly string[] {
  const attributes = attributesOf(xml);
  const sheet = sheetAt(Number(attributes.get('localSheetId')));
  if (attributes.get('name') !== FILTER_NAME || sheet === undefined) return [xml];
  const [, range] = /<autoFilter[^>]*\sref="([^"]*)"/.exec(sheet) ?? [];
  if (range === undefined) return [];
  return [xml.replace(/![^!<]*(?=<\/)/, `!${range.replace(/[A-Z]+|\d+/g, '$$$&')}`)];
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const FORMAT = '{D5CDD505-2E9C-101B-9397-08002B2CF9AE}';
const NO_PROPERTIES = `${HEAD}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"></Properties>`;

const THEIR_PROGRAM = new RegExp(`(<Application>)(?!${OUR_PROGRAM}<)[^<]*`);

/**
 * The properties of the workbook with ours, and the name of another program changed: LibreOffice trusts the stored results of formulas only in files of programs
 * that it knows.
 */
export async function graftProperties(
  zip: Zip,
  memory: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const changed = new Map<string, string>();
  const stands = zip.find(PROPERTIES_PART);
  const properties = sliceXml(stands === undefined ? NO_PROPERTIES : await textOf(zip, stands.name));
  const others = properties.children.filter(
    ({ xml }) => propertyNumber(attributesOf(xml).get('name') ?? '') === 0,
  );
  let id = Math.max(1, ...others.map(({ xml }) => Number(attributesOf(xml).get('pid') ?? 1)));
  const ours = Object.entries(memory).map(([name, text]): XmlSlice => {
    id += 1;
    const value = `<vt:lpwstr xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">${escapeXml(text)}</vt:lpwstr>`;
    return {
      name: 'property',
      xml: `<property fmtid="${FORMAT}" pid="${id}" name="${name}">${value}</property>`,
    };
  });
  changed.set(PROPERTIES_PART, joinXml({ ...properties, children: [...others, ...ours] }));
  if (stands === undefined) {
    const relations = sliceXml(await textOf(zip, '_rels/.rels'));
    const relation = `<Relationship Id="rIdTeamsheet" Type="${RELATIONS}/custom-properties" Target="${PROPERTIES_PART}"/>`;
    const children = [...relations.children, { name: 'Relationship', xml: relation }];
    changed.set('_rels/.rels', joinXml({ ...relations, children }));
  }
  const program = zip.find('docProps/app.xml');
  if (program !== undefined) {
    const text = await textOf(zip, program.name);
    changed.set(program.name, text.replace(THEIR_PROGRAM, '$1teamsheet'));
  }
  return changed;
}
