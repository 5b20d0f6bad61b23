/** The time of a Date header or a service's timestamp; a timestamp without a zone is UTC. NaN when it is neither. */
export function parseTimeMs(text: string): number {
  const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return Date.parse(iso ? `${text.replace(' ', 'T')}Z` : text);
}
