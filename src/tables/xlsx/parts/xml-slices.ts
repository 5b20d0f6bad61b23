import { XmlFault } from './xml-scan.ts';

/** An element as it stands in its document, with everything in it. */
export interface XmlSlice {
  /** Without its namespace prefix. */
  readonly name: string;
  readonly xml: string;
}

/** An element in pieces that, joined, are the element again; text between its children is left out. */
export interface SlicedXml {
  /** All up to the end of its start tag. */
  readonly head: string;
  readonly children: readonly XmlSlice[];
  /** Its end tag and what follows. */
  readonly tail: string;
}

/** Cuts an element, or the root of a document, into its children. Errors: XmlFault. */
export function sliceXml(xml: string): SlicedXml {
  const start = nextTag(xml, 0);
  const headEnd = endOfTag(xml, start);
  if (xml[headEnd - 2] === '/') {
    const [name = ''] = /^[^\s/>]+/.exec(xml.slice(start + 1)) ?? [];
    return { head: `${xml.slice(0, headEnd - 2)}>`, children: [], tail: `</${name}>${xml.slice(headEnd)}` };
  }
  const children: XmlSlice[] = [];
  let at = nextTag(xml, headEnd);
  while (xml[at + 1] !== '/') {
    const end = endOfElement(xml, at);
    children.push({ name: nameAt(xml, at), xml: xml.slice(at, end) });
    at = nextTag(xml, end);
  }
  return { head: xml.slice(0, headEnd), children, tail: xml.slice(at) };
}

/** The element or document that slices make. */
export function joinXml({ head, children, tail }: SlicedXml): string {
  return head + children.map(({ xml }) => xml).join('') + tail;
}

/** An element, or the root of a document, with each of its children changed. Errors: XmlFault. */
export function mapChildren(xml: string, change: (child: XmlSlice) => string): string {
  const { head, children, tail } = sliceXml(xml);
  return head + children.map(change).join('') + tail;
}

/** The start tag of an element with an attribute set, or without it when `value` is undefined; `xml` may go on after the tag. */
export function withAttribute(xml: string, name: string, value: string | undefined): string {
  const end = tagEnd(xml, 1);
  const close = xml[end - 1] === '/' ? end - 1 : end;
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"[^"]*"|'[^']*')`).exec(xml.slice(0, close));
  const from = found?.index ?? close;
  const added = value === undefined ? '' : ` ${name}="${escapeXml(value)}"`;
  return xml.slice(0, from) + added + xml.slice(from + (found?.[0].length ?? 0));
}

/**
 * Children with all of `names` taken out and `added` put in, each behind the last one that may stand before it by `order`. What the order does not know,
 * such as extensions of a program, keeps its place.
 */
export function replaceChildren(
  children: readonly XmlSlice[],
  names: readonly string[],
  added: readonly XmlSlice[],
  order: readonly string[],
): readonly XmlSlice[] {
  const result = children.filter(({ name }) => !names.includes(name));
  for (const slice of added) {
    const rank = order.indexOf(slice.name);
    const before = result.findLastIndex(({ name }) => order.includes(name) && order.indexOf(name) <= rank);
    result.splice(before + 1, 0, slice);
  }
  return result;
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands in XML, in quotation marks too. */
export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (char) => ESCAPED[char] ?? '');

function nameAt(xml: string, at: number): string {
  let end = at + 1;
  while (end < xml.length && !' />\n\r\t'.includes(xml.charAt(end))) end += 1;
  const name = xml.slice(at + 1, end);
  return name.slice(name.indexOf(':') + 1);
}

/** The next tag from `from` on; declarations, comments and literal text are passed over. */
function nextTag(xml: string, from: number): number {
  for (let at = xml.indexOf('<', from); at !== -1; at = xml.indexOf('<', at)) {
    const mark = ['?>', '-->', ']]>'][
      ['<?', '<!--', '<![CDATA['].findIndex((head) => xml.startsWith(head, at))
    ];
    if (mark === undefined) return at;
    const end = xml.indexOf(mark, at);
    if (end === -1) break;
    at = end + mark.length;
  }
  throw new XmlFault('it ends too early');
}

function endOfTag(xml: string, at: number): number {
  const end = tagEnd(xml, at + 1);
  if (end === -1) throw new XmlFault('it ends too early');
  return end + 1;
}

function endOfElement(xml: string, start: number): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const end = endOfTag(xml, at);
    if (xml[at + 1] === '/') depth -= 1;
    else if (xml[end - 2] !== '/') depth += 1;
    if (depth === 0) return end;
    at = nextTag(xml, end);
  }
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function entity(whole: string, name: string): string {
  const known = ENTITIES.get(name);
  if (known !== undefined) return known;
  const code = /^#x[\da-f]{1,6}$/i.test(name)
    ? Number.parseInt(name.slice(2), 16)
    : /^#\d{1,7}$/.test(name)
      ? Number(name.slice(1))
      : NaN;
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  throw new XmlFault(`it names the entity ${whole}`);
}

/** Text as it is meant: line ends are LF, the five entities and character references are resolved. Errors: XmlFault for any other entity. */
export function decodeText(raw: string): string {
  const text = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
  return text.includes('&') ? text.replace(/&([^;&]{0,15});?/g, entity) : text;
}

const ATTRIBUTE = /(?<=\s)(?!xmlns:)(?:[^\s=:]+:)?([^\s=:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The attributes of the first tag of an element by their names without prefix; namespace declarations with one are left out. */
export function attributesOf(xml: string): ReadonlyMap<string, string> {
  const found = xml.slice(0, tagEnd(xml, 1)).matchAll(ATTRIBUTE);
  return new Map(
    Array.from(found, ([, name = '', double, single = '']) => [name, decodeText(double ?? single)] as const),
  );
}

/** The end of the tag that begins before `from`: the first `>` outside quotation marks, or -1. */
export function tagEnd(input: string, from: number): number {
  let end = input.indexOf('>', from);
  if (end === -1) return -1;
  for (let quote = nextQuote(input, from, end); quote !== -1; quote = nextQuote(input, quote + 1, end)) {
    const closing = input.indexOf(input.charAt(quote), quote + 1);
    if (closing === -1) return -1;
    if (closing > end) end = input.indexOf('>', closing + 1);
    if (end === -1) return -1;
    quote = closing;
  }
  return end;
}

function nextQuote(input: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = input.charCodeAt(at);
    if (code === 0x22 || code === 0x27) return at;
  }
  return -1;
}
