import { AccessError, TeamsheetError } from '../../model/error.ts';
import { parseBaseUrl } from '../../runtime/config/base-url.ts';
import type { Program } from '../program.ts';
import { answered } from './ask-vars.ts';
import { findLeagues, type League } from './find-leagues.ts';
import type { Access } from './setup-files.ts';

/** A service with its key, and the fantasy leagues that it shows to that key. */
interface Asked {
  readonly access: Access;
  readonly leagues: readonly League[];
}

/** Asks a person at a terminal for address and key, and for the key again while the service refuses it; without one, the environment alone says them. */
export async function askAccess(program: Program): Promise<Asked> {
  const { env, interactive, screen } = program;
  const found = { baseUrl: env['TEAMSHEET_BASE_URL'] ?? '', apiKey: env['TEAMSHEET_API_KEY'] ?? '' };
  const isWhole = found.baseUrl !== '' && found.apiKey !== '';
  if (!interactive || screen.json) {
    return {
      access: { ...found, baseUrl: found.baseUrl === '' ? '' : parseBaseUrl(found.baseUrl) },
      leagues: [],
    };
  }
  const baseUrl = isWhole ? parseBaseUrl(found.baseUrl) : await askBaseUrl(found.baseUrl, program);
  return askKey(baseUrl, found.apiKey, program);
}

async function askBaseUrl(initialValue: string, { signal }: Program): Promise<string> {
  const { text } = await import('@clack/prompts');
  const baseUrl = answered(
    await text({
      output: process.stderr,
      signal,
      message: 'Address of the service, without /v1 (empty: fill it in later)',
      placeholder: 'https://service.example',
      initialValue,
      validate: (value) => (value === undefined || value === '' ? undefined : refusal(value)),
    }),
    signal,
  );
  return baseUrl === '' ? '' : parseBaseUrl(baseUrl);
}

/** A key that was typed wrong is asked for so often. */
const MOST_KEYS = 3;

/** A key of the environment wins over one in `.env`, so that no other is asked for. A refused one is not written. */
async function askKey(baseUrl: string, given: string, program: Program): Promise<Asked> {
  const { screen, signal } = program;
  for (let typed = 0; ; typed += 1) {
    const apiKey = given === '' ? await typeKey(signal) : given;
    try {
      return { access: { baseUrl, apiKey }, leagues: await findLeagues({ baseUrl, apiKey }, program) };
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      screen.warn(error.message);
    }
    if (given !== '') {
      screen.warn(
        'this key is TEAMSHEET_API_KEY of the environment, which wins over .env: set the right one there, or unset it',
      );
      return { access: { baseUrl, apiKey: '' }, leagues: [] };
    }
    if (typed + 1 === MOST_KEYS) {
      screen.warn('no key is written: put the right one into .env, as TEAMSHEET_API_KEY');
      return { access: { baseUrl, apiKey: '' }, leagues: [] };
    }
  }
}

async function typeKey(signal: AbortSignal): Promise<string> {
  const { password } = await import('@clack/prompts');
  const message = 'API key (hidden; empty: fill it in later)';
  return answered(await password({ output: process.stderr, signal, message }), signal);
}

function refusal(text: string): string | undefined {
  try {
    parseBaseUrl(text);
    return undefined;
  } catch (cause) {
    if (cause instanceof TeamsheetError) return cause.message;
    throw cause;
  }
}
