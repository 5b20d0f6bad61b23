import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { ConfigError, EXIT, UsageError } from '../../model/error.ts';
import { type ArgsOf, defineCommand } from '../command.ts';
import { readConfig, type Config } from '../../runtime/config/config.ts';
import { mappingNames, serveFlags, serviceFlags, text, yes } from '../flags.ts';
import { standsInside } from '../../runtime/config/inside-folder.ts';
import { accountsOf, chosenLeagues } from '../../runtime/config/leagues.ts';
import { isNoMapping, readMappings } from '../../runtime/config/mappings.ts';
import { packagePath } from '../../runtime/package.ts';
import type { Program } from '../program.ts';
import { safeLines } from '../render/text.ts';
import { renderCron } from '../schedule/cron.ts';
import { renderDocker } from '../schedule/docker.ts';
import { renderGithub } from '../schedule/github.ts';
import { renderKubernetes } from '../schedule/kubernetes.ts';
import { runSchedules } from '../schedule/run.ts';
import { showNext } from '../schedule/next.ts';
import { parseInterval, type Interval } from '../schedule/interval.ts';
import type { Job, ScheduleFile } from '../schedule/job.ts';
import { renderSystemd } from '../schedule/systemd.ts';
import { renderWindows } from '../schedule/windows.ts';

/** The systems whose schedulers can be given files. */
const TARGETS: Readonly<Record<string, (job: Job) => readonly ScheduleFile[]>> = {
  cron: renderCron,
  systemd: renderSystemd,
  windows: renderWindows,
  github: (job) => renderGithub(job, repositoryOf(job.folder)),
  docker: renderDocker,
  kubernetes: renderKubernetes,
};
/** The systems that start a container, which can carry out the schedules of the mappings. */
const CONTAINERS: readonly string[] = ['docker', 'kubernetes'];
const TARGET_NAMES = Object.keys(TARGETS);

/** `schedule run`: carries out the schedules of the mappings. `schedule next`: what runs when. `schedule print TARGET`: files with which the system's own scheduler runs `sync --yes`. */
export const schedule = defineCommand({
  options: {
    ...serviceFlags,
    ...serveFlags,
    once: yes('run: what is due now (the first time everything with a schedule), then end'),
    every: text(
      'how often: a part of the hour or the day, such as 15m, 6h or 1d; without it 1h, in a container the schedules of the mappings',
    ),
    at: text('the time of a daily run, such as 06:30; without it 05:00'),
    out: text('write the files into this folder instead of printing them; none is overwritten'),
  },
  positionals: {
    action: {
      type: 'string',
      choices: ['print', 'run', 'next'],
      demandOption: true,
      describe: 'run: carry out the schedules; next: what runs when; print: files for a scheduler',
    },
    target: { type: 'string', describe: `of print: ${TARGET_NAMES.join(', ')}` },
    ...mappingNames,
  },
  examples: [
    ['schedule run', 'carry out the schedules of the mappings until Ctrl-C'],
    ['schedule run --port 8790', 'the same, with the pages of the dashboard'],
    ['schedule next', 'the next ten runs of the mappings with a schedule'],
    ['schedule print cron', 'a line for crontab -e: every hour'],
    ['schedule print systemd --every 15m --out units', 'a service and a timer, as files'],
    ['schedule print windows users prices --at 06:30', 'two mappings, once a day'],
  ],
  run: async (args, program) => {
    const names = args.target === undefined ? [] : [args.target, ...args.mapping];
    if (args.action === 'run') return runSchedules(names, args, program);
    if (args.action === 'next') return showNext(names, args, program);
    const render = targetOf(args.target);
    const interval = parseInterval(args.every, args.at);
    const config = readConfig(args, program);
    if (args.mapping.length > 0) readMappings(config, args.mapping, program);
    const byInterval = args.every !== undefined || args.at !== undefined;
    const ownSchedules =
      CONTAINERS.includes(args.target ?? '') && !byInterval && hasSchedules(config, args.mapping, program);
    const files = render(jobOf(config, { interval, ownSchedules }, args, program));
    warnOfTheWrongPlace(args.target, config, program);
    const { screen } = program;
    if (args.out !== undefined) writeFiles(resolve(program.cwd, args.out), files);
    if (screen.json) {
      const document = { command: 'schedule', exit_code: EXIT.done, target: args.target, files };
      await screen.data(JSON.stringify(document));
    } else {
      const { out } = args;
      const text = out === undefined ? renderFiles(files) : renderNames(out, files);
      await screen.exact(`${text}\n`);
    }
    return EXIT.done;
  },
});

function targetOf(target: string | undefined): (job: Job) => readonly ScheduleFile[] {
  const render = target === undefined || !Object.hasOwn(TARGETS, target) ? undefined : TARGETS[target];
  if (render !== undefined) return render;
  const what =
    target === undefined ? 'schedule print needs the scheduler' : `there is no scheduler "${target}"`;
  throw new UsageError('schedule.target', `${what}: ${TARGET_NAMES.join(', ')}`, {
    next: 'schedule print cron',
  });
}

/** Whether any of the mappings has a schedule. Errors: those of {@link readMappings} but that there are none. */
function hasSchedules(config: Config, names: readonly string[], program: Program): boolean {
  try {
    const mappings = readMappings(config, names, program, undefined, () => undefined);
    return mappings.some(({ timing }) => (timing?.schedule.length ?? 0) > 0);
  } catch (error) {
    if (isNoMapping(error)) return false;
    throw error;
  }
}

/** Who owns a folder; undefined for root, and on Windows. */
function ownerOf(folder: string): Job['owner'] {
  const { uid, gid } = statSync(folder);
  return uid === 0 ? undefined : { user: uid, group: gid };
}

function jobOf(
  config: Config,
  times: { readonly interval: Interval; readonly ownSchedules: boolean },
  args: ArgsOf<typeof mappingNames>,
  { cwd, version }: Program,
): Job {
  const { folder } = config;
  const file = config.file === undefined ? 'teamsheet.yaml' : basename(config.file);
  const below = (path: string): string => relative(folder, path) || '.';
  const key = config.google?.credentials?.file;
  const flags = [
    ...(file === 'teamsheet.yaml' ? [] : ['--config', file]),
    ...(args.env === undefined ? [] : ['--env', args.env]),
    ...(args.league === undefined ? [] : ['--league', args.league]),
    ...(args.mappings === undefined ? [] : ['--mappings', below(resolve(cwd, args.mappings))]),
    ...Object.entries(args.var).flatMap(([name, value]) => ['--var', `${name}=${value}`]),
  ];
  return {
    name: nameOf([basename(folder), ...(args.league === undefined ? [] : [args.league]), ...args.mapping]),
    node: process.execPath,
    bin: packagePath('dist/cli/bin.cjs'),
    packageFolder: resolve(packagePath('.')),
    version,
    folder,
    stateFolder: config.stateFolder,
    args: [...flags, ...args.mapping],
    memories: config.season.keep ? memoriesOf(config, flags) : [],
    ...times,
    owner: ownerOf(folder),
    timezone: config.timezone,
    secrets: secretsOf(config),
    googleKey: key !== undefined && standsInside(folder, key) ? resolve(folder, key) : undefined,
  };
}

/** `weeks export` works in one account: where the leagues are in several, a league of each says which one. */
function memoriesOf(config: Config, flags: readonly string[]): Job['memories'] {
  const accounts = accountsOf(config);
  return accounts.map((account) => {
    const league = accounts.length === 1 ? [] : chosenLeagues(account).slice(0, 1);
    return {
      file: `${['memory', ...league].join('-')}.gz`,
      args: [...flags, ...league.flatMap((name) => ['--league', name])],
    };
  });
}

/** `teamsheet-season-2026-users`: safe in every system; letters of other scripts fall out. */
function nameOf(words: readonly string[]): string {
  const slug = words
    .join('-')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  return slug === '' || slug === 'teamsheet' ? 'teamsheet' : `teamsheet-${slug}`;
}

/** The environment variables that the environments in force take their addresses and keys from. */
const serviceSecretsOf = (config: Config): readonly string[] => [
  ...new Set(accountsOf(config).flatMap(secretsOfAccount)),
];

/** The same, with those of the addresses that alerts go to. */
function secretsOf(config: Config): readonly string[] {
  const sources = config.alerts.flatMap(({ webhook, ping }) => webhook ?? ping ?? []);
  const addresses = sources.flatMap((source) => ('env' in source ? [source.env] : []));
  return [...new Set([...serviceSecretsOf(config), ...addresses])];
}

function secretsOfAccount({ file, environments, environment }: Config): readonly string[] {
  const names = Object.keys(environments ?? {});
  const chosen = environments?.[environment ?? names[0] ?? ''];
  if (file === undefined || chosen === undefined) return ['TEAMSHEET_BASE_URL', 'TEAMSHEET_API_KEY'];
  const inAddress = [...chosen.base_url.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(([, name = '']) => name);
  return [...inAddress, ...('env' in chosen.api_key ? [chosen.api_key.env] : [])];
}

/** The nearest folder upwards that is a repository, or the folder itself. */
function repositoryOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return folder;
  }
}

function warnOfTheWrongPlace(target: string | undefined, config: Config, { screen }: Program): void {
  const windows = process.platform === 'win32';
  if (target === 'windows' ? !windows : windows && (target === 'cron' || target === 'systemd'))
    screen.warn('the paths are those of this machine: print the files on the machine that is to run them');
  if (target === 'github' && serviceSecretsOf(config).length < 2)
    screen.warn(
      'address and key can reach GitHub as secrets only: write them in teamsheet.yaml as ${TEAMSHEET_BASE_URL} and { env: TEAMSHEET_API_KEY }',
    );
}

function renderFiles(files: readonly ScheduleFile[]): string {
  const texts = files.map(({ name, text: content }) =>
    files.length === 1 ? content : `==> ${name} <==\n${content.replaceAll('\r\n', '\n')}`,
  );
  return texts.join('\n').trimEnd();
}

const renderNames = (folder: string, files: readonly ScheduleFile[]): string =>
  files.map(({ name }) => safeLines(join(folder, name))).join('\n');

/** Errors: ConfigError `schedule.exists` before anything is written, `schedule.unwritable`. */
function writeFiles(folder: string, files: readonly ScheduleFile[]): void {
  const there = files.map(({ name }) => join(folder, name)).find((path) => existsSync(path));
  if (there !== undefined) {
    throw new ConfigError('schedule.exists', `${there} exists already; nothing was written`, {
      file: there,
      next: 'delete it, or name another folder with --out',
    });
  }
  for (const { name, text: content } of files) {
    const path = join(folder, name);
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, content, { flag: 'wx' });
    } catch (cause) {
      throw new ConfigError('schedule.unwritable', `${path} cannot be written: ${(cause as Error).message}`, {
        file: path,
        cause,
      });
    }
  }
}
