import type { Mapping } from '../../mapping/mapping.ts';
import { ConfigError } from '../../model/error.ts';
import { lackedFiles } from '../../runtime/mapping-files.ts';
import type { Program } from '../program.ts';
import { safeText } from '../render/text.ts';

/** Tells the mappings whose files this machine has from those that it leaves to others. */
export interface OwnFiles {
  /** Whether all of its files are here; where they are not, it is said once. */
  readonly has: (mapping: Mapping) => boolean;
  /** What says that mappings were left out, with the code `worker.files`; undefined where none was. */
  readonly stop: () => ConfigError | undefined;
}

export function ownFiles({ screen }: Pick<Program, 'screen'>): OwnFiles {
  const missing = new Map<string, string>();
  return {
    has: (mapping) => {
      const files = lackedFiles(mapping).join(', ');
      if (files !== '' && missing.get(mapping.name) !== files)
        screen.warn(`${mapping.name} is left to other machines: ${safeText(files)} is not on this one`);
      if (files === '') missing.delete(mapping.name);
      else missing.set(mapping.name, files);
      return files === '';
    },
    stop: () =>
      missing.size === 0
        ? undefined
        : new ConfigError(
            'worker.files',
            `${[...missing].map(([name, files]) => `${name} reads ${files}`).join('; ')}, which this machine does not have`,
            { next: 'put the files into a folder that all machines see, such as a shared volume' },
          ),
  };
}
