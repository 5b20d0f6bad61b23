/** What is wrong with an XML text; whoever knows the file makes a message of it. */
export class XmlFault extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'XmlFault';
  }
}

/** Receives a document in order. Names are without their namespace prefix. */
export interface XmlHandlers {
  /** `attributes` is what stands between the name and `>`, as written: see {@link readAttributes}. */
  readonly open?: (name: string, attributes: string) => void;
  readonly close?: (name: string) => void;
  /** Text as written, perhaps in several pieces: see {@link decodeText}. */
  readonly text?: (raw: string) => void;
}

/** Takes the text of a document piece by piece. Errors of both: XmlFault. */
export interface XmlScanner {
  push(chunk: string): void;
  end(): void;
}

/** Longer tags, comments and declarations are no part of a spreadsheet. */
const MARKUP_CHARACTERS_MAX = 1 << 20;
/** Text is handed on in pieces of about this size, so that what is carried from chunk to chunk stays small. */
const TEXT_CHARACTERS_MAX = 1 << 18;
const ENTITY_CHARACTERS_MAX = 16;
const DEPTH_MAX = 256;

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

const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/** Text as it is meant: line ends are LF, the five entities and character references are resolved. Errors: XmlFault for any other entity. */
export function decodeText(raw: string): string {
  const text = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
  return text.includes('&') ? text.replace(/&([^;&]{0,15});?/g, entity) : text;
}

/**
 * The attributes of a tag by their names without prefix; namespace declarations with one are left out. What is no attribute is passed over, in time
 * that grows with the length of the tag and no faster.
 */
export function readAttributes(raw: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  for (let sign = raw.indexOf('='); sign !== -1; sign = raw.indexOf('=', at)) {
    const nameEnd = endOfBlanks(raw, sign, -1);
    const valueAt = endOfBlanks(raw, sign + 1, 1);
    let nameAt = nameEnd;
    while (nameAt > at && !isBlank(raw.charCodeAt(nameAt - 1))) nameAt--;
    const quote = raw.charAt(valueAt);
    const end = quote === '"' || quote === "'" ? raw.indexOf(quote, valueAt + 1) : -1;
    const name = raw.slice(nameAt, nameEnd);
    if (end !== -1 && name !== '' && !name.startsWith('xmlns:'))
      found.set(name.slice(name.indexOf(':') + 1), decodeText(raw.slice(valueAt + 1, end)));
    at = Math.max(sign, end) + 1;
  }
  return found;
}

/** Where blanks end that stand before (`step` -1) or from (1) a place on. */
function endOfBlanks(raw: string, from: number, step: 1 | -1): number {
  let at = from;
  const offset = step === 1 ? 0 : -1;
  while (at + offset >= 0 && at + offset < raw.length && isBlank(raw.charCodeAt(at + offset))) at += step;
  return at;
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

/** Where a run of text may be cut: not inside an entity, a line end or a pair of surrogates. */
function cutOf(input: string, from: number): number {
  const entityStart = input.lastIndexOf('&');
  let cut = input.length - entityStart <= ENTITY_CHARACTERS_MAX ? entityStart : input.length;
  const last = input.charCodeAt(cut - 1);
  if (last === 13 || (last >= 0xd800 && last <= 0xdbff)) cut -= 1;
  return Math.max(from, cut);
}

/**
 * A scanner for the XML of spreadsheets, in bounded memory. It checks that tags are nested rightly and refuses what no spreadsheet needs and
 * attackers do: document types, entities of their own, tags of megabytes, deep nesting. Namespaces are not resolved.
 */
export function createXmlScanner({ open, close, text }: XmlHandlers): XmlScanner {
  const path: string[] = [];
  let rest = '';
  let seenRoot = false;

  const opened = (raw: string): void => {
    const selfClosing = raw.endsWith('/');
    let nameEnd = 0;
    while (nameEnd < raw.length && !isBlank(raw.charCodeAt(nameEnd))) nameEnd++;
    if (selfClosing && nameEnd === raw.length) nameEnd -= 1;
    const qualified = raw.slice(0, nameEnd);
    if (qualified === '' || (path.length === 0 && seenRoot)) throw new XmlFault('its tags do not fit');
    const name = qualified.slice(qualified.indexOf(':') + 1);
    seenRoot = true;
    open?.(name, raw.slice(nameEnd, selfClosing ? -1 : undefined));
    if (selfClosing) close?.(name);
    else if (path.push(name) > DEPTH_MAX) throw new XmlFault(`it is nested deeper than ${DEPTH_MAX} levels`);
  };
  const closed = (raw: string): void => {
    const qualified = raw.trimEnd();
    const name = qualified.slice(qualified.indexOf(':') + 1);
    if (path.pop() !== name) throw new XmlFault('its tags do not fit');
    close?.(name);
  };
  /** The end of what begins with `<!` or `<?`, or -1 when more of it is to come. */
  const special = (input: string, at: number): number => {
    const head = input.slice(at, at + 9);
    const past = (mark: string, from: number): number => {
      const end = input.indexOf(mark, from);
      return end === -1 ? -1 : end + mark.length;
    };
    if (head.startsWith('<?')) return past('?>', at + 2);
    if (head.startsWith('<!--')) return past('-->', at + 4);
    if (head === '<![CDATA[') {
      const end = past(']]>', at + 9);
      if (end !== -1) text?.(input.slice(at + 9, end - 3).replaceAll('&', '&amp;'));
      return end;
    }
    if (head.length < 9 && ['<!--', '<![CDATA['].some((mark) => mark.startsWith(head))) return -1;
    throw new XmlFault('it holds a document type (DTD), which no spreadsheet program writes');
  };
  /** Handles the markup at `at`; answers where it ends, or -1 when more of it is to come. */
  const markup = (input: string, at: number): number => {
    const next = input.charCodeAt(at + 1);
    if (next === 0x21 || next === 0x3f) return special(input, at);
    const end = tagEnd(input, at + 1);
    if (end === -1) return -1;
    if (next === 0x2f) closed(input.slice(at + 2, end));
    else opened(input.slice(at + 1, end));
    return end + 1;
  };
  return {
    push(chunk) {
      const input = rest === '' ? chunk : rest + chunk;
      let at = 0;
      for (;;) {
        const tag = input.indexOf('<', at);
        if (tag === -1) break;
        if (tag > at) text?.(input.slice(at, tag));
        const end = tag + 1 < input.length ? markup(input, tag) : -1;
        if (end === -1) {
          rest = input.slice(tag);
          if (rest.length > MARKUP_CHARACTERS_MAX) throw new XmlFault('it holds a tag of megabytes');
          return;
        }
        at = end;
      }
      const cut = input.length - at > TEXT_CHARACTERS_MAX ? cutOf(input, at) : at;
      if (cut > at) text?.(input.slice(at, cut));
      rest = input.slice(cut);
    },
    end() {
      if (!seenRoot || path.length > 0 || rest.trim() !== '') throw new XmlFault('it ends too early');
    },
  };
}
