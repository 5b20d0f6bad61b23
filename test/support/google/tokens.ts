import { createHash, createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto';

const SHEETS = 'https://www.googleapis.com/auth/spreadsheets';
const DRIVE = 'https://www.googleapis.com/auth/drive';
const WRITING = [SHEETS, DRIVE, `${DRIVE}.file`];
const READING = [...WRITING, `${SHEETS}.readonly`, `${DRIVE}.readonly`];
const LIFETIME_S = 3600;
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';

/** An answer of the token or login endpoints. */
export interface TokenAnswer {
  readonly status: number;
  readonly body: object;
}

interface Login {
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly scope: string;
  readonly offline: boolean;
}

function refuse(error: string, description: string, status = 400): TokenAnswer {
  return { status, body: { error, error_description: description } };
}

function jsonOf(part: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Readonly<Record<string, unknown>>;
  } catch {
    // Whatever is not JSON is not a token; the caller refuses what the claims lack.
    return {};
  }
}

/** Google's login, as far as programs on a desktop and service accounts use it. One fresh RSA key for the service account. */
export function createTokens(rootUrl: string, now: () => number) {
  // Made when it is first asked for, because most tests bring a token instead.
  let pair: { readonly privateKey: string; readonly publicKey: string } | undefined;
  const keys = () =>
    (pair ??= generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }));
  const tokenUri = `${rootUrl}token`;
  const account = 'league-office@teamsheet-fake.iam.gserviceaccount.com';
  const client = { id: '100000000001-fake.apps.googleusercontent.com', secret: 'fake-client-secret' };
  const access = new Map<string, { scope: string; expiresAtMs: number }>();
  const refresh = new Map<string, string>();
  const codes = new Map<string, Login>();
  let allowed = true;

  const issue = (scope: string, extra: object = {}): TokenAnswer => {
    const token = `ya29.fake-${randomUUID()}`;
    access.set(token, { scope, expiresAtMs: now() + LIFETIME_S * 1000 });
    return {
      status: 200,
      body: { access_token: token, expires_in: LIFETIME_S - 1, token_type: 'Bearer', scope, ...extra },
    };
  };

  const serviceAccount = (assertion: string): TokenAnswer => {
    const [header, claims, signature] = assertion.split('.');
    const { iss, aud, scope, iat, exp } = jsonOf(claims);
    if (iss !== account) return refuse('invalid_grant', 'Invalid grant: account not found');
    const signed = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      createPublicKey(keys().publicKey),
      Buffer.from(signature ?? '', 'base64url'),
    );
    if (jsonOf(header)['alg'] !== 'RS256' || !signed)
      return refuse('invalid_grant', 'Invalid JWT Signature.');
    if (aud !== tokenUri && aud !== GOOGLE_TOKEN_URL)
      return refuse('invalid_grant', 'Invalid JWT: Failed audience check.');
    const nowS = now() / 1000;
    const [from, to] = [Number(iat), Number(exp)];
    if (!(to > nowS - 60 && from < nowS + 300 && to - from <= LIFETIME_S))
      return refuse(
        'invalid_grant',
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      );
    if (typeof scope !== 'string' || scope === '')
      return refuse('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    return issue(scope);
  };

  const fromCode = (form: URLSearchParams): TokenAnswer => {
    const code = form.get('code') ?? '';
    const login = codes.get(code);
    codes.delete(code);
    if (login === undefined) return refuse('invalid_grant', 'Malformed auth code.');
    if (form.get('redirect_uri') !== login.redirectUri) return refuse('redirect_uri_mismatch', 'Bad Request');
    const verifier = form.get('code_verifier');
    if (login.challenge !== null) {
      if (verifier === null) return refuse('invalid_grant', 'Missing code verifier.');
      if (createHash('sha256').update(verifier).digest('base64url') !== login.challenge)
        return refuse('invalid_grant', 'Invalid code verifier.');
    }
    if (!login.offline) return issue(login.scope);
    const token = `1//fake-${randomUUID()}`;
    refresh.set(token, login.scope);
    return issue(login.scope, { refresh_token: token });
  };

  return {
    /** What a service account's key file holds. */
    get keyFile() {
      return {
        type: 'service_account',
        project_id: 'teamsheet-fake',
        private_key_id: 'fake-key-1',
        private_key: keys().privateKey,
        client_email: account,
        client_id: '100000000000000000001',
        auth_uri: `${rootUrl}auth`,
        token_uri: tokenUri,
        auth_provider_x509_cert_url: `${rootUrl}certs`,
        universe_domain: 'googleapis.com',
      };
    },
    /** What the file of a client of the kind "desktop" holds. */
    desktopClient: {
      installed: {
        client_id: client.id,
        project_id: 'teamsheet-fake',
        auth_uri: `${rootUrl}auth`,
        token_uri: tokenUri,
        auth_provider_x509_cert_url: `${rootUrl}certs`,
        client_secret: client.secret,
        redirect_uris: ['http://localhost'],
      },
    },
    /** The token endpoint. */
    exchange(form: URLSearchParams): TokenAnswer {
      const grant = form.get('grant_type');
      if (grant === 'urn:ietf:params:oauth:grant-type:jwt-bearer')
        return serviceAccount(form.get('assertion') ?? '');
      if (grant !== 'authorization_code' && grant !== 'refresh_token')
        return refuse('unsupported_grant_type', `Invalid grant_type: ${grant ?? ''}`);
      if (form.get('client_id') !== client.id)
        return refuse('invalid_client', 'The OAuth client was not found.', 401);
      if (form.get('client_secret') !== client.secret) return refuse('invalid_client', 'Unauthorized', 401);
      if (grant === 'authorization_code') return fromCode(form);
      const scope = refresh.get(form.get('refresh_token') ?? '');
      return scope === undefined
        ? refuse('invalid_grant', 'Token has been expired or revoked.')
        : issue(scope);
    },
    /** The login page, which answers at once: the address to go back to, or a text of what is wrong with the request. */
    login(query: URLSearchParams): { readonly location: string } | { readonly problem: string } {
      const redirectUri = query.get('redirect_uri') ?? '';
      const target = URL.parse(redirectUri);
      if (query.get('client_id') !== client.id) return { problem: 'Error 401: invalid_client' };
      if (
        target === null ||
        target.protocol !== 'http:' ||
        !['127.0.0.1', 'localhost', '[::1]'].includes(target.hostname)
      )
        return { problem: 'Error 400: redirect_uri_mismatch' };
      const scope = query.get('scope') ?? '';
      if (query.get('response_type') !== 'code' || scope === '')
        return { problem: 'Error 400: invalid_request' };
      const challenge = query.get('code_challenge');
      if (challenge !== null && query.get('code_challenge_method') !== 'S256')
        return { problem: 'Error 400: invalid_request (the fake knows S256 only)' };
      const state = query.get('state');
      if (state !== null) target.searchParams.set('state', state);
      if (allowed) {
        const code = `4/fake-${randomUUID()}`;
        codes.set(code, { redirectUri, challenge, scope, offline: query.get('access_type') === 'offline' });
        target.searchParams.set('code', code);
        target.searchParams.set('scope', scope);
      } else target.searchParams.set('error', 'access_denied');
      return { location: target.href };
    },
    /** The revocation endpoint. */
    revoke(token: string): TokenAnswer {
      const known = [access.delete(token), refresh.delete(token)].includes(true);
      return known ? { status: 200, body: {} } : refuse('invalid_token', 'Token expired or revoked');
    },
    /** Whether a token may do something: `unknown` stands for expired too. */
    check(token: string | undefined, kind: 'read' | 'write'): 'ok' | 'unknown' | 'scope' {
      const known = token === undefined ? undefined : access.get(token);
      if (known === undefined || known.expiresAtMs <= now()) return 'unknown';
      const enough = kind === 'write' ? WRITING : READING;
      return known.scope.split(' ').some((scope) => enough.includes(scope)) ? 'ok' : 'scope';
    },
    /** A token of the given scope, for tests that bring their own. */
    accessToken(scope: string): string {
      const { body } = issue(scope);
      return 'access_token' in body ? String(body.access_token) : '';
    },
    /** Whether the person at the login page says yes from now on. */
    allowLogin(answer: boolean): void {
      allowed = answer;
    },
    /** Ends every access token; refresh tokens too when `all` is set. */
    expire(all: boolean): void {
      access.clear();
      if (all) refresh.clear();
    },
  };
}

/** What {@link createTokens} makes. */
export type Tokens = ReturnType<typeof createTokens>;
