import { resolve } from 'node:path';
import { EXIT, TeamsheetError, UsageError, type ExitCode } from '../../model/error.ts';
import { findCredentials, identityOf, type Credentials } from '../../tables/google/connection/credentials.ts';
import { logIn, readDesktopClient, revokeLogin } from '../../tables/google/connection/login.ts';
import { checkToken, scopeFor } from '../../tables/google/connection/sign-in.ts';
import { stepLink } from '../../tables/google/connection/steps.ts';
import { readLogin, removeLogin, writeLogin } from '../../tables/google/connection/token-file.ts';
import { defineCommand, type ArgsOf } from '../command.ts';
import { readConfig, type Config } from '../../runtime/config/config.ts';
import { text } from '../flags.ts';
import { googleConnectionOf, loginFileOf } from '../../runtime/google.ts';
import type { Program } from '../program.ts';
import { renderCheck, type Check } from '../render/checks.ts';
import { nextAfterStop } from '../render/stop.ts';
import { safeText } from '../render/text.ts';

const authFlags = { client: text('the JSON file of your own OAuth client of the type "Desktop app"') };
type Action = (args: ArgsOf<typeof authFlags>, config: Config, program: Program) => Promise<ExitCode>;

/** `auth login|status|logout`: a person's own login to Google, and what is in force. */
export const auth = defineCommand({
  options: authFlags,
  positionals: { action: { type: 'string', demandOption: true, describe: 'login, status or logout' } },
  examples: [
    ['auth login --client client.json', 'log in with the browser'],
    ['auth status', 'show which account reads and writes Google Sheets'],
    ['auth logout', 'revoke the login and delete it'],
  ],
  run: (args, program) => {
    const { action } = args;
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (run === undefined)
      throw new UsageError('usage.auth', `there is no "auth ${action}"; there is login, status and logout`);
    const config = readConfig(args, program);
    for (const warning of config.warnings) program.screen.warn(warning);
    return run(args, config, program);
  },
});

const ACTIONS: Readonly<Record<string, Action>> = { login, status, logout };

async function login(...[args, config, program]: Parameters<Action>): Promise<ExitCode> {
  const { screen, clock, signal, cwd } = program;
  if (args.client === undefined)
    throw new UsageError(
      'usage.auth',
      'auth login needs --client FILE: the JSON file of your own OAuth client',
      {
        next: `follow ${stepLink('login')}`,
      },
    );
  const client = readDesktopClient(resolve(cwd, args.client));
  const show = (url: string): void =>
    screen.tell(
      `Open this address in the browser of this machine and allow access to your spreadsheets:\n\n  ${safeText(url)}\n\nWaiting for five minutes; Ctrl-C gives up.`,
    );
  const made = await logIn({ client, clock, signal, show });
  const file = loginFileOf(config);
  await writeLogin(file, made);
  const { email = null, scopes } = made;
  if (screen.json) {
    await screen.data(JSON.stringify({ command: 'auth login', exit_code: EXIT.done, email, scopes, file }));
    return EXIT.done;
  }
  await screen.data(`logged in${email === null ? '' : ` as ${safeText(email)}`}; kept in ${safeText(file)}`);
  if (config.google?.credentials !== undefined)
    screen.warn(
      'google.credentials in teamsheet.yaml takes precedence over this login; remove it to use the login',
    );
  return EXIT.done;
}

async function status(...[, config, program]: Parameters<Action>): Promise<ExitCode> {
  const { screen, clock, signal } = program;
  const { credentials, warnings } = findCredentials(googleConnectionOf(config).credentials);
  for (const warning of warnings) screen.warn(warning);
  const failure = await checkToken(credentials, { clock, signal }).then(
    () => undefined,
    (error: unknown) => {
      // Without credentials there is nothing to show.
      const shown = error instanceof TeamsheetError && error.code !== 'google.no_credentials';
      if (shown && !signal.aborted) return error;
      throw error;
    },
  );
  const exitCode = failure?.exitCode ?? EXIT.done;
  const { email = null } = identityOf(credentials);
  const scopes = scopesOf(credentials);
  const { file = null } = credentials;
  if (screen.json) {
    const error = failure && {
      code: failure.code,
      message: failure.message,
      next: nextAfterStop(failure, program),
    };
    const kind = kindOf(credentials);
    const document = { command: 'auth status', exit_code: exitCode, kind, email, file, scopes, error };
    await screen.data(JSON.stringify(document));
    return exitCode;
  }
  const checks: readonly Check[] = [
    { level: 'good', name: 'credentials', found: KINDS[kindOf(credentials)] },
    { level: 'good', name: 'account', found: email ?? 'Google does not tell its e-mail address' },
    { level: 'good', name: 'file', found: file ?? 'none' },
    { level: 'good', name: 'scopes', found: scopes.join(' ') },
    failure === undefined
      ? { level: 'good', name: 'token', found: 'Google gives a token' }
      : { level: 'bad', name: 'token', found: failure.message, fix: nextAfterStop(failure, program) },
  ];
  for (const check of checks) await screen.data(renderCheck(check, screen.dataStyle));
  return exitCode;
}

async function logout(...[, config, program]: Parameters<Action>): Promise<ExitCode> {
  const { screen } = program;
  const file = loginFileOf(config);
  const stored = readLogin(file);
  const revocation = stored && (await revokeLogin(stored, program));
  if (stored !== undefined) await removeLogin(file);
  const revoked = revocation?.revoked ?? null;
  if (screen.json) {
    const removed = stored !== undefined;
    await screen.data(
      JSON.stringify({ command: 'auth logout', exit_code: EXIT.done, file, removed, revoked }),
    );
    return EXIT.done;
  }
  await screen.data(stored === undefined ? 'there is no login' : `logged out; ${safeText(file)} is removed`);
  if (revocation?.revoked === false)
    screen.warn(
      `the login could not be revoked at Google (${revocation.reason}): remove it at https://myaccount.google.com/connections`,
    );
  return EXIT.done;
}

const KINDS = {
  service_account: 'the key of a service account',
  login: 'the login of a person',
  ambient: 'Application Default Credentials',
} as const;

function kindOf({ origin }: Credentials): keyof typeof KINDS {
  return origin === 'key' ? 'service_account' : origin === 'login' ? 'login' : 'ambient';
}

function scopesOf(credentials: Credentials): readonly string[] {
  return credentials.kind === 'user' ? credentials.login.scopes : [scopeFor(false)];
}
