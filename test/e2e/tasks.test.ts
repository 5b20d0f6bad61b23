import { spawn } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BIN, makeFolder, startServer, type Outcome, type Service } from '../support/cli.ts';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { isLong } from '../support/long.ts';
import { serviceOfTest } from '../support/of-test.ts';
import { runHere } from '../support/run-here.ts';
import { smallDemo } from '../support/small-demo.ts';

const docs = join(import.meta.dirname, '../../docs');
const pages = globSync('tasks/[!R]*.md', { cwd: docs }).toSorted();
const read = (page: string): string => readFileSync(join(docs, page), 'utf8');

/** The spreadsheet that the pages name. */
const SPREADSHEET = '1aBcD_eFgHiJkLmNoPqRsTuVwXyZ0123456789';
/** Commands that ask a person before they write; here the answer is yes. */
const ASKING = 'push|sync|import|resume|retry|resolve|substitutions';

/** A fenced block: `csv members.csv` is the text of a file, `sh` is commands, `text` after them is what they print. */
interface Block {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

/** The blocks of a page; those of a list are indented. */
const blocksOf = (page: string): readonly Block[] =>
  [...read(page).matchAll(/^( *)```(\w+)(?: (\S+))?\n([^]*?)^ *```$/gm)].map(
    ([, indent = '', language = '', file, text = '']) => ({
      language,
      file,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );

/** What is printed, with `…` for anything: ids, times and addresses differ from run to run. */
const pattern = (line: string): RegExp =>
  new RegExp(
    `^${line
      .trim()
      .split('…')
      .map((part) => part.replaceAll(/[^\w ]/g, String.raw`\$&`))
      .join('.*')}$`,
  );

const folder = makeFolder();
const shims = join(folder.path, 'bin');
let google: FakeGoogle;
/** Runs a command that the shell hands over: its folder and its words, each ended by NUL. Answers with a folder of what came of it. */
let here: Awaited<ReturnType<typeof startServer>>;
/** The environment of the page that is tried. */
let env: Readonly<Record<string, string>> = {};
let answers = 0;

async function answerTo(request: AsyncIterable<Buffer>): Promise<string> {
  const [cwd = '', ...args] = Buffer.concat(await Array.fromAsync(request))
    .toString()
    .split('\0')
    .slice(0, -1);
  const { code, stdout, stderr } = await runHere(args, { cwd, env });
  const place = `answers/${(answers += 1)}`;
  folder.write(`${place}/stdout`, stdout);
  folder.write(`${place}/stderr`, stderr);
  folder.write(`${place}/code`, String(code));
  return join(folder.path, place);
}

beforeAll(async () => {
  google = await startFakeGoogle();
  const rows = [
    ['Member ID', 'Name', 'Active'],
    ['S-1', 'Ada Appletree', 'yes'],
    ['S-2', 'Björn Birkenblüte', ''],
  ];
  google.add({ id: SPREADSHEET, title: 'League', tabs: [{ title: 'Members', rows }] });
  here = await startServer((request, response) => {
    void answerTo(request).then(
      (place) => response.end(place),
      () => response.destroy(),
    );
  });
  mkdirSync(shims);
  // `npx teamsheet …` is the program of this checkout: what is built in the long form, else its sources in this process.
  const program = isLong
    ? `exec '${process.execPath}' '${BIN}' "$@"`
    : `answer=$(printf '%s\\0' "$PWD" "$@" | curl --fail --silent --show-error --data-binary @- '${here.baseUrl}') || exit 99
cat "$answer/stdout"
cat "$answer/stderr" >&2
exit "$(cat "$answer/code")"`;
  const shim = `#!/bin/sh
shift
case "$1" in ${ASKING}) set -- "$@" --yes ;; esac
${program}
`;
  writeFileSync(join(shims, 'npx'), shim);
  chmodSync(join(shims, 'npx'), 0o755);
});
afterAll(async () => {
  await Promise.all([google.close(), here.close()]);
  folder.remove();
});

/** A folder that `init` made, beside a service with a season under way. */
async function setUp(name: string, service: Service): Promise<string> {
  folder.write('google-key.json', JSON.stringify(google.keyFile));
  chmodSync(join(folder.path, 'google-key.json'), 0o600);
  const made = await runHere(['init', name, '--google-key', 'google-key.json'], {
    cwd: folder.path,
    env: service.env,
  });
  expect(made).toMatchObject({ code: 0 });
  const path = join(folder.path, name);
  const config = readFileSync(join(path, 'teamsheet.yaml'), 'utf8');
  const known = config
    .replace('fantasy_league_id: ', 'fantasy_league_id: 1')
    .replace('price_type: ', 'price_type: current');
  writeFileSync(join(path, 'teamsheet.yaml'), known);
  return path;
}

/** Runs one line of a shell. */
function runLine(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Outcome> {
  const child = spawn('bash', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

it.each(pages)('the commands of %s do what it says', async (page) => {
  const service = await serviceOfTest(
    smallDemo(folder.path, { per_minute: 100_000, per_day: 1_000_000 }, '2026-08-10T09:00:00Z'),
  );
  // The rehearsal begins before the season, the other tasks after its first week.
  if (!page.endsWith('rehearse-a-season.md')) {
    await service.sandbox.control('POST', '/play-next-week');
    await service.sandbox.control('POST', '/clock', { advance: '1h' });
  }
  const cwd = await setUp(basename(page, '.md'), service);
  env = {
    PATH: `${shims}:${process.env['PATH'] ?? ''}`,
    HOME: cwd,
    npm_execpath: 'npx',
    XDG_STATE_HOME: join(cwd, '.xdg'),
    TEAMSHEET_GOOGLE_ROOT_URL: google.rootUrl,
    METADATA_SERVER_DETECTION: 'none',
    SANDBOX: service.baseUrl,
    CONTROL_KEY: service.sandbox.controlKey,
  };
  let printed: string[] = [];
  for (const { language, file, text } of blocksOf(page)) {
    if (file !== undefined) writeFileSync(join(cwd, file), text);
    else if (language === 'sh') {
      printed = [];
      for (const line of text.split('\n').filter((each) => each !== '')) {
        const wanted = Number(/# .*\bexit (\d+)/.exec(line)?.[1] ?? 0);
        const { code, stdout, stderr } = await runLine(line, cwd, env);
        expect({ line, code, stderr }).toMatchObject({ line, code: wanted });
        printed.push(...`${stdout}\n${stderr}`.split('\n').map((each) => each.trim()));
      }
    } else if (language === 'text' && !text.startsWith('$ ')) {
      // A text that begins with its command was typed in a terminal of its own.
      for (const line of text.split('\n').filter((each) => !['', '…'].includes(each.trim())))
        expect(printed).toContainEqual(expect.stringMatching(pattern(line)));
    }
  }
});

it('every task stands in the index, and has commands', () => {
  const index = read('tasks/README.md');
  for (const page of pages) {
    expect(index).toContain(`(${basename(page)})`);
    expect(blocksOf(page).filter(({ language }) => language === 'sh').length).toBeGreaterThan(2);
  }
});
