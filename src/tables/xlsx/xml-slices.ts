import { tagEnd, XmlFault } from './xml-scan.ts';

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
