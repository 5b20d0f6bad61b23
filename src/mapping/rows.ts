import { pushTarget } from '../contract/index.ts';
import { shownText, type Cell, type Fields, type KeptCell } from '../model/tables/cell.ts';
import type { Issue } from '../model/issue.ts';
import { listed } from '../model/listed.ts';
import { foldName } from '../model/fold-name.ts';
import type { SourceRow } from '../model/tables/table.ts';
import {
  type Binding,
  bindFields,
  bindLookups,
  compileColumns,
  requiredPlace,
  sourceHeader,
  type BoundField,
  type BoundLookup,
  type CompiledColumn,
} from './bind.ts';
import { numberKeeper, type CellContext } from './cells.ts';
import type { NumberStyle } from './decimal.ts';
import { looseName, type HeaderIndex } from './header-index.ts';
import { createPairReader } from './key-value.ts';
import { LOOKUP_SKIP, type LookupTables } from './lookup.ts';
import {
  hasError,
  parsedRow,
  readLookups,
  keptCells,
  unreadRow,
  type Included,
  type NumberKeeper,
  type ParsedRow,
} from './parsed-row.ts';
import type { PushMapping } from './mapping.ts';
import { createOwnCells, withoutResultColumns } from './own-cells.ts';
import { createRowFilter, writtenColumns } from './row-filter.ts';
import { show } from './show.ts';
import { fulfils } from './where.ts';

export type { ParsedRow } from './parsed-row.ts';

/** Turns the rows of one source into fields. */
export interface RowReader {
  /** The source's header without the four columns that a results file ends in; `lines` have the same width. */
  readonly header: readonly string[];
  /** Warnings about the table as a whole. */
  readonly warnings: readonly Issue[];
  /** The rows of a batch, in order. */
  read(batch: readonly SourceRow[]): readonly ParsedRow[];
  /** The rows that are whole only at the end of the table (`key_value`). */
  end(): readonly ParsedRow[];
}

/** What rows are read with beside their mapping. */
export interface RowOptions extends Pick<CellContext, 'allowKeyShape' | 'tableTimezone'> {
  readonly variable: (name: string) => string | undefined;
  /** The IANA zone of times without an offset; UTC when left out. */
  readonly timezone?: string;
  /** The tables that the mapping looks cells up in. */
  readonly tables?: LookupTables;
}

/**
 * The reader of a source's rows: its header is bound to the mapping's columns here, once.
 * Errors: ConfigError `header.missing`, `mapping.value`, `mapping.variable`, `mapping.write_back_column`.
 */
export function createRowReader(
  mapping: PushMapping,
  header: readonly string[],
  options: RowOptions,
): RowReader {
  const { source } = mapping;
  const context: CellContext = {
    locale: source.locale,
    grouped: source.localeNamed === true,
    ofImport: mapping.ofImport === true,
    allowKeyShape: options.allowKeyShape,
    timezone: options.timezone ?? 'UTC',
    tableTimezone: options.tableTimezone,
  };
  const own = withoutResultColumns(header);
  const index = sourceHeader(mapping, own);
  const compiled = compileColumns(mapping, context, options.tables ?? (() => undefined));
  const used = new Set<number>();
  const warnings: Issue[] = writeBackWarnings(mapping);
  const binding = { mapping, compiled, header: index, variable: options.variable, used };
  const included = bindWhere(binding);
  const ownCells = createOwnCells(header, source.location.kind === 'csv');
  const filter = createRowFilter(mapping, own);
  const rowsOf = (batch: readonly SourceRow[]): readonly SourceRow[] => filter(ownCells(batch));
  const key = pushTarget(mapping.resource)?.key ?? [];
  if (source.layout.kind === 'key_value') {
    const pairs = createPairReader(binding, source.layout, { included, key, style: context });
    warnings.push(...unusedColumns(mapping, own, used));
    return { header: own, warnings, read: (batch) => pairs.read(rowsOf(batch)), end: () => pairs.end() };
  }
  const fields = bindFields(binding, warnings);
  const lookups = bindLookups(binding);
  // `auto` says itself that case and blanks do not count.
  if (mapping.columns !== 'auto') warnings.push(...index.warnings());
  warnings.push(...unusedColumns(mapping, own, used));
  const keeperOf = numberKeepers(compiled, index, context);
  const lineOf = (cells: readonly Cell[], width = own.length): readonly KeptCell[] =>
    keptCells(cells, width, keeperOf);
  const readOne = rowParser(fields, lookups, key, included, lineOf, headerTest(mapping, own));
  return { header: own, warnings, read: (batch) => rowsOf(batch).map(readOne), end: () => [] };
}

function writeBackWarnings(mapping: PushMapping): Issue[] {
  if (mapping.writeBack === undefined || mapping.source.location.kind === 'sheet') return [];
  const message = 'write_back fills Google sheets only; the results file holds the same';
  return [{ code: 'mapping.write_back', severity: 'warning', message }];
}

function unusedColumns(
  mapping: PushMapping,
  header: readonly string[],
  used: ReadonlySet<number>,
): readonly Issue[] {
  const written = writtenColumns(mapping);
  // Beside settings, descriptions are for people.
  const isProse = (name: string): boolean =>
    mapping.source.layout.kind === 'key_value' && looseName(name) === 'description';
  const extra = header.filter(
    (name, index) => name !== '' && !used.has(index) && !written.has(foldName(name)) && !isProse(name),
  );
  if (extra.length === 0) return [];
  const shown = listed(extra.map(show), 10);
  const message =
    extra.length === 1
      ? `column ${shown} is not used by the mapping`
      : `columns ${shown} are not used by the mapping`;
  return [{ code: 'header.extra', severity: 'warning', message }];
}

function bindWhere(binding: Binding): Included {
  const tests = binding.mapping.source.where.map((condition) => {
    const { index } = requiredPlace(binding, [condition.header], 'rows are chosen by it');
    return (cells: readonly Cell[]) => fulfils(cells[index] ?? '', condition);
  });
  return (cells) => tests.every((test) => test(cells));
}

const REPEATED_HEADER: Issue = {
  code: 'row.header',
  severity: 'error',
  message: 'repeats the header of the table; delete the row',
};

/** Whether a row is the header once more, as where lists were pasted below each other: every cell is the name of its column, and there are two at least. */
function headerTest(mapping: PushMapping, header: readonly string[]): Included {
  const written = writtenColumns(mapping);
  const places = header.flatMap((name, index) =>
    name === '' || written.has(foldName(name)) ? [] : [{ name, index }],
  );
  return (cells) =>
    places.length > 1 && places.every(({ name, index }) => shownText(cells[index] ?? '').trim() === name);
}

/** The keepers of the places that are read as numbers and as nothing else: a key stays as the person sees it. */
function numberKeepers(
  compiled: readonly CompiledColumn[],
  header: HeaderIndex,
  style: NumberStyle,
): NumberKeeper {
  const keepers = new Map<number, ReturnType<NumberKeeper>>();
  for (const { column } of compiled) {
    const { from, fromAll, lookup } = column;
    const keeper = numberKeeper(column, style);
    const single = [...fromAll, ...(lookup === undefined ? [] : from)].map((name) => [name]);
    for (const names of [from, ...single]) {
      const index = header.find(names);
      if (index !== undefined && (keeper === undefined || !keepers.has(index))) keepers.set(index, keeper);
    }
  }
  return (index) => keepers.get(index);
}

function rowParser(
  bound: readonly BoundField[],
  boundLookups: readonly BoundLookup[],
  key: readonly string[],
  included: Included,
  lineOf: (cells: readonly Cell[], width?: number) => readonly KeptCell[],
  isHeader: Included,
): (row: SourceRow) => ParsedRow {
  return ({ rowNumber, cells, issues: found }) => {
    if (found !== undefined && hasError(found))
      return unreadRow({ rowNumber, lines: [lineOf(cells, cells.length)] }, 'invalid', found);
    const place = { rowNumber, lines: [lineOf(cells)] };
    if (!included(cells)) return unreadRow(place, 'excluded', []);
    if (isHeader(cells)) return unreadRow(place, 'invalid', [REPEATED_HEADER]);
    const issues: Issue[] = found === undefined ? [] : [...found];
    const fields: Record<string, Fields[string]> = {};
    for (const { field, read } of bound) {
      const value = read(cells, issues);
      if (value !== undefined) fields[field] = value;
    }
    const lookups = readLookups(boundLookups, cells, issues);
    if (issues.some(({ code }) => code === LOOKUP_SKIP)) return unreadRow(place, 'excluded', issues);
    return parsedRow(place, fields, lookups, key, issues);
  };
}
