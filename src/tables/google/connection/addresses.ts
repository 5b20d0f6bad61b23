import { ConfigError } from '../../../model/error.ts';
import { stepLink } from './steps.ts';

/**
 * Checks an address that secrets would be sent to: https at a host of Google, or this machine, for tests. Answers the address when it is of this
 * machine and undefined for Google, whose own address the library knows. Errors: ConfigError `google.address`, which names `what`.
 */
export function loopbackOf(text: string, what: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isLoopbackUrl(url)) return url;
  if (url !== undefined && isGoogleUrl(url)) return undefined;
  throw new ConfigError(
    'google.address',
    `${what} is ${JSON.stringify(text.slice(0, 200))}, which is no address of Google: no secret is sent there`,
    { next: `download the file from the Google Cloud console again; see ${stepLink('key')}` },
  );
}

function isLoopbackUrl({ protocol, hostname }: URL): boolean {
  return (
    (protocol === 'http:' || protocol === 'https:') &&
    (hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname))
  );
}

function isGoogleUrl({ protocol, hostname, username, port }: URL): boolean {
  const host = hostname === 'accounts.google.com' || hostname.endsWith('.googleapis.com');
  return protocol === 'https:' && host && username === '' && port === '';
}
