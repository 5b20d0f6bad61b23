import type { ResourceName } from '../../contract/index.ts';
import type { PushOperation, PushTarget } from '../../contract/resource.ts';
import { requiredFields, variableOf } from '../../mapping/push-fields.ts';
import { ConfigError } from '../../model/error.ts';
import { nearest } from '../../model/nearest.ts';
import { fold, matchHeaders, separatorRemedy, VALUE_HEADERS } from '../header-match.ts';
import type { Session } from '../session.ts';

/** What the command line says of the columns of a file. */
export interface GivenColumns {
  readonly file: string;
  /** By field, its value in every row. */
  readonly set: Readonly<Record<string, string>>;
  /** By header, the field that it is. */
  readonly match: Readonly<Record<string, string>>;
}

export const operationOf = ({ operations }: PushTarget): PushOperation =>
  operations.includes('upsert') ? 'upsert' : (operations[0] ?? 'create');

/** Headers of a points configuration that has one setting in each line. */
const SETTING_HEADERS = ['setting', 'name', 'field'];

/** The columns of a mapping, and the source with the layout that they have. Errors: ConfigError `header.ambiguous`, `import.header`, `import.missing_field`. */
export function bindHeader(
  name: ResourceName,
  target: PushTarget,
  header: readonly string[],
  source: object,
  args: GivenColumns,
  { ports }: Session,
): object {
  const key = header.find((column) => SETTING_HEADERS.includes(fold(column)));
  const value = header.find((column) => VALUE_HEADERS.includes(fold(column)));
  if (
    target.isSettings === true &&
    key !== undefined &&
    value !== undefined &&
    Object.keys(args.match).length === 0
  ) {
    return {
      source: { ...source, layout: 'key_value', key_column: key, value_column: value },
      columns: 'auto',
    };
  }
  const given = Object.entries(args.match).map(
    ([wanted, field]) => [headerCalled(wanted, field, header, args.file), field] as const,
  );
  const { headers, unused, doubtful } = matchHeaders(header, target.fields, new Map(given));
  for (const [field, names] of doubtful)
    if (args.set[field] === undefined) throw doubtfulField(field, names, args.file);
  const columns: Record<string, object> = {};
  const required = requiredFields(name, operationOf(target));
  for (const [field, { type }] of Object.entries(target.fields)) {
    const from = headers.get(field);
    const fixed = args.set[field];
    const variable = variableOf(name, field);
    const words = type === 'boolean' && YES_AND_NO;
    const squad = squadColumn(field, unused);
    if (fixed !== undefined) columns[field] = { value: fixed, ...words };
    else if (from !== undefined) columns[field] = { from, ...words };
    else if (squad !== undefined) columns[field] = squad;
    else if (variable !== undefined && ports.variable(variable) !== undefined)
      columns[field] = { value: `\${${variable}}` };
    else if (required.includes(field)) throw missingField(field, header, target, args);
  }
  return { source, columns };
}

/** The header that `--match` means: as it stands, else the only one that differs in no more than capitals, blanks and signs. */
function headerCalled(wanted: string, field: string, header: readonly string[], file: string): string {
  if (header.includes(wanted)) return wanted;
  const [alike, ...others] = header.filter((name) => fold(name) === fold(wanted));
  if (alike !== undefined && others.length === 0) return alike;
  const near = nearest(wanted, header);
  const separated = separatorRemedy(header, (names) => names.some((name) => fold(name) === fold(wanted)));
  throw new ConfigError(
    'import.header',
    `${file} row 1: no column is called "${wanted}"; there is ${quoted(header)}`,
    { file, line: 1, next: separated ?? (near && `write --match "${near}=${field}"`) },
  );
}

const MEMBER_HEADERS = ['memberid', 'member', 'externalid', 'membershipnumber'];
const PLAYER_HEADER = /^(?:p|player)\d+$/;

/** A squad names its user by your own member id, and its players side by side, where no column is the field itself. */
function squadColumn(field: string, unused: readonly string[]): object | undefined {
  const member = unused.find((column) => MEMBER_HEADERS.includes(fold(column)));
  const players = unused.filter((column) => PLAYER_HEADER.test(fold(column)));
  if (field === 'user_id' && member !== undefined)
    return { from: member, lookup: { in: 'users', match: 'external_id', take: 'user_id' } };
  return field === 'players_in' && players.length > 0 ? { from_all: players, blank: 'omit' } : undefined;
}

const YES_AND_NO = {
  true_values: ['yes', 'y', 'x', 'active'],
  false_values: ['no', 'n', 'inactive'],
  blank: 'omit',
};

const quoted = (names: readonly string[], between = ', '): string =>
  names.map((name) => `"${name}"`).join(between);

function doubtfulField(field: string, names: readonly string[], file: string): ConfigError {
  return new ConfigError(
    'header.ambiguous',
    `${file} row 1: the columns ${quoted(names, ' and ')} both look like ${field}`,
    { file, line: 1, next: `add --match "${names[0] ?? ''}=${field}" to name the right one` },
  );
}

function missingField(
  field: string,
  header: readonly string[],
  { fields }: PushTarget,
  { file }: GivenColumns,
): ConfigError {
  const separated = separatorRemedy(header, (names) =>
    matchHeaders(names, fields, new Map()).headers.has(field),
  );
  const isTitle = header.filter((name) => name !== '').length === 1;
  const other = separated ?? (isTitle ? 'if that is a title, delete all rows above the header' : undefined);
  const match = `add --match "Header=${field}" to name its column, or --set ${field}=value for every row`;
  return new ConfigError(
    'import.missing_field',
    `${file} row 1: no column for ${field} among ${quoted(header)}`,
    {
      file,
      line: 1,
      next: other === undefined ? match : `${match}; or, ${other}`,
    },
  );
}
