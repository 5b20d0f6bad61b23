import { shownText, type Cell, type Fields, type KeptCell } from '../model/tables/cell.ts';
import type { Issue } from '../model/issue.ts';
import type { SourceRow } from '../model/tables/table.ts';
import {
  bindLookups,
  fieldWithoutCell,
  requiredPlace,
  type Binding,
  type BoundField,
  type BoundLookup,
  type CompiledColumn,
} from './bind.ts';
import { numberKeeper } from './cells.ts';
import type { NumberStyle } from './decimal.ts';
import { looseName } from './header-index.ts';
import { isPlanLookup } from './lookup.ts';
import type { Source } from './mapping.ts';
import { didYouMean } from '../model/nearest.ts';
import {
  parsedRow,
  readLookups,
  keptCells,
  unreadRow,
  type Included,
  type NumberKeeper,
  type ParsedRow,
} from './parsed-row.ts';
import { show } from './show.ts';

type Layout = Extract<Source['layout'], { kind: 'key_value' }>;

interface Pair {
  readonly rowNumber: number;
  readonly setting: string;
  readonly cell: Cell;
}

/** All pairs of one league. */
interface Group {
  readonly rowNumber: number;
  readonly cells: readonly Cell[];
  readonly lines: (readonly KeptCell[])[];
  readonly pairs: Pair[];
  /** What is wrong with a line as a whole. */
  readonly issues: Issue[];
  /** The settings of such lines: they are wrong, not missing. */
  readonly unread: Set<string>;
}

/** What the table reader knows already. */
interface Bound {
  readonly included: Included;
  readonly key: readonly string[];
  readonly style: NumberStyle;
}

/**
 * Reads a table of settings: the pairs of one league, told apart by a league column if there is one, are one row at its first line. A setting
 * is found by its field's name or label, regardless of case and blanks.
 * Errors: ConfigError `header.missing`, `mapping.variable`.
 */
export function createPairReader(
  binding: Binding,
  layout: Layout,
  { included, key, style }: Bound,
): { read(batch: readonly SourceRow[]): readonly ParsedRow[]; end(): readonly ParsedRow[] } {
  const { compiled, header } = binding;
  const column = (name: string): number => requiredPlace(binding, [name], 'for the key_value layout').index;
  const keyAt = column(layout.keyColumn);
  const valueAt = column(layout.valueColumn);
  const inColumns = groupColumns(binding, key);
  const groups = new Map<string, Group>();
  const settings = compiled.filter(({ column: each }) => !isPlanLookup(each));
  const lookups = bindLookups(binding);
  const settle = groupParser(binding, settings, inColumns, lookups, key);
  const keepers = settingKeepers(settings, style);

  return {
    read(batch) {
      for (const row of batch) {
        const excluded = row.issues === undefined && !included(row.cells);
        const league = inColumns.map(({ index }) => shownText(row.cells[index] ?? '').trim()).join('/');
        const id = excluded ? `excluded/${row.rowNumber}` : `league/${league}`;
        const group = groups.get(id) ?? {
          rowNumber: row.rowNumber,
          cells: row.cells,
          lines: [],
          pairs: [],
          issues: [],
          unread: new Set<string>(),
        };
        groups.set(id, group);
        const setting = shownText(row.cells[keyAt] ?? '');
        const keeper = keepers.get(looseName(setting));
        const keeperOf: NumberKeeper = (index) => (index === valueAt ? keeper : undefined);
        group.lines.push(keptCells(row.cells, header.names.length, keeperOf));
        for (const issue of row.issues ?? [])
          group.issues.push({ ...issue, column: undefined, row: row.rowNumber });
        if (row.issues !== undefined) group.unread.add(looseName(setting));
        if (excluded || row.issues !== undefined) continue;
        group.pairs.push({ rowNumber: row.rowNumber, setting, cell: row.cells[valueAt] ?? '' });
      }
      return [];
    },
    end: () =>
      [...groups].map(([id, group]) =>
        id.startsWith('excluded/') ? unreadRow(group, 'excluded', []) : settle(group),
      ),
  };
}

/** How the values of settings are kept that are numbers, by their loose names. */
function settingKeepers(
  settings: readonly CompiledColumn[],
  style: NumberStyle,
): ReadonlyMap<string, ReturnType<NumberKeeper>> {
  return new Map(
    settings.flatMap(({ column }) =>
      column.from.map((name) => [looseName(name), numberKeeper(column, style)] as const),
    ),
  );
}

interface GroupColumn extends BoundField {
  readonly index: number;
}

/** Key fields that have a column of their own beside the setting and its value. */
function groupColumns({ compiled, header, used }: Binding, key: readonly string[]): readonly GroupColumn[] {
  return compiled.flatMap(({ column, read }): readonly GroupColumn[] => {
    if (!key.includes(column.field) || isPlanLookup(column)) return [];
    const index = header.find(column.from);
    if (index === undefined || used.has(index)) return [];
    used.add(index);
    const name = header.names[index];
    return [{ field: column.field, index, read: (cells, issues) => read(cells[index] ?? '', name, issues) }];
  });
}

/** Makes one row of a group: every bad, missing, unknown and repeated setting is in its issues. */
function groupParser(
  { mapping, variable }: Binding,
  compiled: readonly CompiledColumn[],
  inColumns: readonly GroupColumn[],
  lookups: readonly BoundLookup[],
  key: readonly string[],
): (group: Group) => ParsedRow {
  const wanted = compiled.filter(({ column }) => !inColumns.some(({ field }) => field === column.field));
  const byName = new Map(
    wanted.flatMap((item) => item.column.from.map((name) => [looseName(name), item] as const)),
  );
  const names = [...new Set(wanted.flatMap(({ column }) => column.from))];
  const withoutPair = (item: CompiledColumn): BoundField | undefined =>
    fieldWithoutCell(mapping, item, variable);

  return (group) => {
    const issues: Issue[] = [...group.issues];
    const values: Record<string, Fields[string]> = {};
    for (const { field, read } of inColumns) {
      const value = read(group.cells, issues);
      if (value !== undefined) values[field] = value;
    }
    const pairs = collectPairs(group, byName, names, issues);
    for (const item of wanted) {
      if (!pairs.has(item) && item.column.from.some((name) => group.unread.has(looseName(name)))) continue;
      const value = readSetting(item, pairs.get(item), withoutPair, issues);
      if (value !== undefined) values[item.column.field] = value;
    }
    const { rowNumber, lines } = group;
    const texts = readLookups(lookups, [], issues);
    return parsedRow({ rowNumber, lines }, inOrder(values, compiled), texts, key, issues);
  };
}

function inOrder(values: Fields, compiled: readonly CompiledColumn[]): Fields {
  return Object.fromEntries(
    compiled.flatMap(({ column: { field } }) => {
      const value = values[field];
      return value === undefined ? [] : [[field, value] as const];
    }),
  );
}

function collectPairs(
  group: Group,
  byName: ReadonlyMap<string, CompiledColumn>,
  names: readonly string[],
  issues: Issue[],
): ReadonlyMap<CompiledColumn, Pair> {
  const pairs = new Map<CompiledColumn, Pair>();
  for (const pair of group.pairs) {
    const { rowNumber: row, setting: value } = pair;
    const refuse = (code: string, message: string): void => {
      issues.push({ code, severity: 'error', row, value, message });
    };
    const item = byName.get(looseName(pair.setting));
    const first = item === undefined ? undefined : pairs.get(item);
    if (item === undefined) {
      const remedy = didYouMean(pair.setting, names);
      const what =
        pair.setting.trim() === '' ? 'its setting is empty' : `unknown setting ${show(pair.setting)}`;
      refuse('setting.unknown', `${what}${remedy === '' ? '; correct it, or delete the row' : remedy}`);
    } else if (first !== undefined) {
      refuse(
        'setting.repeated',
        `setting ${show(pair.setting)} stands already in row ${first.rowNumber}; delete one`,
      );
    } else {
      pairs.set(item, pair);
    }
  }
  return pairs;
}

function readSetting(
  item: CompiledColumn,
  pair: Pair | undefined,
  withoutPair: (item: CompiledColumn) => BoundField | undefined,
  issues: Issue[],
): Fields[string] | undefined {
  const { column, read } = item;
  // An empty value of a field that a variable stands for, as the fantasy league of a template, is as good as none.
  const isBlank = pair !== undefined && shownText(pair.cell).trim() === '';
  const fixed = pair === undefined || isBlank ? withoutPair(item) : undefined;
  if (fixed !== undefined) return fixed.read([], issues);
  if (pair !== undefined) {
    const found: Issue[] = [];
    const value = read(pair.cell, undefined, found);
    for (const issue of found) {
      issues.push({
        ...issue,
        row: pair.rowNumber,
        setting: show(pair.setting.trim()),
        value: shownText(pair.cell),
      });
    }
    return value;
  }
  if (column.default !== undefined) return read('', undefined, issues);
  if (column.required) {
    const name = column.from.at(-1) ?? column.field;
    issues.push({
      code: 'setting.missing',
      severity: 'error',
      setting: show(name),
      message: 'missing; add a row for it',
    });
  }
  return undefined;
}
