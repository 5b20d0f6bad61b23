import { AccessError, ConfigError, UnavailableError, type TeamsheetError } from '../../../model/error.ts';
import { objectIn, parseObject, textIn } from './json-file.ts';
import { stepLink, type Step } from './steps.ts';
import type { Fault } from './wire.ts';

/** Whose right to a spreadsheet is asked for. */
export interface Identity {
  /** A service account, a person who logged in, or whatever the machine is set up with. */
  readonly kind: 'service_account' | 'user' | 'ambient';
  readonly email: string | undefined;
}

/** What a call was about. */
export interface Asked {
  readonly who: Identity;
  readonly spreadsheetId: string;
  readonly access: 'read' | 'write';
}

type Make = new (code: string, message: string, details: { readonly next: string }) => TeamsheetError;

/** What is said of an answer: the class, the code, what happened, what to do, and the section of the guide about it. */
type Verdict = readonly [make: Make, code: string, message: string, remedy: string, step: Step];

/** What neither person nor configuration is to blame for. */
const unavailable = (
  code: string,
  message: string,
  remedy = 'type the same command again later',
): Verdict => [UnavailableError, code, message, remedy, 'network'];

const LONGEST_QUOTE = 300;

/**
 * The error of a call that came to nothing, in people's words: AccessError for 401 and 403, ConfigError for other refusals, UnavailableError for the
 * rest, each with a code `google.*` and the section of the guide that corrects it. What Google says is quoted, shortened, and nothing else of its answer.
 */
export function googleError(fault: Fault, asked: Asked): TeamsheetError {
  const [make, code, message, remedy, step] =
    fault.kind === 'network'
      ? verdictOfNetwork(fault, asked)
      : fault.door === 'token'
        ? verdictOfToken(fault, asked.who)
        : verdictOfAnswer(fault, asked);
  return new make(code, message, { next: `${remedy}; see ${stepLink(step)}` });
}

/** The error of asking for an access token. */
export function tokenError(fault: Fault, who: Identity): TeamsheetError {
  return googleError(fault, { who, spreadsheetId: '', access: 'read' });
}

type Answer = Extract<Fault, { kind: 'answer' }>;

function verdictOfNetwork(
  { fault, reason, sent, door }: Extract<Fault, { kind: 'network' }>,
  { access }: Asked,
): Verdict {
  const doubt =
    access === 'write' && sent && door === 'sheets' ? '; whether it took the change is not known' : '';
  if (fault === 'timeout') return unavailable('google.timeout', `Google Sheets: ${reason}${doubt}`);
  if (fault === 'certificate')
    return unavailable(
      'google.certificate',
      `Google Sheets: ${reason}`,
      'look for a proxy or a virus scanner that opens TLS connections, and at the clock of this machine',
    );
  return unavailable(
    'google.unreachable',
    `Google Sheets: ${reason}${doubt}`,
    'check the network, then type the same command again',
  );
}

/** Google's error document, as far as it is one. */
interface Refusal {
  readonly status: string;
  readonly message: string;
  readonly reasons: readonly string[];
  readonly project: string | undefined;
}

function verdictOfAnswer(answer: Answer, asked: Asked): Verdict {
  const { status, text } = answer;
  const refusal = readRefusal(text);
  const said = refusal.message === '' ? '' : ` (Google: ${quote(refusal.message)})`;
  if (status >= 300 && status < 400)
    return unavailable(
      'google.redirect',
      `Google Sheets answered with a redirect (${status}), which is not followed`,
      'look for a proxy or a login page of the network, and at google.root_url',
    );
  if (status === 401)
    return [AccessError, 'google.token', `Google refused the access token${said}`, ...renew(asked.who)];
  if (status === 404)
    return [
      ConfigError,
      'google.not_found',
      `there is no spreadsheet ${quote(asked.spreadsheetId)}, or it was deleted`,
      'copy its id from the address in the browser: it stands between /d/ and the next slash',
      'id',
    ];
  if (isThrottled(answer))
    return [
      UnavailableError,
      'google.throttled',
      `Google goes on refusing after the waits: 60 reads and 60 writes a minute are counted for each account in each project${said}`,
      'wait a minute, then type the same command again',
      'limits',
    ];
  if (status === 403) return verdictOfForbidden(refusal, asked, said);
  if (status >= 400 && status < 500 && refusal.status !== '')
    return verdictOfBadRequest(refusal, status, asked);
  return verdictOfFailure(answer, said, asked);
}

const LIMITS = /rate_?limit_?exceeded$/i;

/** Whether a call was refused for the quota: with 429, or with 403 as other interfaces of Google answer. */
export const isThrottled = (fault: Fault): boolean =>
  fault.kind === 'answer' &&
  (fault.status === 429 ||
    (fault.status === 403 && readRefusal(fault.text).reasons.some((reason) => LIMITS.test(reason))));

function verdictOfFailure({ status, text }: Answer, said: string, { access }: Asked): Verdict {
  const doubt = access === 'write' ? '; whether it took the change is not known' : '';
  if (/^\s*</.test(text))
    return unavailable(
      'google.html',
      `a web page came instead of an answer of Google Sheets (${status})${doubt}`,
      'look for a proxy or a login page of the network; otherwise type the same command again later',
    );
  if (status < 300)
    return unavailable(
      'google.answer',
      `the answer of Google Sheets is not whole${doubt}`,
      'type the same command again',
    );
  return unavailable('google.error', `Google Sheets failed with ${status}${said}${doubt}`);
}

function verdictOfForbidden(
  { reasons, project, message }: Refusal,
  { who, spreadsheetId, access }: Asked,
  said: string,
): Verdict {
  if (reasons.includes('SERVICE_DISABLED') || reasons.includes('accessNotConfigured'))
    return [
      AccessError,
      'google.api_disabled',
      `the Google Sheets API is not enabled in ${project === undefined ? 'the project of the credentials' : `the project ${quote(project)}`}`,
      `enable it at https://console.cloud.google.com/apis/library/sheets.googleapis.com${project === undefined ? '' : `?project=${encodeURIComponent(project)}`}, wait a few minutes, then try again`,
      'api',
    ];
  if (
    reasons.includes('ACCESS_TOKEN_SCOPE_INSUFFICIENT') ||
    /insufficient authentication scopes/i.test(message)
  )
    return [
      AccessError,
      'google.scope',
      `the credentials do not cover ${access === 'read' ? 'reading' : 'writing'} Google spreadsheets`,
      ...(who.kind === 'user'
        ? (['auth login --client FILE, and leave the box for spreadsheets ticked', 'login'] as const)
        : ([
            'give the credentials the scope https://www.googleapis.com/auth/spreadsheets',
            who.kind === 'ambient' ? 'ambient' : 'key',
          ] as const)),
    ];
  const role = access === 'read' ? 'Viewer, or as Editor where anything is to be written to it' : 'Editor';
  const whom = nameOf(who);
  return [
    AccessError,
    'google.not_shared',
    `${whom} may not ${access === 'read' ? 'read' : 'change'} the spreadsheet ${quote(spreadsheetId)}${said}`,
    who.kind === 'user'
      ? `have it shared with ${whom} as ${role}; or log in with another account`
      : `share it with ${whom} as ${role}`,
    'share',
  ];
}

/** Refusals of one request, told apart by what Google writes. */
function verdictOfBadRequest({ message }: Refusal, status: number, { spreadsheetId }: Asked): Verdict {
  const where = `spreadsheet ${quote(spreadsheetId)}`;
  if (
    /unable to parse range|no grid with id|sheet (with )?id .*not (be )?found|already exists/i.test(message)
  )
    return [
      ConfigError,
      'google.range',
      `${where}: a tab or a part of it came or went while the run was under way (Google: ${quote(message)})`,
      'look at the tabs of the spreadsheet, then type the same command again',
      'id',
    ];
  if (/not supported for this document/i.test(message))
    return [
      ConfigError,
      'google.office_file',
      `${where} is an Excel file that lies in Google Drive, not a Google spreadsheet`,
      'open it, choose "Save as Google Sheets" in the File menu, and use the id of the new one',
      'id',
    ];
  if (/protected (cell|range|sheet)/i.test(message))
    return [
      AccessError,
      'google.protected',
      `${where}: the cells to write are protected`,
      'ask its owner to lift the protection, or to allow this account to edit them',
      'share',
    ];
  if (/limit of \d+ cells/i.test(message))
    return [
      ConfigError,
      'google.too_many_cells',
      `${where}: a spreadsheet holds at most 10,000,000 cells over all tabs`,
      'delete tabs, rows or columns that are not needed, or use another spreadsheet',
      'limits',
    ];
  return [
    ConfigError,
    'google.refused',
    `${where}: Google refused the request with ${status}: ${quote(message)}`,
    'look at the spreadsheet, and report it if it looks as it should',
    'network',
  ];
}

function verdictOfToken(answer: Answer, who: Identity): Verdict {
  const { status, text } = answer;
  const { error, error_description: description } = parseObject(text) ?? {};
  const said = [error, description].filter((part) => typeof part === 'string').join(': ');
  const quoted = said === '' ? '' : ` (Google: ${quote(said)})`;
  if (status === 429 || status >= 500 || status < 400 || said === '')
    return unavailable(
      'google.token_server',
      `Google's server for access tokens answered with ${status} and nothing usable${quoted}`,
      'type the same command again later; look for a proxy or a login page of the network',
    );
  if (/short-lived token|\biat\b|\bexp\b/i.test(said))
    return [
      AccessError,
      'google.clock',
      `Google does not accept the time of this machine${quoted}`,
      'set its clock',
      'key',
    ];
  if (error === 'invalid_client' || error === 'unauthorized_client' || error === 'deleted_client')
    return [
      AccessError,
      'google.client',
      `Google does not know the client that asks, or refuses it${quoted}`,
      ...renew(who),
    ];
  return [AccessError, 'google.expired', `${EXPIRED[who.kind]}${quoted}`, ...renew(who)];
}

const EXPIRED: Readonly<Record<Identity['kind'], string>> = {
  service_account: 'Google refused the key of the service account: it was deleted or disabled',
  user: 'the login expired or was revoked',
  ambient: 'Google refused the credentials of this machine',
};

function renew({ kind }: Identity): readonly [remedy: string, step: Step] {
  if (kind === 'user') return ['auth login --client FILE', 'login'];
  return kind === 'service_account'
    ? ['create a new key for the service account and name its file under google.credentials.file', 'key']
    : ['renew them with gcloud auth application-default login and the flags of the guide', 'ambient'];
}

function nameOf({ kind, email }: Identity): string {
  if (email !== undefined) return quote(email);
  return kind === 'user' ? 'the account that is logged in' : 'the account of the credentials';
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line;
}

function readRefusal(text: string): Refusal {
  const error = objectIn(parseObject(text)?.['error']) ?? {};
  const details = [error['details'], error['errors']].flat().map((detail) => objectIn(detail) ?? {});
  const project = details
    .map(({ metadata }) => textIn(objectIn(metadata) ?? {}, 'consumer'))
    .find((consumer) => consumer?.startsWith('projects/'));
  return {
    status: textIn(error, 'status') ?? '',
    message: textIn(error, 'message') ?? '',
    reasons: details.map((detail) => textIn(detail, 'reason') ?? ''),
    project: project?.slice('projects/'.length),
  };
}
