import type { Mapping } from '../../mapping/mapping.ts';
import type { ConfigError } from '../../model/error.ts';
import { lackedFiles, lackedFilesError } from '../../runtime/config/mapping-files.ts';
import type { Program } from '../program.ts';
import { safeText } from '../render/text.ts';

/** Tells the mappings whose files this machine has from those that it leaves to others. */
export interface OwnFiles {
  /** Whether all of its files are here; where they are not, it is said once. */
  readonly has: (mapping: Mapping) => boolean;
  /** What says that mappings were left out; undefined where none was. */
  readonly stop: () => ConfigError | undefined;
}

export function ownFiles({ screen }: Pick<Program, 'screen'>): OwnFiles {
  const lacked = new Map<string, readonly string[]>();
  return {
    has: (mapping) => {
      const { name } = mapping;
      const files = lackedFiles(mapping);
      const text = files.join(', ');
      if (files.length > 0 && lacked.get(name)?.join(', ') !== text)
        screen.warn(
          `${name} is left to other machines: ${safeText(text)} ${files.length === 1 ? 'is' : 'are'} not on this one`,
        );
      lacked.set(name, files);
      return files.length === 0;
    },
    stop: () => lackedFilesError(lacked),
  };
}
