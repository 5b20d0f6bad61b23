import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ConfigError, EXIT, InterruptedError, TeamsheetError } from '../../model/error.ts';
import { parseBaseUrl } from '../base-url.ts';
import { defineCommand } from '../command.ts';
import { packagePath } from '../package.ts';
import type { Program } from '../program.ts';
import { renderColumns, safeText } from '../render/text.ts';

/** `init [DIR]`: writes configuration, mappings and templates; what is there already is kept. */
export const init = defineCommand({
  options: {},
  positionals: { dir: { type: 'string', describe: 'the folder to set up; without it, this one' } },
  examples: [
    ['init', 'set up this folder, asking for the address and the key'],
    ['init season-2026', 'set up a new folder'],
  ],
  run: async ({ dir = '.' }, program) => {
    const { screen, cwd } = program;
    const folder = resolve(cwd, dir);
    const access = await askAccess(program);
    const results = [...plannedFiles(access)].map(([path, file]) => ({
      path,
      written: writeNew(join(folder, path), file),
    }));
    const written = results.filter((file) => file.written).map(({ path }) => path);
    const kept = results.filter((file) => !file.written).map(({ path }) => path);
    if (kept.includes('.gitignore') && !ignoresSecrets(join(folder, '.gitignore'))) {
      screen.warn('the .gitignore that was kept does not name .env: add it, or the key may be committed');
    }
    const shown = relative(cwd, folder) || '.';
    if (screen.json) {
      await screen.data(
        JSON.stringify({ command: 'init', exit_code: EXIT.done, folder: shown, written, kept }),
      );
    } else {
      await screen.data(renderInit(shown, results, access, program));
    }
    return EXIT.done;
  },
});

const ignoresSecrets = (file: string): boolean =>
  readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .some((line) => /^\/?\.env\*?$/.test(line.trim()));

interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

interface NewFile {
  readonly text: string | Buffer;
  readonly private?: true;
}

async function askAccess({ env, interactive, screen, signal }: Program): Promise<Access> {
  const found = { baseUrl: env['TEAMSHEET_BASE_URL'] ?? '', apiKey: env['TEAMSHEET_API_KEY'] ?? '' };
  if (!interactive || screen.json || (found.baseUrl !== '' && found.apiKey !== '')) {
    return { ...found, baseUrl: found.baseUrl === '' ? '' : parseBaseUrl(found.baseUrl) };
  }
  const { password, text } = await import('@clack/prompts');
  const common = { output: process.stderr, signal };
  const baseUrl = answered(
    await text({
      ...common,
      message: 'Address of the service, without /v1 (empty: fill it in later)',
      placeholder: 'https://service.example',
      initialValue: found.baseUrl,
      validate: (value) => (value === undefined || value === '' ? undefined : refusal(value)),
    }),
    signal,
  );
  const apiKey = answered(
    await password({ ...common, message: 'API key (hidden; empty: fill it in later)' }),
    signal,
  );
  return { baseUrl: baseUrl === '' ? '' : parseBaseUrl(baseUrl), apiKey };
}

/** What was typed; a symbol stands for Ctrl-C, and an empty answer may come as undefined. */
function answered(answer: string | symbol | undefined, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (typeof answer === 'symbol') throw new InterruptedError('SIGINT', 'cancelled: nothing was written');
  return answer ?? '';
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

const CONFIG = `# The configuration of teamsheet; every part is described by \`teamsheet schema config\`.
version: 1

environments:
  service:
    base_url: \${TEAMSHEET_BASE_URL}            # stands in .env
    api_key: { env: TEAMSHEET_API_KEY }        # stands in .env; never write a key here
environment: service

# Values for \${name} in the mappings. The first command that needs one that is missing says where it comes from.
vars: {}
#  fantasy_league_id:                           # the number of your fantasy league
#  price_type:                                  # the kind of price; ask your provider for the allowed values

mappings: mappings
state: .teamsheet/state.sqlite
timezone: UTC                                   # dates in reports, such as Europe/London
`;

const IGNORED = `# Keys, the state of teamsheet and reports do not belong into a repository.
.env
*.key.json
.teamsheet/
out/
`;

function plannedFiles({ baseUrl, apiKey }: Access): ReadonlyMap<string, NewFile> {
  return new Map<string, NewFile>([
    ['teamsheet.yaml', { text: CONFIG }],
    [
      '.env',
      { text: `TEAMSHEET_BASE_URL=${quoted(baseUrl)}\nTEAMSHEET_API_KEY=${quoted(apiKey)}\n`, private: true },
    ],
    ['.gitignore', { text: IGNORED }],
    ...shippedFiles('mappings', 'mappings'),
    ...shippedFiles('templates/inputs', 'templates'),
  ]);
}

/** Quoted where the value would not be read back as it is. */
function quoted(value: string): string {
  if (/^[\w.:/+=@%~-]*$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((one) => !value.includes(one)) ?? "'";
  return mark + value + mark;
}

/** The files that the package ships in a folder, for a folder of the operator; programs that made them stay behind. */
function shippedFiles(folder: string, target: string): readonly (readonly [string, NewFile])[] {
  const root = packagePath(folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.[cm]?[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => [join(target, relative(root, path)), { text: readFileSync(path) }]);
}

function writeNew(path: string, file: NewFile): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.text, { flag: 'wx', mode: file.private === true ? 0o600 : 0o666 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new ConfigError('init.unwritable', `${path} cannot be written: ${(cause as Error).message}`, {
      file: path,
      cause,
    });
  }
}

function renderInit(
  folder: string,
  files: readonly { readonly path: string; readonly written: boolean }[],
  { baseUrl, apiKey }: Access,
  { screen, name }: Program,
): string {
  const style = screen.dataStyle;
  const rows = files.map(({ path, written }) =>
    written
      ? [style('green', '+'), safeText(path), '']
      : [style('dim', '='), safeText(path), style('dim', 'kept as it is')],
  );
  const keptEnv = files.some(({ path, written }) => path === '.env' && !written);
  const missing = [
    ...(baseUrl === '' ? ['TEAMSHEET_BASE_URL'] : []),
    ...(apiKey === '' ? ['TEAMSHEET_API_KEY'] : []),
  ];
  const steps = [
    ...(folder === '.' ? [] : [`cd ${safeText(folder)}`]),
    ...(keptEnv
      ? ['check TEAMSHEET_BASE_URL and TEAMSHEET_API_KEY in your .env, which was kept']
      : missing.length > 0
        ? [`fill ${missing.join(' and ')} into .env`]
        : []),
    `${name} doctor`,
    'copy templates/users.csv to users.csv and fill it in',
    `${name} plan users`,
  ];
  return `${renderColumns(rows)}\n\n${style('bold', 'next:')}\n${steps.map((step) => `  ${step}`).join('\n')}`;
}
