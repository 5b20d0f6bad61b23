import { ConfigError, type Place } from '../../model/error.ts';

/**
 * The address below which `/v1` stands, without a slash at its end. Errors: ConfigError `base_url.*` for anything but https, or http on this machine,
 * and for a user, query, fragment or a path that ends in /v1.
 */
export function parseBaseUrl(text: string, place: Place = {}): string {
  const refuse = (code: string, reason: string): never => {
    throw new ConfigError(`base_url.${code}`, `base_url "${withoutUser(text)}": ${reason}`, place);
  };
  const whole = withScheme(text);
  if (whole !== undefined)
    return refuse('invalid', `${whole.slice(0, whole.indexOf('//'))}// is missing; write ${whole}`);
  if (!URL.canParse(text))
    return refuse('invalid', 'not an address; write it like https://service.example/path');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refuse('user', 'leave the user and password out');
  if (url.search !== '' || url.hash !== '') return refuse('query', 'leave everything from ? or # on out');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return refuse(
      'insecure',
      'must begin with https://; http:// is for this machine (127.0.0.1) only, because http shows the key to the network',
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (/\/v1$/i.test(path)) return refuse('version', 'leave /v1 out, it is added to every address');
  return url.origin + path;
}

/** `127.0.0.1:8787`, `service.example/path`: a host without a scheme. `localhost:` would be taken for one. */
const BARE = /^(?<host>\[[\da-f:]+\]|localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:\/[^?#@]*)?$/i;

/** An address that lacks nothing but its scheme, with it; undefined for any other. */
function withScheme(text: string): string | undefined {
  const host = BARE.exec(text)?.groups?.['host'];
  return host === undefined ? undefined : `${isLoopback(host) ? 'http' : 'https'}://${text}`;
}

/** Whether an address is of this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//…@').replace(/[?#].*$/, '…');
}
