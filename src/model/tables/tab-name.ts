const CHARACTERS_MAX = 31;
const FORBIDDEN = /[\\/?*[\]:\0-\x1F]|^'|'$|^history$/i;

/** Why a workbook can have no tab of this name, as a sentence that the name begins; undefined when it can. */
export function tabNameProblem(name: string): string | undefined {
  if (name === '') return 'cannot name a tab; write something';
  if (name.length > CHARACTERS_MAX)
    return `has ${name.length} characters; a tab of a workbook has at most ${CHARACTERS_MAX}`;
  return FORBIDDEN.test(name)
    ? 'cannot name a tab of a workbook; leave out \\ / ? * [ ] : and an apostrophe at either end, and do not call it History'
    : undefined;
}
