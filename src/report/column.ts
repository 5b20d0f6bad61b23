import type { FieldType } from '../contract/field.ts';
import type { ReportColumn, ReportValue } from '../model/tables/table.ts';
import { ownValue, type Report, type ReportSubject } from './report.ts';
import { cellOf } from './value.ts';

/** One column as a mapping asks for it; without a type the interface's own is taken. */
interface ColumnRequest {
  readonly header: string;
  readonly from: string;
  readonly type: FieldType | undefined;
  readonly format: string | undefined;
}

/** A report column and where its values come from. */
export interface BoundColumn extends ReportColumn {
  readonly inPart: boolean;
  readonly path: readonly string[];
}

/** Values of one column that were not of its type: how many, and the first of them. */
export interface Misfits {
  readonly count: number;
  readonly first: ReportValue;
}

/**
 * The columns of a report in order: those asked for, or every leaf under its dotted path. A path that is no leaf of the record (into an array
 * or an object whose contents are not shown) makes a `json` column unless the mapping gives a type.
 */
export function bindColumns(
  report: Report,
  requests: readonly ColumnRequest[] | undefined,
): readonly BoundColumn[] {
  const types = new Map(report.leaves.map((leaf) => [leaf.path, leaf.type]));
  const asked: readonly ColumnRequest[] =
    requests ??
    report.leaves.map(({ path, type }) => ({ header: path, from: path, type, format: undefined }));
  return asked.map(({ header, from, type, format }) => {
    const path = from.split('.');
    const inPart = path.length > 1 && path[0] === report.part;
    return {
      header,
      type: type ?? types.get(from) ?? 'json',
      format,
      inPart,
      path: inPart ? path.slice(1) : path,
    };
  });
}

/** The cells of one row in the order of the columns; values that are not of their column's type are added up in `misfits` by header. */
export function cellsOf(
  columns: readonly BoundColumn[],
  subject: ReportSubject,
  misfits: Map<string, Misfits>,
): readonly ReportValue[] {
  return columns.map(({ header, type, inPart, path }) => {
    let raw: unknown = inPart ? subject.part : subject.record;
    for (const name of path) raw = ownValue(raw, name);
    const { value, fits } = cellOf(raw, type);
    if (!fits) {
      const before = misfits.get(header);
      misfits.set(header, { count: (before?.count ?? 0) + 1, first: before?.first ?? value });
    }
    return value;
  });
}
