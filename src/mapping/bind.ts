import { pushTarget } from '../contract/index.ts';
import type { Cell, FieldValue } from '../model/tables/cell.ts';
import { ConfigError } from '../model/error.ts';
import type { Issue } from '../model/issue.ts';
import { compileCell, readList, type CellContext, type CellReader } from './cells.ts';
import { indexHeader, type HeaderIndex } from './header-index.ts';
import {
  compileFileLookup,
  compileText,
  isFileLookup,
  isPlanLookup,
  type LookupTables,
  type Take,
} from './lookup.ts';
import type { Column, PushMapping } from './mapping.ts';
import { listed } from '../model/listed.ts';
import { nearest } from '../model/nearest.ts';
import { columnWith, requiredFields, variableOf, variableSource } from './push-fields.ts';
import { show } from './show.ts';
import { spreadsheetError } from './spreadsheet-error.ts';

/** A column of a push with the reader of its cells. */
export interface CompiledColumn {
  readonly column: Column;
  readonly read: CellReader;
  /** Of a column that is looked up: reads one text that it is looked up by. */
  readonly readText?: CellReader;
  /** Of a column that is looked up in a table: makes the value of the texts. */
  readonly take?: Take;
}

/** Makes the value of one field of a row. */
export interface BoundField {
  readonly field: string;
  readonly read: (cells: readonly Cell[], issues: Issue[]) => FieldValue | undefined;
}

/** Makes the texts that a field of a row is looked up by, once the plan is made. */
export interface BoundLookup {
  readonly field: string;
  readonly read: (cells: readonly Cell[], issues: Issue[]) => readonly string[] | undefined;
}

/** A value that a mapping holds, as a cell. */
export function constantCell(value: string | number | boolean): Cell {
  if (typeof value === 'number') return { kind: 'number', value };
  return typeof value === 'boolean' ? { kind: 'boolean', value } : value;
}

/** The columns of a push in the order of the resource; `auto` is one for each field, under its own name or its label. */
function columnsOf(mapping: PushMapping): readonly Column[] {
  if (mapping.columns !== 'auto') return mapping.columns;
  const required = requiredFields(mapping.resource, mapping.operation);
  return Object.entries(pushTarget(mapping.resource)?.fields ?? {}).map(([name, field]) =>
    columnWith(name, field, required.includes(name), {
      from: [name, field.label],
      ...(name === 'display_name' && mapping.operation !== 'create' ? { blank: 'omit' as const } : {}),
    }),
  );
}

/** The columns of a push with their readers. */
export function compileColumns(
  mapping: PushMapping,
  context: CellContext,
  tables: LookupTables,
): readonly CompiledColumn[] {
  const target = pushTarget(mapping.resource);
  const fields = target?.fields ?? {};
  return columnsOf(mapping).flatMap((column) => {
    const field = fields[column.field];
    if (field === undefined) return [];
    const isKey = target?.key.includes(column.field) === true;
    const { lookup } = column;
    if (lookup === undefined) return [{ column, read: compileCell(column, field, isKey, context) }];
    const readText = compileText(column, lookup, context);
    const table = isFileLookup(lookup) ? tables(lookup) : undefined;
    if (table === undefined) return [{ column, read: readText, readText }];
    return [{ column, readText, ...compileFileLookup(column, field, isKey, context, lookup, table) }];
  });
}

/** A field that has the same value in every row. Errors: ConfigError `mapping.value`. */
function constantField(
  mapping: PushMapping,
  compiled: CompiledColumn,
  value: string | number | boolean,
): BoundField {
  const { field } = compiled.column;
  const issues: Issue[] = [];
  const fixed = compiled.read(constantCell(value), undefined, issues);
  const error = issues.find(({ severity }) => severity === 'error');
  if (error !== undefined || fixed === undefined) {
    const { file, line } = mapping.place;
    const reason = error?.message ?? 'is empty';
    throw new ConfigError(
      'mapping.value',
      `${file}:${line}: ${mapping.name}: the value of ${field}: ${reason}`,
      { file, line },
    );
  }
  return { field, read: () => fixed };
}

/**
 * The field when it needs no cell: its `value`, or for `columns: auto` a variable.
 * Errors: ConfigError `mapping.variable` when a required field has neither a column nor a variable.
 */
export function fieldWithoutCell(
  mapping: PushMapping,
  compiled: CompiledColumn,
  variable: (name: string) => string | undefined,
): BoundField | undefined {
  const { column } = compiled;
  if (column.value !== undefined) return constantField(mapping, compiled, column.value);
  const name = mapping.columns === 'auto' ? variableOf(mapping.resource, column.field) : undefined;
  if (name === undefined) return undefined;
  const value = mapping.autoValues[column.field] ?? variable(name);
  if (value !== undefined) return constantField(mapping, compiled, value);
  const { file, line } = mapping.place;
  throw new ConfigError(
    'mapping.variable',
    `${file}:${line}: ${mapping.name}: ${mapping.source.origin} has no column for ${column.field}, and the variable ${name} is not set`,
    { file, line, next: variableSource(name) },
  );
}

/** The header of a mapping's source. A header that the mapping names as it is is taken for no other name. */
export function sourceHeader(mapping: PushMapping, names: readonly string[]): HeaderIndex {
  const { where, layout } = mapping.source;
  const columns = mapping.columns === 'auto' ? [] : mapping.columns;
  const claimed = [
    ...where.map(({ header }) => header),
    ...(layout.kind === 'key_value' ? [layout.keyColumn, layout.valueColumn] : []),
    ...columns.flatMap(({ from, fromAll }) => [...from, ...fromAll]),
    ...Object.values(mapping.writeBack ?? {}),
  ];
  return indexHeader(names, mapping.source, claimed);
}

/** Headers of a table that a mapping reads. */
export interface ReadColumns {
  readonly used: readonly string[];
  /** Those that tell the rows apart; fewer than the key has fields when some have a fixed value. */
  readonly keys: readonly string[];
}

/** The columns that a mapping reads of a header that was bound to it before. */
export function readColumns(mapping: PushMapping, names: readonly string[]): ReadColumns {
  const header = sourceHeader(mapping, names);
  const { layout, where } = mapping.source;
  const pairs = layout.kind === 'key_value';
  const key = pushTarget(mapping.resource)?.key ?? [];
  const used = new Set<number>();
  const keys = new Set<number>();
  const use = (wanted: readonly string[], isKey: boolean): void => {
    const index = header.find(wanted);
    if (index === undefined) return;
    used.add(index);
    if (isKey) keys.add(index);
  };
  for (const condition of where) use([condition.header], false);
  if (pairs) {
    use([layout.keyColumn], true);
    use([layout.valueColumn], false);
  }
  for (const { field, from, fromAll, lookup } of columnsOf(mapping)) {
    const isKey = key.includes(field);
    // The other fields of a table of settings stand in its lines.
    if (pairs && !isKey) continue;
    for (const name of fromAll) use([name], isKey);
    if ((lookup?.match.length ?? 1) > 1) for (const name of from) use([name], isKey);
    else use(from, isKey);
  }
  const namesOf = (indexes: Iterable<number>): readonly string[] =>
    Array.from(indexes, (index) => names[index] ?? '');
  return { used: namesOf(used), keys: namesOf(keys) };
}

/** The columns of a mapping, and the header of the table that they are joined to. */
export interface Binding {
  readonly mapping: PushMapping;
  readonly compiled: readonly CompiledColumn[];
  readonly header: HeaderIndex;
  readonly variable: (name: string) => string | undefined;
  /** Collects the positions that are read. */
  readonly used: Set<number>;
}

/** Errors: ConfigError `header.missing` with the header as found and the nearest name. */
function missingHeader({ mapping, header }: Binding, wanted: readonly string[], why: string): ConfigError {
  const { origin, headerRow } = mapping.source;
  const names = header.names.filter((name) => name !== '');
  const close = wanted.map((name) => nearest(name, names)).find((name) => name !== undefined);
  const failed = names.find((name) => spreadsheetError(name) !== undefined);
  const next =
    failed === undefined || close !== undefined
      ? 'Correct the header of the file, or the name in the mapping.'
      : `Wait until the formula that shows ${show(failed)} has its values, or correct it.`;
  return new ConfigError(
    'header.missing',
    `${origin} row ${headerRow}: no column ${wanted.map(show).join(' or ')} (${why}); the header has ${listed(names.map(show))}${close === undefined ? '' : `; nearest: ${show(close)}`}`,
    { file: origin, line: headerRow, next },
  );
}

/** The place of a column that must be there. Errors: as {@link missingHeader}. */
export function requiredPlace(
  binding: Binding,
  wanted: readonly string[],
  why: string,
): { readonly index: number; readonly name: string } {
  const { header, used } = binding;
  const index = header.find(wanted);
  if (index === undefined) throw missingHeader(binding, wanted, why);
  used.add(index);
  return { index, name: header.names[index] ?? '' };
}

/** Joins the fields of a table's columns to its header. Errors: as {@link missingHeader} and {@link fieldWithoutCell}. */
export function bindFields(binding: Binding, warnings: Issue[]): readonly BoundField[] {
  const { mapping, compiled, header, variable, used } = binding;
  const loose = mapping.columns === 'auto';
  return compiled.flatMap((item): readonly BoundField[] => {
    const { column, take } = item;
    if (isPlanLookup(column)) return [];
    if (take !== undefined && (column.lookup?.match.length ?? 1) > 1) {
      const texts = bindLookup(binding, item);
      const name = column.from.join(' + ');
      const read: BoundField['read'] = (cells, issues) => {
        const wanted = texts.read(cells, issues);
        return wanted === undefined ? undefined : take(wanted, name, issues);
      };
      return [{ field: column.field, read }];
    }
    if (column.fromAll.length > 0) return [bindList(binding, item)];
    const index = header.find(column.from);
    const name = index === undefined ? undefined : header.names[index];
    if (index !== undefined) {
      used.add(index);
      return [{ field: column.field, read: (cells, issues) => item.read(cells[index] ?? '', name, issues) }];
    }
    const fixed = fieldWithoutCell(mapping, item, variable);
    if (fixed !== undefined) return [fixed];
    if (column.required) throw missingHeader(binding, column.from, `for ${column.field}`);
    if (column.default !== undefined)
      return [{ field: column.field, read: (_, issues) => item.read('', undefined, issues) }];
    if (!loose) {
      const message = `no column ${column.from.map(show).join(' or ')}: ${column.field} is not sent`;
      warnings.push({ code: 'header.optional', severity: 'warning', message });
    }
    return [];
  });
}

/** Joins the columns that are looked up once the plan is made to the header. Errors: ConfigError `header.missing`, `mapping.value`. */
export function bindLookups(binding: Binding): readonly BoundLookup[] {
  return binding.compiled
    .filter(({ column }) => isPlanLookup(column))
    .map((item) => bindLookup(binding, item));
}

function bindLookup(binding: Binding, item: CompiledColumn): BoundLookup {
  const { column, readText: read = item.read } = item;
  const { field, from, value, lookup } = column;
  if (value !== undefined) {
    const fixed = constantField(binding.mapping, { ...item, read }, value);
    return { field, read: (cells, issues) => [String(fixed.read(cells, issues))] };
  }
  const wanted = (lookup?.match.length ?? 1) > 1 ? from.map((name) => [name]) : [from];
  const places = wanted.map((names) => requiredPlace(binding, names, `for ${field}`));
  return {
    field,
    read: (cells, issues) => {
      const texts = places.map(({ index, name }) => read(cells[index] ?? '', name, issues));
      return texts.includes(undefined) ? undefined : texts.map(String);
    },
  };
}

function bindList(binding: Binding, item: CompiledColumn): BoundField {
  const { column } = item;
  const places = column.fromAll.map((name) => requiredPlace(binding, [name], `for ${column.field}`));
  const skipBlank = column.blank === 'omit';
  return {
    field: column.field,
    read: (cells, issues) => {
      const parts = places.map(({ index, name }) => [cells[index] ?? '', name] as const);
      const values = readList(parts, item.read, issues, skipBlank);
      if (values?.length !== 0) return values;
      const message = `no ${column.field} in columns ${show(column.fromAll[0] ?? '')} to ${show(column.fromAll.at(-1) ?? '')}; fill in at least one`;
      issues.push({ code: 'cell.blank', severity: 'error', message });
      return undefined;
    },
  };
}
