import type { FieldType } from '../contract/field.ts';
import type { ReportValue } from '../model/tables/table.ts';

const INTEGER = /^-?\d{1,15}$/;
const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A report cell, and whether the value is of the column's type; one that is not stands in the report as the text that it is. */
interface TypedValue {
  readonly value: ReportValue;
  readonly fits: boolean;
}

/** Any value as the text of one cell: scalars as they are, objects and arrays as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function typedText(text: string, type: FieldType): ReportValue | undefined {
  switch (type) {
    case 'text':
    case 'uuid':
    case 'json':
      return text;
    case 'integer':
      return INTEGER.test(text) ? Number(text) : undefined;
    case 'number':
      return DECIMAL.test(text) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'datetime':
      return DATETIME.test(text) ? text : undefined;
  }
}

function typedScalar(value: unknown, type: FieldType): ReportValue | undefined {
  switch (typeof value) {
    case 'string':
      return typedText(value, type);
    case 'number':
      if (type === 'text') return String(value);
      return type === 'json' || type === 'number' || (type === 'integer' && Number.isSafeInteger(value))
        ? value
        : undefined;
    case 'boolean':
      if (type === 'text') return String(value);
      return type === 'boolean' || type === 'json' ? value : undefined;
    default:
      return type === 'text' || type === 'json' ? textOf(value) : undefined;
  }
}

/**
 * A value of the service as a cell of a column. Null, a missing value and, but for text, the empty text are empty cells; digits in a string
 * count as a number and `true` in a string as a boolean. In a `json` column scalars keep their own type and all else is JSON text.
 */
export function cellOf(value: unknown, type: FieldType): TypedValue {
  if (value === null || value === undefined || (value === '' && type !== 'text'))
    return { value: null, fits: true };
  const typed = typedScalar(value, type);
  return typed === undefined ? { value: textOf(value), fits: false } : { value: typed, fits: true };
}
