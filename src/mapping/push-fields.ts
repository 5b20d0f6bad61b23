import { pushTarget, type ResourceName } from '../contract/index.ts';
import type { PushField, PushOperation } from '../contract/resource.ts';
import type { CellType, Column } from './mapping.ts';

/** The fields that a mapping for this operation must fill. */
export function requiredFields(resource: ResourceName, operation: PushOperation): readonly string[] {
  return Object.entries(pushTarget(resource)?.fields ?? {}).flatMap(([name, field]) =>
    field.required || (field.requiredToCreate === true && operation !== 'update') ? [name] : [],
  );
}

/** The cell type of a field when a column names none. */
export function cellTypeOf(field: PushField): CellType {
  return field.type === 'integers' ? 'integer' : field.type;
}

/** A column with the defaults of interfaces.md, section 4, apart from what `given` says. */
export function columnWith(
  name: string,
  field: PushField,
  required: boolean,
  given: Partial<Column> = {},
): Column {
  return {
    field: name,
    from: [],
    fromAll: [],
    value: undefined,
    type: cellTypeOf(field),
    required,
    default: undefined,
    blank: required ? 'error' : 'omit',
    transform: [],
    trueValues: [],
    falseValues: [],
    format: undefined,
    min: undefined,
    max: undefined,
    maxLength: undefined,
    scale: undefined,
    allowNewlines: false,
    split: field.type === 'integers' && (given.fromAll ?? []).length === 0 ? ';' : undefined,
    lookup: undefined,
    ...given,
  };
}

/** The variable that `columns: auto` takes a field from when the table lacks it. */
export function variableOf(resource: ResourceName, field: string): string | undefined {
  if (field === 'fantasy_league_id') return field;
  return pushTarget(resource)?.fields[field]?.variable;
}

/** A sentence that says where the value of an unset variable comes from. */
export function variableSource(name: string): string {
  const set = 'Set it under vars in the configuration (teamsheet.yaml)';
  if (name === 'fantasy_league_id') {
    return `It is the number of your fantasy league: from your provider, or the id of your fantasy league in results. ${set}, or with --var fantasy_league_id=1.`;
  }
  if (name === 'price_type') {
    return `The interface does not show the allowed values: ask your provider. ${set}, or with --var price_type=VALUE.`;
  }
  return `${set}, as an environment variable, or with --var ${name}=VALUE.`;
}
