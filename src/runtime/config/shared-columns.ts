import type { Condition, PushMapping } from '../../mapping/mapping.ts';
import { show } from '../../mapping/show.ts';
import { ConfigError } from '../../model/error.ts';
import { foldName } from '../../model/fold-name.ts';
import { tableOf } from './league-mappings.ts';

/**
 * Two mappings must not write what became of rows of one tab into one column, and one must not write what another reads, unless no row is of both;
 * `all` are those that push. Errors: ConfigError `mapping.write_back_column`.
 */
export function refuseSharedColumns(read: readonly PushMapping[], all: readonly PushMapping[]): void {
  for (const mapping of read) {
    for (const other of all) {
      if (!isOneTab(mapping, other) || isApart(mapping, other)) continue;
      const column = sharedColumn(mapping, other);
      if (column !== undefined) throw refusal(mapping, column, other, 'writes too');
      const taken = readColumn(mapping, other);
      if (taken !== undefined) throw refusal(mapping, taken, other, 'reads');
    }
  }
}

function refusal(
  { name, place, source }: PushMapping,
  column: string,
  other: PushMapping,
  does: string,
): ConfigError {
  const there = `${other.name} (${other.place.file}:${other.place.line})`;
  return new ConfigError(
    'mapping.write_back_column',
    `${place.file}:${place.line}: ${name}: write_back would write over column ${show(column)} of ${source.origin}, which ${there} ${does}`,
    {
      ...place,
      next: 'Give each of them columns of its own, or a where that leaves out the rows of the other.',
    },
  );
}

/** One mapping in several leagues is refused for its destination. */
function isOneTab({ place, source }: PushMapping, other: PushMapping): boolean {
  const isSame = place.file === other.place.file && place.line === other.place.line;
  return (
    !isSame &&
    source.location.kind === 'sheet' &&
    source.headerRow === other.source.headerRow &&
    tableOf(source.location) === tableOf(other.source.location)
  );
}

function sharedColumn(one: PushMapping, other: PushMapping): string | undefined {
  const taken = new Set(Object.values(other.writeBack ?? {}).map(foldName));
  return Object.values(one.writeBack ?? {}).find((name) => taken.has(foldName(name)));
}

/** Ids are left out: another mapping may read the number of what was created. So are names that a column falls back to. */
function readColumn({ writeBack }: PushMapping, other: PushMapping): string | undefined {
  const { status, message, synced_at: time } = writeBack ?? {};
  const columns = other.columns === 'auto' ? [] : other.columns;
  const taken = new Set(
    columns.flatMap(({ from, fromAll }) => [...from.slice(0, 1), ...fromAll]).map(foldName),
  );
  return [status, message, time].find((name) => name !== undefined && taken.has(foldName(name)));
}

/** Whether no row fulfils the conditions of both. */
const isApart = ({ source: { where } }: PushMapping, other: PushMapping): boolean =>
  where.some((one) => other.source.where.some((another) => contradicts(one, another)));

const contradicts = (one: Condition, other: Condition): boolean =>
  foldName(one.header) === foldName(other.header) &&
  (one.text === other.text ? one.equals !== other.equals : one.equals && other.equals);
