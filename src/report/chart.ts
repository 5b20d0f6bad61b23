import type { ChartData, ChartSpec } from '../model/tables/layout.ts';
import type { ReportValue } from '../model/tables/table.ts';
import { compareValues } from './order.ts';

type Row = readonly ReportValue[];

/** Positions of a chart's columns in the rows. */
interface ChartColumns {
  readonly x: number;
  readonly y: number;
  readonly series: number | undefined;
  readonly id: number | undefined;
}

/** What one line or bar is about: told apart by its id, called by its name. */
interface Subject {
  readonly id: ReportValue;
  readonly name: string;
  /** The last number that is known. */
  readonly last: number;
  readonly values: ReadonlyMap<ReportValue, number>;
}

/**
 * The numbers of a chart from the rows of its report; where several rows have one category and series, the last counts. Categories stand in
 * natural order; columns and bars of one series stand best first, at most `limit` of them.
 */
export function chartOf(spec: ChartSpec, rows: readonly Row[], at: ChartColumns): ChartData {
  const { x, series } = at;
  if (series === undefined && spec.type !== 'line') {
    const best = bestOf(spec, subjectsOf(rows, x, at));
    const values = best.map(({ last }) => last);
    return { spec, categories: best.map(({ name }) => name), series: named(spec.y, values) };
  }
  const subjects = bestOf(
    spec,
    series === undefined ? wholeOf(spec, rows, at) : subjectsOf(rows, series, at),
  );
  const drawn = rows.filter((row) => isDrawn(row, at)).map((row) => row[x] ?? null);
  const categories = [...new Set(drawn)].toSorted((one, other) => compareValues(one, other));
  return {
    spec,
    categories: categories.map(nameOf),
    series: subjects.map(({ name, values }) => ({
      name,
      values: categories.map((category) => values.get(category) ?? null),
    })),
  };
}

const nameOf = (value: ReportValue): string => String(value ?? '');

const isDrawn = (row: Row, { x, y }: ChartColumns): boolean =>
  (row[x] ?? null) !== null && typeof row[y] === 'number';

function named(name: string, values: readonly number[]): ChartData['series'] {
  return values.length === 0 ? [] : [{ name, values }];
}

/** All rows as one line. */
function wholeOf(spec: ChartSpec, rows: readonly Row[], at: ChartColumns): readonly Subject[] {
  const values = new Map<ReportValue, number>();
  for (const row of rows) if (isDrawn(row, at)) values.set(row[at.x] ?? null, Number(row[at.y]));
  return values.size === 0 ? [] : [{ id: null, name: spec.y, last: 0, values }];
}

/** What the rows are about, by the values of the column `nameAt`. */
function subjectsOf(rows: readonly Row[], nameAt: number, at: ChartColumns): readonly Subject[] {
  const groups = Map.groupBy(
    rows.filter((row) => isDrawn(row, at) && (row[nameAt] ?? null) !== null),
    (row) => row[at.id ?? nameAt] ?? null,
  );
  const subjects = [...groups].map(([id, its]): Subject => {
    const values = new Map(its.map((row) => [row[at.x] ?? null, Number(row[at.y])]));
    const newest = its.at(-1);
    const latest = [...values.keys()].toSorted((one, other) => compareValues(one, other)).at(-1);
    const last = nameAt === at.x ? newest?.[at.y] : values.get(latest ?? null);
    return { id, name: nameOf(newest?.[nameAt] ?? null), last: Number(last ?? 0), values };
  });
  return withOwnNames(subjects);
}

/** Subjects of one name are numbered, in the order of their ids so that each keeps its number. */
function withOwnNames(subjects: readonly Subject[]): readonly Subject[] {
  const sameName = Map.groupBy(subjects, ({ name }) => name);
  return subjects.map((subject) => {
    const its = sameName.get(subject.name) ?? [];
    if (its.length < 2) return subject;
    const ids = its.map(({ id }) => id).toSorted((one, other) => compareValues(one, other));
    return { ...subject, name: `${subject.name} (${ids.indexOf(subject.id) + 1})` };
  });
}

/** The best first: the least where the chart is reversed. */
function bestOf({ reverse, limit }: ChartSpec, subjects: readonly Subject[]): readonly Subject[] {
  return subjects.toSorted((one, other) => compareValues(one.last, other.last, !reverse)).slice(0, limit);
}
