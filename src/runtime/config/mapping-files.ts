import type { LookupFile, Mapping, Source } from '../../mapping/mapping.ts';
import { ConfigError } from '../../model/error.ts';
import { fileOf, type SourceLocation } from '../../model/tables/table.ts';
import { filesOf, isPattern, originOf } from '../../tables/file-pattern.ts';
import { systemCode } from '../../tables/system-error.ts';

type Read = Pick<Source, 'origin' | 'optional'> & { readonly location: SourceLocation };

/** The files that a mapping reads and that this machine does not have, as the mapping calls them. What may be missing is none of them, and what it writes neither. */
export function lackedFiles(mapping: Mapping): readonly string[] {
  const lacked = readBy(mapping).filter(({ location, optional }) => {
    const file = fileOf(location);
    return file !== undefined && optional !== true && !isThere(file);
  });
  return [...new Set(lacked.map(({ origin }) => origin))];
}

/** Whether a file is there, or one that a pattern means. */
export const isThere = (file: string): boolean => foundOf(file).length > 0;

/** The files that a path means; none where the folder cannot be read, as whoever opens one says. */
function foundOf(file: string): readonly string[] {
  try {
    return filesOf(file);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

/** The mapping, whose messages name the file that the pattern of its source means; the pattern where that is not one file. */
export function namingFile(mapping: Mapping): Mapping {
  if (mapping.direction === 'pull') return mapping;
  const { source } = mapping;
  const file = fileOf(source.location);
  if (file === undefined || !isPattern(file)) return mapping;
  const [found, ...others] = foundOf(file);
  if (found === undefined || others.length > 0) return mapping;
  return { ...mapping, source: { ...source, origin: originOf(found, file, source.origin) } };
}

function readBy(mapping: Mapping): readonly Read[] {
  if (mapping.direction === 'pull') return mapping.ids?.kind === 'column' ? [mapping.ids.source] : [];
  const columns = mapping.columns === 'auto' ? [] : mapping.columns;
  const lookedUp = columns.flatMap(({ lookup }): readonly LookupFile[] =>
    typeof lookup?.in === 'object' ? [lookup.in] : [],
  );
  return [mapping.source, ...lookedUp];
}

/** What says that mappings, by their names, read files that this machine does not have: ConfigError `worker.files`; undefined where none does. */
export function lackedFilesError(lacked: ReadonlyMap<string, readonly string[]>): ConfigError | undefined {
  const some = [...lacked].filter(([, files]) => files.length > 0);
  if (some.length === 0) return undefined;
  const reads = some.map(([name, files]) => `${name} reads ${files.join(', ')}`).join('; ');
  return new ConfigError('worker.files', `${reads}, which this machine does not have`, {
    next: 'put the files into a folder that all machines see, such as a shared volume',
  });
}
