/** A text that the service showed; a record that is not of the documented shape is kept as it came. */
export const shownText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** The number of a game week: the only number in its text, wherever it stands (`7`, `GW7`, `Game week 7`); undefined where the text holds none or several. */
export function weekNumber(text: unknown): number | undefined {
  const found = shownText(text).match(/\d+/g) ?? [];
  return found.length === 1 ? Number(found[0]) : undefined;
}

/** The game weeks of a number: one, unless the texts of several hold it. */
export const weeksOfNumber = <Week extends { readonly week?: string | null | undefined }>(
  weeks: readonly Week[],
  wanted: number,
): readonly Week[] => weeks.filter(({ week }) => weekNumber(week) === wanted);
