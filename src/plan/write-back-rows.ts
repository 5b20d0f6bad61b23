import { sourceHeader } from '../mapping/bind.ts';
import type { PushMapping } from '../mapping/mapping.ts';
import { show } from '../mapping/show.ts';
import { renderIssue } from '../model/issue.ts';
import type { Outcome } from '../model/outcome.ts';
import type { RunRow } from '../model/state/run-rows.ts';
import { issuesAmong, renderSaid, type Said } from '../model/said.ts';
import { shownLine } from '../model/tables/cell.ts';
import type { WriteBackRow } from '../model/tables/table.ts';

/** Longer messages are cut in a cell; the results file has them whole. */
const MAX_MESSAGE = 2000;
/** What a row's status may say already for `unchanged` to be nothing new. */
const IN_STEP: ReadonlySet<string> = new Set<Outcome>(['created', 'updated', 'unchanged']);
const WRITTEN: ReadonlySet<Outcome | null> = new Set<Outcome>(['created', 'updated']);

/** What stands beside a line, by what it says. */
interface BesideLine {
  readonly status: string;
  readonly message: string;
  /** Null where it is not known, which says nothing about the one that stands there. */
  readonly id: string | null;
}

/**
 * Makes of a row of a run what is written beside its lines. `time` is written with news alone: a row that is as it was said to be keeps its time, and an
 * unchanged one everything.
 */
export function rowWriter(
  mapping: PushMapping,
  header: readonly string[],
  time: string,
): (row: RunRow) => readonly WriteBackRow[] {
  const names = mapping.writeBack ?? {};
  const index = sourceHeader(mapping, header);
  const readAt = (cells: readonly string[], name: string): string => cells[index.find([name]) ?? -1] ?? '';

  const valuesOf = (
    outcome: Outcome | null,
    cells: readonly string[],
    said: BesideLine,
  ): WriteBackRow['values'] => {
    const isSaid = (what: 'message' | 'id'): boolean => {
      const name = names[what];
      return name === undefined || said[what] === null || readAt(cells, name) === said[what];
    };
    const { status: statusName, synced_at: timeName } = names;
    const before = statusName === undefined ? undefined : readAt(cells, statusName);
    const hasTime = timeName === undefined || readAt(cells, timeName) !== '';
    if (outcome === 'unchanged' && hasTime && (before === undefined || IN_STEP.has(before))) {
      if (isSaid('id') && (said.message === '' || isSaid('message'))) return {};
    }
    const isOld = before === said.status && isSaid('message') && isSaid('id') && hasTime;
    const at = isOld && !WRITTEN.has(outcome) ? null : time;
    const texts: Readonly<Record<string, string | null>> = { ...said, synced_at: at };
    return Object.fromEntries(
      Object.entries(names).flatMap(([what, name]) => {
        const text = texts[what];
        return text === undefined || text === null ? [] : [[name, text] as const];
      }),
    );
  };

  return (row) => {
    const { rowNumber, outcome, id } = row;
    const lines = row.lines.map(shownLine);
    return messagesOf(mapping, header, row, lines).map(({ message, notes }, at) => {
      const cells = lines[at] ?? [];
      const said = { status: outcome ?? '', message: message.slice(0, MAX_MESSAGE), id };
      return { rowNumber, cells, values: valuesOf(outcome, cells, said), notes };
    });
  };
}

interface LineMessage {
  readonly message: string;
  readonly notes: Readonly<Record<string, string>>;
}

function messagesOf(
  mapping: PushMapping,
  header: readonly string[],
  { said, outcome }: RunRow,
  lines: readonly (readonly string[])[],
): readonly LineMessage[] {
  const { layout } = mapping.source;
  const isBad = outcome === 'invalid';
  if (layout.kind === 'table') {
    const issues = isBad ? issuesAmong(said) : [];
    const notes = header.flatMap((name) =>
      noteOf(
        name,
        issues.filter(({ column }) => column === name).map(({ message }) => message),
      ),
    );
    return lines.map(() => ({ message: renderSaid(said), notes: Object.fromEntries(notes) }));
  }
  const index = sourceHeader(mapping, header);
  const keyAt = index.find([layout.keyColumn]) ?? -1;
  const valueName = header[index.find([layout.valueColumn]) ?? -1] ?? '';
  const settings = lines.map((cells) => show((cells[keyAt] ?? '').trim()));
  // What is about no line in particular stands beside the first.
  const general = said.filter((part) => !settings.some((setting) => settingOf(part) === setting));
  return settings.map((setting, at) => {
    const own = said.filter((part) => settingOf(part) === setting);
    // Row and setting are clear on the cell itself.
    const texts = issuesAmong(own).map((issue) =>
      issue.row === undefined || issue.setting === undefined ? renderIssue(issue) : issue.message,
    );
    return {
      message: [...(at === 0 ? general : []), ...own].map((part) => renderSaid([part])).join('; '),
      notes: Object.fromEntries(isBad ? noteOf(valueName, texts) : []),
    };
  });
}

/** The setting that a part is about, as messages show it; one that is unknown or repeated is the issue's value. */
function settingOf(part: Said): string | undefined {
  if (part.code !== 'issue') return undefined;
  const { setting, row, value = '' } = part.issue;
  return setting ?? (row === undefined || value.trim() === '' ? undefined : show(value.trim()));
}

function noteOf(name: string, texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts.length === 0 ? [] : [[name, texts.join('; ')]];
}
