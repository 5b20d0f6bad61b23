import { renderSaid, storedWords, type Said, type Words } from '../../src/model/said.ts';

/** A text as a row or a write of an older version holds it. */
export const words: (text: string) => Words = storedWords;

/** What has words, with the message that people read in their place. */
export function told<T extends { readonly said?: Words }>(
  thing: T,
): Omit<T, 'said'> & { readonly message: string } {
  const { said = [], ...others } = thing;
  return { ...others, message: renderSaid(said) };
}

/** The parts of words, with those that they give as their reasons. */
export const allParts = (said: Words): Words =>
  said.flatMap((part) =>
    ['reason' in part && typeof part.reason === 'object' ? allParts(part.reason) : [], part].flat(),
  );

/** Whether words, or their reasons, say one of these. */
export const says = (said: Words, ...codes: readonly Said['code'][]): boolean =>
  allParts(said).some(({ code }) => codes.includes(code));
