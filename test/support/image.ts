import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One line of a Dockerfile, its continued lines joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile in order, without comments. */
export function parseDockerfile(text: string): readonly Instruction[] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, rest] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
      if (name === undefined || rest === undefined)
        throw new Error(`no instruction of a Dockerfile: ${line}`);
      return { name, text: rest };
    });
}

/** What an image says of a container. */
export interface Image {
  /** The folder that stands for the root of the image. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly workdir: string;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/** Where the base image has its Node. */
const NODE = 'usr/local/bin/node';

/** What steps run with: npm takes packages from its cache first, and is not told where an npm that runs these tests works. */
const HOST: NodeJS.ProcessEnv = {
  ...process.env,
  npm_config_prefer_offline: 'true',
  npm_config_local_prefix: undefined,
};

/**
 * Carries out a Dockerfile without a daemon: each stage is a folder below `scratch`, and steps run with the tools of this machine. What a step wants outside of
 * its stage's folders it does not find.
 */
export function buildImage(context: string, scratch: string): Image {
  const stages = new Map<string, string>();
  let image: Image | undefined;
  const current = (): Image => {
    if (image === undefined) throw new Error('the Dockerfile begins without FROM');
    return image;
  };
  const allowed = readFileSync(join(context, '.dockerignore'), 'utf8').match(/(?<=^!).+$/gm) ?? [];
  const steps: Readonly<Record<string, (text: string) => void>> = {
    FROM: (text) => {
      const [, , name = 'image'] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
      const root = join(scratch, name);
      cpSync(process.execPath, join(root, NODE));
      stages.set(name, root);
      image = { root, env: {}, user: undefined, workdir: '/', command: [], healthcheck: [] };
    },
    WORKDIR: (workdir) => {
      mkdirSync(join(current().root, workdir), { recursive: true });
      image = { ...current(), workdir };
    },
    COPY: (text) => {
      const [, stage, from = '', to = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(text) ?? [];
      const target = to.startsWith('/')
        ? join(current().root, to)
        : join(current().root, current().workdir, to);
      if (stage !== undefined) cpSync(join(stages.get(stage) ?? '', from), target, { recursive: true });
      else if (from !== '.') throw new Error(`COPY of ${from} is not carried out here`);
      else for (const name of allowed) cpSync(join(context, name), join(target, name), { recursive: true });
    },
    RUN: (text) => {
      const { root, workdir } = current();
      const { status, stderr } = spawnSync('sh', ['-c', text], {
        cwd: join(root, workdir),
        env: { ...HOST, PATH: `${dirname(join(root, NODE))}:${HOST['PATH'] ?? ''}`, ...current().env },
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`RUN ${text}: ${stderr}`);
    },
    ENV: (text) => {
      image = {
        ...current(),
        env: Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string])),
      };
    },
    USER: (user) => {
      image = { ...current(), user };
    },
    HEALTHCHECK: (text) => {
      image = { ...current(), healthcheck: wordsOf(text.slice(text.indexOf('CMD ') + 4)) };
    },
    CMD: (text) => {
      image = { ...current(), command: wordsOf(text) };
    },
  };
  for (const { name, text } of parseDockerfile(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    const step = steps[name];
    if (step === undefined) throw new Error(`${name} is not carried out here`);
    step(text);
  }
  return current();
}

const wordsOf = (text: string): readonly string[] => JSON.parse(text) as readonly string[];
