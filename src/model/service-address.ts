const THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The same address for every name that a service on this machine has, so that one service has one lock; any other address comes back as it is. */
export function canonicalBaseUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  if (!THIS_MACHINE.has(hostname)) return baseUrl;
  return `${protocol}//127.0.0.1${port === '' ? '' : `:${port}`}${pathname.replace(/\/+$/, '')}`;
}
