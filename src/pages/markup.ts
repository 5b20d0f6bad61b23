import { HIDING } from '../model/unseen.ts';

/** HTML that is safe to send as it is. Only {@link markup} makes it, so that every text of the data goes through its escapes. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template; null, undefined and false show nothing. */
export type Part = Markup | string | number | null | undefined | false | readonly Part[];

/** A template of HTML. Texts are escaped for content and for attributes in double quotes; lists are joined. */
export function markup(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const pieces = parts.map((part, index) => renderPart(part) + (literals[index + 1] ?? ''));
  return new Markup((literals[0] ?? '') + pieces.join(''));
}

function renderPart(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  return part.map(renderPart).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Control characters but for tabs and line ends, and those that hide. */
const UNSEEN = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f${HIDING}]`, 'g');

/** Nothing of the text is markup, and what cannot be seen is written as its code. */
function escape(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A text whose characters can all be seen: others are written as their codes, such as `[U+202E]`. */
export function visible(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `[U+${code}]`;
  });
}
