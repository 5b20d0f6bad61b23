import { pullTarget, pushTarget, RESOURCES } from '../../contract/index.ts';
import type { PushField } from '../../contract/resource.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { Drafting } from './drafting.ts';
import { exactName } from '../header-index.ts';
import { isFileLookup } from '../lookup.ts';
import type { Column, Lookup, LookupFile } from '../mapping.ts';
import { parseLocation } from './parse-source.ts';
import type { ColumnInput } from './push-schema.ts';
import { either, show } from '../show.ts';
import type { Path } from './yaml-document.ts';

type LookupInput = NonNullable<ColumnInput['lookup']>;

/** The lookup that a checked input means. Notes what is wrong with it. */
export function parseLookup(input: ColumnInput['lookup'], at: Path, draft: Drafting): Lookup | undefined {
  if (input === undefined) return undefined;
  const { match = [], match_any: ways, take, on_miss: onMiss, on_ambiguous: onAmbiguous } = input;
  const place = typeof input.in === 'string' ? input.in : fileOf(input.in, [...at, 'in'], draft);
  if ((input.match === undefined) === (ways === undefined))
    draft.note(at, 'needs exactly one of match and match_any');
  if (typeof place === 'string' && ways !== undefined)
    draft.note([...at, 'match_any'], 'is for tables only; write match', 'key');
  if (typeof place === 'string') checkResource(place, { match, take }, at, draft);
  const matchAny = ways?.map((columns) => columns.map(exactName));
  const how = { match: match.map(exactName), ...(matchAny && { matchAny }) };
  return { in: place, ...how, take: exactName(take), onMiss, onAmbiguous };
}

function fileOf(input: Exclude<LookupInput['in'], string>, path: Path, draft: Drafting): LookupFile {
  const { header_row: headerRow, delimiter, encoding, optional } = input;
  return {
    ...parseLocation(input, path, draft),
    headerRow,
    delimiter,
    encoding,
    ...(optional && { optional }),
  };
}

function checkResource(
  name: string,
  { match, take }: Pick<Lookup, 'match' | 'take'>,
  at: Path,
  draft: Drafting,
): void {
  const resource = RESOURCES.find((known) => known === name);
  if (resource === undefined) return;
  const fields = pushTarget(resource)?.lookup;
  if (fields === undefined) {
    const remedy =
      pullTarget(resource)?.readsEach === true
        ? `the service cannot list ${resource}: pull them into a CSV file and write in: { csv: out/${resource}.csv }`
        : `write one of ${RESOURCES.filter((each) => pushTarget(each)?.lookup !== undefined).join(', ')}, the name of a mapping, or { csv: PATH }`;
    draft.note([...at, 'in'], `nothing can be looked up in ${resource}; ${remedy}`);
    return;
  }
  for (const field of match) {
    if (!fields.match.includes(field))
      draft.note(
        [...at, 'match'],
        `${resource} cannot be found by ${show(field)}${didYouMean(field, fields.match)}; write ${either(fields.match)}`,
      );
  }
  if (!fields.take.includes(take))
    draft.note(
      [...at, 'take'],
      `${show(take)} cannot be taken of ${resource}${didYouMean(take, fields.take)}; write ${either(fields.take)}`,
    );
}

/** Notes where a lookup does not fit its column. */
export function checkLookup(
  column: Column,
  field: PushField,
  isSettings: boolean,
  at: Path,
  draft: Drafting,
): void {
  const { lookup, from, value } = column;
  if (lookup === undefined) return;
  const { match } = lookup;
  if (field.type === 'integers' && (!isFileLookup(lookup) || match.length > 1)) {
    draft.note(at, 'the elements of a list can be looked up in a table only, by one column');
  }
  if (match.length > 1 && from.length !== match.length) {
    draft.note(
      [...at, 'match'],
      `names ${match.length} columns: write from with as many headers, in the same order`,
    );
  }
  if (isSettings && value === undefined)
    draft.note(at, 'in a table of settings only a value can be looked up');
}
