/** `a, b and 3 more`: the first items, and how many others there are. */
export function listed(items: readonly (string | number)[], most = 20): string {
  const more = items.length - most;
  return items.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
