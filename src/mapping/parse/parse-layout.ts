import type { FieldType } from '../../contract/field.ts';
import type { ColourRule, Layout } from '../../model/tables/layout.ts';
import type { Drafting } from './drafting.ts';
import { layoutSchema, type LayoutInput } from './layout-schema.ts';
import { didYouMean } from '../../model/nearest.ts';
import { tabNameProblem } from '../../model/tables/tab-name.ts';
import type { ReportColumn } from '../../model/tables/table.ts';
import { show } from '../show.ts';
import { parseYaml, type Path } from './yaml-document.ts';
import { checked, findingsError, type Finding } from './zod-issues.ts';

/** What a layout is checked against: the report of a mapping. */
export interface LaidOutReport {
  /** The mapping's name, for messages. */
  readonly name: string;
  readonly columns: readonly Pick<ReportColumn, 'header' | 'type'>[];
  /** The tab that the report itself stands on. */
  readonly tab: string;
}

/**
 * The layout in a file's text. Every header in it is one of the report's, and what needs numbers names columns that may hold them.
 * Errors: ConfigError `mapping.*` with file, line and column, naming everything that is wrong.
 */
export function parseLayout(text: string, file: string, report: LaidOutReport): Layout {
  const document = parseYaml(text, file, 'layout');
  const [root] = document.roots;
  if (root?.path.length !== 0) throw document.error('mapping.invalid', 'a layout is a map, not a list', []);
  const value = document.toValue(root.node, [], (written) => written);
  const input = checked(layoutSchema, value, document, []);
  const findings: Finding[] = [];
  const note: Note = (path, message, of = 'value') => {
    findings.push({ path, of, message });
  };
  checkHeaders(input, report, note);
  checkTabs(input, report, note);
  const rules = input.rules.map((rule, index) => parseRule(rule, ['rules', index], note));
  checkTypes(input, rules, report, note);
  if (findings.length > 0) throw findingsError(document, findings);
  return {
    // The order of the file, which an object would not keep for headers that are numbers.
    columns: new Map(document.keys(['columns']).map((header) => [header, input.columns[header] ?? {}])),
    freeze: input.freeze,
    filter: input.filter,
    sort: input.sort,
    rules: rules.filter((rule) => rule !== undefined),
    totals: new Map(Object.entries(input.totals)),
    charts: input.charts?.list ?? [],
    chartTab: input.charts?.tab,
    tabColor: input.tab_color,
    highlights: input.highlights,
    cover: input.cover,
  };
}

type Note = Drafting['note'];

function checkHeaders(input: LayoutInput, { name, columns }: LaidOutReport, note: Note): void {
  const headers = columns.map(({ header }) => header);
  const check = (header: string | undefined, path: Path, of?: Finding['of']): void => {
    if (header === undefined || headers.includes(header)) return;
    const close = didYouMean(header, headers);
    const known = close === '' ? `; it has ${headers.slice(0, 20).join(', ')}` : close;
    note(path, `the report of ${name} has no column ${show(header)}${known}`, of);
  };
  for (const header of Object.keys(input.columns)) check(header, ['columns', header], 'key');
  if (headers.length > 0 && headers.every((header) => input.columns[header]?.hidden === true))
    note(['columns'], `every column of ${name} is hidden; leave one to be seen`);
  for (const header of Object.keys(input.totals)) check(header, ['totals', header], 'key');
  input.sort.forEach(({ by }, index) => {
    check(by, ['sort', index]);
    if (input.sort.findIndex((other) => other.by === by) < index)
      note(['sort', index], `the rows are sorted by ${show(by)} already; delete one of them`);
  });
  input.rules.forEach(({ column }, index) => check(column, ['rules', index, 'column']));
  input.highlights.forEach(({ show: shown, value, by, above }, index) => {
    const at = ['highlights', index];
    shown.forEach((header, each) => check(header, [...at, 'show', each]));
    check(value, [...at, 'value']);
    check(by, [...at, 'by']);
    if (above !== undefined && by === undefined)
      note([...at, 'above'], 'above compares the column of by; write by too', 'key');
  });
  input.charts?.list.forEach((chart, index) => {
    const used = (['x', 'y', 'series'] as const).filter((key) => chart[key] !== undefined);
    for (const key of used) {
      const path = ['charts', 'list', index, key];
      check(chart[key], path);
      const other = used.find((each) => each !== key && chart[each] === chart[key]);
      if (other !== undefined && used.indexOf(other) < used.indexOf(key))
        note(path, `${key} and ${other} are the same column; a chart needs two different columns`);
    }
    check(chart.id, ['charts', 'list', index, 'id']);
  });
}

/** What columns hold whose cells are no numbers; a column of unknown contents may hold some. */
const HOLDINGS: Readonly<Partial<Record<FieldType, string>>> = {
  text: 'texts',
  uuid: 'ids',
  boolean: 'truth values',
  datetime: 'dates',
};

function checkTypes(
  { totals, charts }: LayoutInput,
  rules: readonly (ColourRule | undefined)[],
  { columns }: LaidOutReport,
  note: Note,
): void {
  const check = (
    header: string,
    needs: string,
    path: Path,
    { alsoFits, remedy = '' }: { readonly alsoFits?: FieldType | undefined; readonly remedy?: string } = {},
  ): void => {
    const type = columns.find((column) => column.header === header)?.type;
    const holding = type === undefined || type === alsoFits ? undefined : HOLDINGS[type];
    if (holding !== undefined) note(path, `${needs}; ${show(header)} holds ${holding}${remedy}`);
  };
  rules.forEach((rule, index) => {
    if (rule?.kind === 'scale')
      check(rule.column, 'a scale needs a column of numbers', ['rules', index, 'column']);
    if (rule?.kind !== 'compare' || typeof rule.value !== 'number') return;
    const { column, operator, value } = rule;
    const asText = /^!?=$/.test(operator) ? `: write ${operator} "${value}" to compare with a text` : '';
    check(column, 'a number is compared with a column of numbers', ['rules', index, 'when'], {
      remedy: asText,
    });
  });
  for (const [header, total] of Object.entries(totals)) {
    const ofDates = total === 'min' || total === 'max';
    const needs = `${total} needs a column of numbers${ofDates ? ' or dates' : ''}`;
    if (total !== 'count')
      check(header, needs, ['totals', header], { alsoFits: ofDates ? 'datetime' : undefined });
  }
  charts?.list.forEach(({ y }, index) => {
    check(y, 'a chart draws a column of numbers', ['charts', 'list', index, 'y']);
  });
}

function checkTabs({ charts, cover }: LayoutInput, report: LaidOutReport, note: Note): void {
  const taken = new Map([[report.tab.toLowerCase(), `the report of ${report.name}`]]);
  const check = (tab: string | undefined, key: 'cover' | 'charts'): void => {
    if (tab === undefined) return;
    const other = taken.get(tab.toLowerCase());
    const problem =
      other === undefined ? tabNameProblem(tab) : `is the tab of ${other}; give this one another name`;
    if (problem !== undefined) note([key, 'tab'], `${show(tab)} ${problem}`);
    taken.set(tab.toLowerCase(), `the ${key}`);
  };
  check(cover?.tab, 'cover');
  check(charts?.tab, 'charts');
}

/** Signs that people write for those of a condition. */
const MISSPELT: Readonly<Record<string, string>> = {
  '=>': '>=',
  '=<': '<=',
  '==': '=',
  '===': '=',
  '<>': '!=',
  '=!': '!=',
  '!==': '!=',
  '≤': '<=',
  '≥': '>=',
  '≠': '!=',
};
const MISSPELT_CONDITION = /^\s*(={2,3}|=>|=<|<>|=!|!==|[≤≥≠])\s*(.*?)\s*$/s;
const CONDITION = /^\s*(<=|>=|!=|<|>|=)\s*(.*?)\s*$/s;
/** A text in a condition of spreadsheet programs. */
const TEXT_MAX = 255;
const CONTROL = /\p{Cc}/u;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

function parseRule(rule: LayoutInput['rules'][number], path: Path, note: Note): ColourRule | undefined {
  const { column, when, scale, fill, color, bold, row } = rule;
  if ((when === undefined) === (scale === undefined)) {
    note(path, 'a rule has either when, with a condition, or scale, with colours; write one of them');
    return undefined;
  }
  const dressed = fill !== undefined || color !== undefined || bold;
  if (scale !== undefined) {
    if (dressed || row) note(path, 'a scale is made of its own colours; leave out fill, color, bold and row');
    return { kind: 'scale', column, colors: scale };
  }
  if (!dressed) note(path, 'the rule changes nothing; write fill, color or bold');
  const [, sign, compared = ''] = MISSPELT_CONDITION.exec(when ?? '') ?? [];
  if (sign !== undefined) {
    const right = `${MISSPELT[sign] ?? ''} ${compared}`;
    note([...path, 'when'], `${sign} is not known; write ${show(right)}`);
    return undefined;
  }
  const [, operator, written = ''] = CONDITION.exec(when ?? '') ?? [];
  if (operator === undefined || written === '') {
    note(
      [...path, 'when'],
      `${show(when ?? '')} is no condition; write one of < <= = != >= > and a value, such as "<= 3"`,
    );
    return undefined;
  }
  const value = conditionValue(written);
  if (typeof value !== 'number' && operator !== '=' && operator !== '!=')
    note([...path, 'when'], `${operator} needs a number; ${show(written)} is none`);
  if (typeof value === 'string' && (value.length > TEXT_MAX || CONTROL.test(value)))
    note(
      [...path, 'when'],
      `${show(value)} can be no condition: a text in it has at most ${TEXT_MAX} characters, and no control characters`,
    );
  return {
    kind: 'compare',
    column,
    operator: operator as '<' | '<=' | '=' | '!=' | '>=' | '>',
    value,
    fill,
    color,
    bold,
    row,
  };
}

/** `3` is a number, `true` a truth value, `"3"` and everything else a text. */
function conditionValue(written: string): number | boolean | string {
  if (NUMBER.test(written)) return Number(written);
  if (written === 'true' || written === 'false') return written === 'true';
  return /^".*"$/s.test(written) ? written.slice(1, -1) : written;
}
