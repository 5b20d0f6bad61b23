import {
  escapeXml,
  joinXml,
  attributesOf,
  replaceChildren,
  sliceXml,
  withAttribute,
  type SlicedXml,
  type XmlSlice,
} from '../parts/xml-slices.ts';

/** A style sheet with the styles of another in it, and what became of their numbers. */
export interface GraftedStyles {
  readonly xml: string;
  readonly cellStyle: (index: number) => number;
  readonly difference: (index: number) => number;
}

/** Formats from this number on belong to their workbook. */
const OWN_FORMATS = 164;
/** The order that the format asks for. */
const SECTIONS = [
  ...['numFmts', 'fonts', 'fills', 'borders', 'cellStyleXfs', 'cellXfs', 'cellStyles', 'dxfs'],
  ...['tableStyles', 'colors', 'extLst'],
];

/** A section of a style sheet that grows only by what it does not have. */
interface Section {
  readonly items: string[];
  readonly indexOf: (xml: string) => number;
}

function sectionOf(sheet: SlicedXml, name: string): Section {
  const found = sheet.children.find((child) => child.name === name);
  const items = found === undefined ? [] : sliceXml(found.xml).children.map(({ xml }) => xml);
  const places = new Map(items.map((xml, index) => [xml, index]));
  return {
    items,
    indexOf: (xml) => {
      const place = places.get(xml) ?? items.push(xml) - 1;
      places.set(xml, place);
      return place;
    },
  };
}

function numberFormats(sheet: SlicedXml): ReadonlyMap<number, string> {
  return new Map(
    sectionOf(sheet, 'numFmts').items.map((xml) => {
      const attributes = attributesOf(xml);
      return [Number(attributes.get('numFmtId')), attributes.get('formatCode') ?? ''];
    }),
  );
}

/**
 * Adds the styles of `fresh` to those of `old`, where they are not there already, so that the same ones added again change nothing. Errors:
 * XmlFault.
 */
export function graftStyles(old: string, fresh: string): GraftedStyles {
  const [into, from] = [sliceXml(old), sliceXml(fresh)];
  const names = ['numFmts', 'fonts', 'fills', 'borders', 'cellXfs', 'dxfs'] as const;
  const sections = new Map(names.map((name) => [name, sectionOf(into, name)]));
  const add = (name: (typeof names)[number], xml: string): number => sections.get(name)?.indexOf(xml) ?? 0;

  const known = numberFormats(into);
  const ids = new Map([...known].map(([id, code]) => [code, id]));
  let nextId = Math.max(OWN_FORMATS - 1, ...known.keys()) + 1;
  const freshFormats = numberFormats(from);
  const formatId = (id: number): number => {
    const code = freshFormats.get(id);
    if (code === undefined) return id;
    const place = ids.get(code) ?? nextId++;
    if (!ids.has(code)) add('numFmts', `<numFmt numFmtId="${place}" formatCode="${escapeXml(code)}"/>`);
    ids.set(code, place);
    return place;
  };
  const [fonts, fills, borders, styles, differences] = ['fonts', 'fills', 'borders', 'cellXfs', 'dxfs'].map(
    (name) => sectionOf(from, name).items,
  );
  const moved = (xf: string): string => {
    const attributes = attributesOf(xf);
    const at = (name: string): number => Number(attributes.get(name) ?? 0);
    let result = withAttribute(xf, 'numFmtId', String(formatId(at('numFmtId'))));
    for (const [name, section, items] of [
      ['fontId', 'fonts', fonts],
      ['fillId', 'fills', fills],
      ['borderId', 'borders', borders],
    ] as const)
      result = withAttribute(result, name, String(add(section, items?.[at(name)] ?? '')));
    return withAttribute(result, 'xfId', '0');
  };
  const cellStyles = (styles ?? []).map((xf) => add('cellXfs', moved(xf)));
  const dxfs = (differences ?? []).map((xml) => add('dxfs', xml));
  const rebuilt = names.flatMap((name): XmlSlice[] => {
    const items = sections.get(name)?.items ?? [];
    return items.length === 0
      ? []
      : [{ name, xml: `<${name} count="${items.length}">${items.join('')}</${name}>` }];
  });
  const children = replaceChildren(into.children, names, rebuilt, SECTIONS);
  return {
    xml: joinXml({ ...into, children }),
    cellStyle: (index) => cellStyles[index] ?? 0,
    difference: (index) => dxfs[index] ?? 0,
  };
}
