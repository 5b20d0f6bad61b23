/** `1,234`; `0.5` and `-1,000` too. Without the tables of Intl, which cost a start-up more than all else here. */
export function renderCount(count: number): string {
  const [whole = '', ...decimals] = String(count).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.');
}

/** `1 request`, `12 requests`; `many` for words that do not take an s. */
export function renderCountOf(count: number, one: string, many = `${one}s`): string {
  return `${renderCount(count)} ${count === 1 ? one : many}`;
}
