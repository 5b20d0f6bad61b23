import { isAbsolute, posix, relative, sep } from 'node:path';
import { Scalar, stringify } from 'yaml';
import type { Job } from './job.ts';

/** Where the folder of the configuration stands in a container: the working folder of the image. */
export const LEAGUE = '/league';
/** The account and group of the image that are not root, by number. */
export const IMAGE_USER = 1000;
/** The port of the probe in the image. */
export const PROBE_PORT = 8791;

/** How the image is called. */
export const imageOf = ({ version }: Job): string => `teamsheet:${version}`;

/** The words that run in the container: the schedules of the mappings with a probe at `host`, or one sync. */
export function containerCommand({ ownSchedules, args }: Job, host: string): readonly string[] {
  const words = ownSchedules ? ['schedule', 'run', '--probe', `${host}:${PROBE_PORT}`] : ['sync'];
  return ['teamsheet', ...words, '--yes', '--no-color', '--no-progress', ...args];
}

/** A path of this machine as it is called in the container: in the folder it is below {@link LEAGUE}, elsewhere it keeps its name. */
export function inContainer(path: string, folder: string): string {
  const way = relative(folder, path);
  const outside = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return outside ? path : posix.join(LEAGUE, way.split(sep).join('/'));
}

/** Documents of YAML with every text in quotes, so that no reader takes one for a number or a boolean; a {@link script} stays readable. */
export function yamlOf(...documents: readonly object[]): string {
  return documents
    .map((document) =>
      stringify(document, {
        defaultStringType: 'QUOTE_DOUBLE',
        defaultKeyType: 'PLAIN',
        lineWidth: 0,
        aliasDuplicateObjects: false,
      }),
    )
    .join('---\n');
}

/** Lines of a shell as a block of YAML. */
export function script(lines: readonly string[]): Scalar<string> {
  const scalar = new Scalar(lines.map((line) => `${line}\n`).join(''));
  scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}
