import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** Whether the request names this machine: a page of another site that gives its own name an address of this machine does not. */
export const isForThisMachine = ({ headers }: IncomingMessage): boolean =>
  LOOPBACK_NAME.test(headers.host ?? '');

const COOKIE = 'teamsheet';

/** Who may look: whoever has the link that the program printed, and then the cookie that it became. Both end with the program. */
export interface Access {
  /** The path and query of the link. */
  readonly link: string;
  /** Whether the address is that of the link. */
  isLink(url: URL): boolean;
  /** The header that makes a browser keep the cookie; no script reads it and no other site sends it. */
  cookieFor(port: number): string;
  hasCookie(request: IncomingMessage, port: number): boolean;
}

/** A new link and a new cookie. */
export function createAccess(): Access {
  const [token, session] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  // Cookies know no ports: two dashboards of one machine keep theirs under names of their own.
  const nameFor = (port: number): string => `${COOKIE}_${port}`;
  return {
    link: `/?token=${token}`,
    isLink: ({ pathname, searchParams }) =>
      pathname === '/' && isSame(searchParams.get('token') ?? '', token),
    cookieFor: (port) => `${nameFor(port)}=${session}; Path=/; HttpOnly; SameSite=Strict`,
    hasCookie: (request, port) => isSame(cookieOf(request, nameFor(port)), session),
  };
}

function cookieOf({ headers }: IncomingMessage, name: string): string {
  const cookies = (headers.cookie ?? '').split(';').map((one) => one.trim());
  return cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** In a time that tells nothing of either. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}
