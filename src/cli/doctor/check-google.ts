import { existsSync } from 'node:fs';
import type { Mapping } from '../../mapping/mapping.ts';
import { EXIT } from '../../model/error.ts';
import type { SourceLocation } from '../../model/tables/table.ts';
import { findCredentials, identityOf, type Credentials } from '../../tables/google/connection/credentials.ts';
import { checkToken } from '../../tables/google/connection/sign-in.ts';
import { findTab, readSpreadsheet } from '../../tables/google/spreadsheet.ts';
import type { GoogleAccess } from '../../tables/google/sheets-client.ts';
import type { Config } from '../../runtime/config/config.ts';
import { attempt, good, type Finding } from './finding.ts';
import { googleConnectionOf, loginFileOf, openGoogle } from '../../runtime/google.ts';
import { isPush } from '../../runtime/config/mappings.ts';
import type { Program } from '../program.ts';
import { sayGoogle } from '../render/google.ts';
import { openState } from '../../runtime/state.ts';

/** The tabs that mappings read in one spreadsheet, with the mapping of each; none where reports go alone. */
type Sources = ReadonlyMap<string, string>;

/** What mappings of Google Sheets need: credentials, a token, and each spreadsheet that a mapping names. */
export async function* checkGoogle(
  config: Config,
  mappings: readonly Mapping[],
  program: Program,
): AsyncGenerator<Finding> {
  const spreadsheets = spreadsheetsOf(mappings);
  if (spreadsheets.size === 0 && config.google === undefined && !existsSync(loginFileOf(config))) {
    yield good('Google', 'not configured; only needed for Google Sheets');
    return;
  }
  const found = await attempt('Google', program, () =>
    findCredentials(googleConnectionOf(config).credentials),
  );
  if ('level' in found) {
    yield found;
    return;
  }
  const { credentials, warnings } = found;
  for (const warning of warnings) yield { level: 'warning', name: 'secrets', found: warning };
  const token = await attempt('Google token', program, async () => {
    await checkToken(credentials, program);
    return good('Google token', 'Google gives a token');
  });
  // What the machine is set up with shows only when a token is had.
  if (credentials.kind !== 'machine' || token.level === 'good') yield good('Google', describe(credentials));
  yield token;
  if (token.level === 'good' && spreadsheets.size > 0)
    yield* checkSpreadsheets(config, spreadsheets, program, warnings);
}

function describe(credentials: Credentials): string {
  const { email } = identityOf(credentials);
  const { file = 'this machine', origin } = credentials;
  const share = email === undefined ? '' : `; spreadsheets must be shared with ${email}`;
  if (origin === 'login') return `login of ${email ?? 'a person'} (${file})`;
  return `${origin === 'key' ? 'service account' : 'Application Default Credentials'} (${file})${share}`;
}

function spreadsheetsOf(mappings: readonly Mapping[]): ReadonlyMap<string, Sources> {
  const spreadsheets = new Map<string, Map<string, string>>();
  const tabsOf = (spreadsheet: string): Map<string, string> => {
    const tabs = spreadsheets.get(spreadsheet) ?? new Map<string, string>();
    spreadsheets.set(spreadsheet, tabs);
    return tabs;
  };
  for (const mapping of mappings) {
    const source = sourceOf(mapping);
    if (source?.kind === 'sheet') tabsOf(source.spreadsheet).set(source.tab, mapping.name);
    // The tab of a report is made when it is missing.
    if (!isPush(mapping) && mapping.destination.location.kind === 'sheet')
      tabsOf(mapping.destination.location.spreadsheet);
  }
  return spreadsheets;
}

/** The table that a mapping reads: that of its rows, or that of its player ids. */
function sourceOf(mapping: Mapping): SourceLocation | undefined {
  if (isPush(mapping)) return mapping.source.location;
  return mapping.ids?.kind === 'column' ? mapping.ids.source.location : undefined;
}

async function* checkSpreadsheets(
  config: Config,
  spreadsheets: ReadonlyMap<string, Sources>,
  program: Program,
  told: readonly string[],
): AsyncGenerator<Finding> {
  const opened = await attempt('state', program, () => openState(config, program.clock, () => undefined));
  if ('level' in opened) {
    yield opened;
    return;
  }
  const { store } = opened;
  const warned: Finding[] = [];
  const google = openGoogle(config, {
    ...program,
    store,
    emit: (event) => {
      if (event.kind === 'warning' && !told.includes(event.message))
        warned.push({ level: 'warning', name: 'spreadsheet', found: event.message });
    },
    maxWaitMs: config.budget.max_wait,
    readOnly: true,
  });
  try {
    for (const [id, sources] of spreadsheets) {
      const findings = await attempt('spreadsheet', program, () => checkSpreadsheet(google, id, sources));
      yield* 'level' in findings ? [findings] : findings;
      yield* warned.splice(0);
    }
  } finally {
    sayGoogle(google, program);
    await store.close();
  }
}

async function checkSpreadsheet(
  google: GoogleAccess,
  id: string,
  sources: Sources,
): Promise<readonly Finding[]> {
  const spreadsheet = await readSpreadsheet(await google.client(), id);
  const titles = spreadsheet.tabs.map(({ title }) => title).join(', ');
  const missing: Finding[] = [];
  for (const [tab, mapping] of sources) {
    if ((await findTab(google, spreadsheet, tab)) !== undefined) continue;
    missing.push({
      level: 'bad',
      name: 'spreadsheet',
      found: `"${spreadsheet.title}" has no tab "${tab}", which the mapping ${mapping} reads; it has ${titles}`,
      fix: `correct "tab" in the mapping ${mapping}, or the name of the tab`,
      exitCode: EXIT.config,
    });
  }
  const ready = sources.size - missing.length;
  const tabs = sources.size === 0 ? '' : `; ${ready} of ${sources.size} tabs found`;
  return [good('spreadsheet', `"${spreadsheet.title}" can be read${tabs}`), ...missing];
}
