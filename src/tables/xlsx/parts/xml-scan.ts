import { SaxesParser } from 'saxes';

/** What is wrong with an XML text; whoever knows the file makes a message of it. */
export class XmlFault extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'XmlFault';
  }
}

/** The attributes of a tag by their names without prefix; namespace declarations with one are left out. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

/** Receives a document in order. Names are without their namespace prefix, and references are resolved. */
export interface XmlHandlers {
  readonly open?: (name: string, attributes: XmlAttributes) => void;
  readonly close?: (name: string) => void;
  /** Text, perhaps in several pieces. */
  readonly text?: (text: string) => void;
}

/** Takes the text of a document piece by piece. Errors of both: XmlFault. */
export interface XmlScanner {
  push(chunk: string): void;
  end(): void;
}

/** Longer tags, texts, comments and declarations are no part of a spreadsheet. */
const PIECE_CHARACTERS_MAX = 1 << 24;
const DEPTH_MAX = 256;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function withoutPrefixes(attributes: Readonly<Record<string, string>>): XmlAttributes {
  const names = Object.keys(attributes);
  if (!names.some((name) => name.includes(':'))) return attributes;
  const own = names.filter((name) => !name.startsWith('xmlns:'));
  return Object.fromEntries(own.map((name) => [localName(name), attributes[name]]));
}

/**
 * A scanner for the XML of spreadsheets, in bounded memory. It refuses what is not well-formed, and what no spreadsheet needs and attackers do: document
 * types, entities of their own, tags of megabytes, deep nesting. Namespaces are not resolved.
 */
export function createXmlScanner({ open, close, text }: XmlHandlers): XmlScanner {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  /** Characters since the last tag. */
  let pending = 0;
  parser.on('error', (cause) => {
    throw new XmlFault(`it is not well-formed XML: ${cause.message.replace(/\.$/, '')}`, { cause });
  });
  parser.on('doctype', () => {
    throw new XmlFault('it holds a document type (DTD), which no spreadsheet program writes');
  });
  parser.on('opentag', ({ name, attributes }) => {
    pending = 0;
    if (++depth > DEPTH_MAX) throw new XmlFault(`it is nested deeper than ${DEPTH_MAX} levels`);
    open?.(localName(name), withoutPrefixes(attributes));
  });
  parser.on('closetag', ({ name }) => {
    pending = 0;
    depth -= 1;
    close?.(localName(name));
  });
  if (text !== undefined) {
    parser.on('text', text);
    parser.on('cdata', text);
  }
  return {
    push(chunk) {
      pending += chunk.length;
      parser.write(chunk);
      if (pending > PIECE_CHARACTERS_MAX) throw new XmlFault('it holds a tag or a text of megabytes');
    },
    end() {
      parser.close();
    },
  };
}
