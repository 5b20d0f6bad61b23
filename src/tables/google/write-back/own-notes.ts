/** How a note begins that a run wrote; what others wrote in the same note stands apart from it. */
const MARK = 'teamsheet: ';
const OURS = new RegExp(`(?:^|\\n\\n)${MARK}[^\\n]*`, 'g');

/** A cell's note with our part replaced by `message`, or taken out of it; what others wrote stays, before ours. */
export function withNote(note: string, message: string | undefined): string {
  const left = note.replace(OURS, '');
  const others = left === note ? note : left.replace(/^\n\n/, '');
  if (message === undefined) return others;
  const ours = `${MARK}${message.replace(/\s*\n\s*/g, ' ')}`;
  return others === '' ? ours : `${others}\n\n${ours}`;
}
