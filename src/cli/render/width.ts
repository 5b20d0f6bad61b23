import { stripVTControlCharacters } from 'node:util';

/** Terminal columns of a text in scripts of single width; wide scripts come out narrower than they are. */
export function visibleWidth(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}
