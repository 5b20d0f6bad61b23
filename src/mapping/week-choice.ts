/** The game weeks of a report: the current one, the last that is over, all that have begun, or those from one number to another. */
export type WeekChoice =
  | { readonly kind: 'current' | 'last' | 'all' }
  | { readonly kind: 'range'; readonly from: number; readonly to: number };

/** `current`, `last`, `all`, a number, or two numbers such as `1-12`; undefined for any other text. */
export function parseWeekChoice(text: string): WeekChoice | undefined {
  const written = text.trim();
  if (written === 'current' || written === 'last' || written === 'all') return { kind: written };
  const found = /^([1-9]\d{0,3})(?:\s*-\s*([1-9]\d{0,3}))?$/.exec(written);
  if (found === null) return undefined;
  const [from, to] = [Number(found[1]), Number(found[2] ?? found[1])];
  return from <= to ? { kind: 'range', from, to } : undefined;
}

/** What a choice of weeks may be, for messages. */
export const WEEK_CHOICES = 'current, last, all, a number or two numbers such as 1-12';
