import { isPushed, pushTarget, type ResourceName } from '../../contract/index.ts';
import type { PushField, PushOperation, PushTarget } from '../../contract/resource.ts';
import type { Issue } from '../../model/issue.ts';
import { compileCell } from '../cells.ts';
import { constantCell } from '../bind.ts';
import type { Drafting, MappingContext } from './drafting.ts';
import { exactName } from '../header-index.ts';
import type { CellType, Column, PushMapping } from '../mapping.ts';
import { didYouMean, nearest } from '../../model/nearest.ts';
import { checkLookup, parseLookup } from './parse-lookup.ts';
import { parseTiming } from './parse-schedule.ts';
import { parseSource } from './parse-source.ts';
import { columnWith, cellTypeOf, requiredFields, variableOf } from '../push-fields.ts';
import type { ColumnInput, PushInput } from './push-schema.ts';
import { either, show } from '../show.ts';
import type { Path } from './yaml-document.ts';
import { isDateFormat } from '../zoned-time.ts';

/** The mapping that a checked input means. Errors: ConfigError `mapping.invalid`, naming everything that is wrong. */
export function parsePush(input: PushInput, draft: Drafting, context: MappingContext): PushMapping {
  const { push: resource, operation } = input;
  const target = pushTarget(resource);
  if (target === undefined || !isPushed(resource)) {
    return draft.fail(
      ['push'],
      `${resource} can only be pulled: the service has no operation that writes them`,
    );
  }
  checkOperation(resource, operation, target, draft);
  const source = parseSource(input.source, ['source'], draft);
  const columns = input.columns === 'auto' ? 'auto' : parseColumns(input.columns, input, target, draft);
  checkOptions(input, target, draft);
  const timing = parseTiming(input, draft);
  draft.settle();
  return {
    direction: 'push',
    name: input.name,
    place: draft.place,
    resource,
    operation,
    source,
    columns,
    autoValues: columns === 'auto' ? autoValues(resource, target, context) : {},
    missingRows: input.missing_rows,
    writeBack: input.write_back === undefined ? undefined : withoutUndefined(input.write_back),
    rejectMode: input.reject_mode,
    guards: {
      minRows: input.guards.min_rows,
      maxChangePct: input.guards.max_change_pct,
      maxDeactivate: input.guards.max_deactivate,
      maxStep: input.guards.max_step,
      maxStepPct: input.guards.max_step_pct,
    },
    batchSize: input.batch_size,
    compare: input.compare,
    timing,
  };
}

function withoutUndefined(
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function checkOperation(
  resource: ResourceName,
  operation: PushOperation,
  target: PushTarget,
  draft: Drafting,
): void {
  if (target.operations.includes(operation)) return;
  const because = target.onlyBecause === undefined ? '' : `: ${target.onlyBecause}`;
  draft.note(
    ['operation'],
    `${resource} cannot take "${operation}"${because}; write ${either(target.operations)}`,
  );
}

function checkOptions(input: PushInput, target: PushTarget, draft: Drafting): void {
  const { operation } = input;
  if (input.missing_rows === 'deactivate' && (target.deactivates !== true || operation === 'create')) {
    draft.note(
      ['missing_rows'],
      'deactivate works for users with operation update or upsert; there is nothing else that can be deactivated',
    );
  }
  if (input.compare === 'none' && operation !== 'append' && operation !== 'set') {
    draft.note(['compare'], `none would repeat every ${operation}; write auto, live or snapshot`);
  }
  for (const key of ['max_step', 'max_step_pct'] as const) {
    if (input.guards[key] !== undefined && target.step === undefined)
      draft.note(['guards', key], `${key} is for prices only`, 'key');
  }
}

function autoValues(
  resource: ResourceName,
  target: PushTarget,
  context: MappingContext,
): Readonly<Record<string, string>> {
  const found = Object.keys(target.fields).flatMap((field): [string, string][] => {
    const name = variableOf(resource, field);
    const value = name === undefined ? undefined : context.variable(name);
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(found);
}

function parseColumns(
  inputs: Readonly<Record<string, string | ColumnInput>>,
  { push: resource, operation, source }: PushInput,
  target: PushTarget,
  draft: Drafting,
): readonly Column[] {
  const required = requiredFields(resource, operation);
  const known = Object.keys(target.fields);
  const unknown = draft.keys(['columns']).filter((name) => !known.includes(name));
  for (const name of unknown) {
    const remedy = didYouMean(name, known) || `; it has ${known.join(', ')}`;
    draft.note(['columns', name], `${resource} has no field ${show(name)}${remedy}`, 'key');
  }
  // A field that is missing only because it is misspelt is told once.
  const meant = unknown.map((name) => nearest(name, known));
  const missing = required.filter((name) => !(name in inputs) && !meant.includes(name));
  if (missing.length > 0) {
    const remedy = missing.length === 1 ? 'add it' : 'add them';
    draft.note(['columns'], `${operation} needs ${missing.join(', ')}; ${remedy}`);
  }
  // The order of the fields in the contract, whatever the order in the file.
  return known.flatMap((name) => {
    const input = inputs[name];
    const field = target.fields[name];
    if (input === undefined || field === undefined) return [];
    const given = typeof input === 'string' ? { from: [input] } : input;
    const isSettings = source.layout === 'key_value';
    const isKey = target.key.includes(name);
    return [parseColumn(name, given, field, draft, { operation, isKey, isSettings })];
  });
}

interface FieldUse {
  readonly operation: PushOperation;
  readonly isKey: boolean;
  readonly isSettings: boolean;
}

/** Cell types that a field of the contract can be made of. */
const FITTING: Readonly<Record<PushField['type'], readonly CellType[]>> = {
  text: ['text', 'uuid', 'datetime'],
  integer: ['integer'],
  integers: ['integer'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  uuid: ['uuid'],
};

function parseColumn(
  name: string,
  input: Partial<ColumnInput>,
  field: PushField,
  draft: Drafting,
  use: FieldUse,
): Column {
  const at = (key: string): Path => ['columns', name, key];
  const type = input.type ?? cellTypeOf(field);
  const required = input.required ?? (use.isKey || field.required);
  const column = columnWith(name, field, required, {
    from: (input.from ?? []).map(exactName),
    fromAll: (input.from_all ?? []).map(exactName),
    value: input.value,
    type,
    default: input.default,
    blank:
      input.blank ??
      (required || (field.requiredToCreate === true && use.operation === 'create') ? 'error' : 'omit'),
    transform: input.transform ?? [],
    trueValues: input.true_values ?? [],
    falseValues: input.false_values ?? [],
    format: input.format,
    min: input.min,
    max: input.max,
    maxLength: input.max_length,
    scale: input.scale,
    allowNewlines: input.allow_newlines ?? false,
    ...(input.split === undefined ? {} : { split: input.split }),
    lookup: parseLookup(input.lookup, at('lookup'), draft),
  });
  checkColumn(column, input, field, use.isKey, draft, at);
  checkLookup(column, field, use.isSettings, at('lookup'), draft);
  return column;
}

function checkColumn(
  column: Column,
  input: Partial<ColumnInput>,
  field: PushField,
  isKey: boolean,
  draft: Drafting,
  at: (key: string) => Path,
): void {
  const given = (['from', 'from_all', 'value'] as const).filter((key) => input[key] !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'names no cell' : `names ${given.join(' and ')}`;
    draft.note(['columns', column.field], `${found}; write exactly one of from, from_all and value`);
  }
  const belongs = (keys: readonly (keyof ColumnInput)[], fits: boolean, to: string): void => {
    for (const key of keys)
      if (input[key] !== undefined && !fits) draft.note(at(key), `${key} is for ${to}`, 'key');
  };
  const { type } = column;
  if (column.lookup === undefined && !FITTING[field.type].includes(type)) {
    draft.note(
      at('type'),
      `${type} does not fit ${column.field}, which is ${field.type === 'integers' ? 'a list of integers' : field.type}; write ${either(FITTING[field.type])}`,
    );
  }
  belongs(['from_all', 'split'], field.type === 'integers', 'fields that hold a list');
  belongs(['min', 'max', 'scale'], type === 'integer' || type === 'number', 'numbers');
  belongs(['max_length'], type === 'text', 'texts');
  belongs(['format'], type === 'datetime', 'type: datetime');
  if (input.true_values?.length || input.false_values?.length)
    belongs(['true_values', 'false_values'], type === 'boolean', 'type: boolean');
  if (column.min !== undefined && column.max !== undefined && column.min > column.max)
    draft.note(at('min'), `${column.min} is more than max, ${column.max}`);
  if (column.format !== undefined && !isDateFormat(column.format)) {
    draft.note(
      at('format'),
      `${show(column.format)} is no date format; use yyyy, mm, dd, hh, mm and ss, such as dd/mm/yyyy hh:mm`,
    );
  }
  if (field.required && !column.required) {
    draft.note(at('required'), `every row needs ${column.field}; leave required out`);
  }
  if (
    field.required &&
    column.blank === 'omit' &&
    column.default === undefined &&
    column.fromAll.length === 0
  ) {
    draft.note(at('blank'), `every row needs ${column.field}; write error, or a default`);
  }
  if (column.blank === 'clear' && (isKey || field.type !== 'text')) {
    draft.note(
      at('blank'),
      `clear sends an empty text, which ${column.field} cannot be; write omit or error`,
    );
  }
  const both = column.trueValues.find((word) =>
    column.falseValues.some((other) => other.trim().toLowerCase() === word.trim().toLowerCase()),
  );
  if (both !== undefined)
    draft.note(at('false_values'), `${show(both)} stands in true_values and in false_values`);
  checkFixedValues(column, field, isKey, draft, at);
}

/** A value that the mapping itself holds is read once here, so that a wrong one is an error of the mapping and not of every row. */
function checkFixedValues(
  column: Column,
  field: PushField,
  isKey: boolean,
  draft: Drafting,
  at: (key: string) => Path,
): void {
  for (const key of ['value', 'default'] as const) {
    const fixed = column[key];
    if (fixed === undefined || column.lookup !== undefined) continue;
    const issues: Issue[] = [];
    const style = { locale: 'en', grouped: false, allowKeyShape: true, timezone: 'UTC' } as const;
    compileCell(
      { ...column, default: undefined, transform: [] },
      field,
      isKey,
      style,
    )(constantCell(fixed), undefined, issues);
    for (const { severity, message } of issues) if (severity === 'error') draft.note(at(key), message);
  }
}
