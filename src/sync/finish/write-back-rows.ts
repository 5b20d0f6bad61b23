import { sourceHeader } from '../../mapping/bind.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { show } from '../../mapping/show.ts';
import { renderIssue } from '../../model/issue.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { RunRow } from '../../model/run-rows.ts';
import type { WriteBackRow } from '../../model/table.ts';

/** Longer messages are cut in a cell; the results file has them whole. */
const MAX_MESSAGE = 2000;
/** What a row's status may say already for `unchanged` to be nothing new. */
const IN_STEP: ReadonlySet<string> = new Set<Outcome>(['created', 'updated', 'unchanged']);
const WRITTEN: ReadonlySet<Outcome | null> = new Set<Outcome>(['created', 'updated']);

/** What stands beside a line, by what it says. */
interface Said {
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
    said: Said,
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
    const { rowNumber, outcome, id, lines } = row;
    return messagesOf(mapping, header, row).map(({ message, notes }, at) => {
      const cells = lines[at] ?? [];
      const said = { status: outcome ?? '', message: message.slice(0, MAX_MESSAGE), id };
      return { rowNumber, cells, values: valuesOf(outcome, cells, said), notes };
    });
  };
}

/** What is said beside one line, and on its cells. */
interface LineMessage {
  readonly message: string;
  readonly notes: Readonly<Record<string, string>>;
}

/** Where one issue of a row's message ends and the next begins. */
const BETWEEN = /; (?=column "|row \d+[:,] |setting ")/;

function messagesOf(
  mapping: PushMapping,
  header: readonly string[],
  { lines, message, issues, outcome }: RunRow,
): readonly LineMessage[] {
  const { layout } = mapping.source;
  const parts = issues?.map(renderIssue) ?? (message === '' ? [] : message.split(BETWEEN));
  const isBad = outcome === 'invalid';
  if (layout.kind === 'table') {
    const notes = isBad
      ? header.flatMap((name) => noteOf(name, partsUnder(`column "${name}": `, parts)))
      : [];
    return lines.map(() => ({ message, notes: Object.fromEntries(notes) }));
  }
  const index = sourceHeader(mapping, header);
  const keyAt = index.find([layout.keyColumn]) ?? -1;
  const valueName = header[index.find([layout.valueColumn]) ?? -1] ?? '';
  const settings = lines.map((cells) => `setting ${show((cells[keyAt] ?? '').trim())}`);
  // What is about no line in particular stands beside the first.
  const general = parts.filter((part) => !settings.some((setting) => part.includes(setting)));
  return settings.map((setting, at) => {
    const own = parts.filter((part) => part.includes(setting));
    // `row 7, setting "Goals": ` is clear on the cell itself.
    const texts = own.map((part) => part.split(`${setting}: `, 2)[1] ?? part);
    return {
      message: [...(at === 0 ? general : []), ...own].join('; '),
      notes: Object.fromEntries(isBad ? noteOf(valueName, texts) : []),
    };
  });
}

function partsUnder(prefix: string, parts: readonly string[]): readonly string[] {
  return parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
}

function noteOf(name: string, texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts.length === 0 ? [] : [[name, texts.join('; ')]];
}
