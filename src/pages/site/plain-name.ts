import { visible } from '../markup.ts';

/**
 * A name for texts that people post: on one line, with nothing that cannot be seen, and with no sign by which a chat would call everybody together: its `@` is
 * the wide one.
 */
export const plainName = (name: string): string =>
  visible(name).replaceAll(/\s+/g, ' ').replaceAll('@', '＠').trim();
