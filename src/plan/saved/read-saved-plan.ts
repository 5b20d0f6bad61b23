import { createHash } from 'node:crypto';
import { ConfigError } from '../../model/error.ts';
import {
  PLAN_FORMAT,
  PLAN_FORMAT_VERSION,
  PLAN_START,
  type SavedEnd,
  type SavedHeader,
  type SavedRow,
} from './saved-plan.ts';

/** A saved plan that was read to its end once and found whole. */
export interface SavedPlan {
  /** As messages call it. */
  readonly file: string;
  readonly header: SavedHeader;
  /** Reads the rows again, and checks again that they are what was saved. Errors: those of {@link openSavedPlan}. */
  rows(): AsyncIterable<SavedRow>;
}

/**
 * Reads a saved plan through, so that nothing is done for one that is damaged. `lines` opens it from its beginning each time.
 * Errors: ConfigError `plan.format` for another kind of file, `plan.newer` for one of a newer version, `plan.damaged`.
 */
export async function openSavedPlan(file: string, lines: () => AsyncIterable<string>): Promise<SavedPlan> {
  let header: SavedHeader | undefined;
  for await (const line of wholeLines(file, lines())) header ??= headerIn(file, line);
  if (header === undefined) throw notAPlan(file);
  return { file, header, rows: () => rowsIn(file, lines) };
}

async function* rowsIn(file: string, lines: () => AsyncIterable<string>): AsyncGenerator<SavedRow> {
  let isFirst = true;
  for await (const line of wholeLines(file, lines())) {
    // The file was whole a moment ago, so it holds what was saved; should it change meanwhile, its end no longer agrees.
    if (!isFirst) yield parse(file, line) as SavedRow;
    isFirst = false;
  }
}

/** The lines before the last one, which has to agree with them. */
async function* wholeLines(file: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let count = 0;
  let pending: string | undefined;
  for await (const line of lines) {
    if (pending !== undefined) {
      if (count === 0) headerIn(file, pending);
      hash.update(`${pending}\n`);
      count += 1;
      yield pending;
    }
    pending = line;
  }
  if (pending === undefined) throw notAPlan(file);
  if (count === 0) {
    headerIn(file, pending);
    throw damaged(file, 'it ends after its first line');
  }
  const { rows, sha256 } = parse(file, pending) as Partial<SavedEnd>;
  if (sha256 === undefined) throw damaged(file, 'its end is missing');
  if (rows !== count - 1) throw damaged(file, `it has ${count - 1} rows instead of ${rows ?? 'those saved'}`);
  if (sha256 !== hash.digest('hex')) throw damaged(file, 'it was changed after it was made');
}

function headerIn(file: string, line: string): SavedHeader {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw line.startsWith(PLAN_START)
      ? damaged(file, 'its first line is cut or was changed')
      : notAPlan(file);
  }
  if (typeof value !== 'object' || value === null) throw notAPlan(file);
  const header = value as Partial<SavedHeader>;
  if (header.format !== PLAN_FORMAT || typeof header.format_version !== 'number') throw notAPlan(file);
  if (header.format_version > PLAN_FORMAT_VERSION) {
    throw new ConfigError(
      'plan.newer',
      `${file} is a plan of a newer version of teamsheet (${header.teamsheet ?? 'unknown'})`,
      { file, next: 'install that version, or plan again with this one' },
    );
  }
  return header as SavedHeader;
}

function parse(file: string, line: string): object {
  try {
    return Object(JSON.parse(line)) as object;
  } catch {
    throw damaged(file, 'its end is missing, or a line was changed');
  }
}

const notAPlan = (file: string): ConfigError =>
  new ConfigError('plan.format', `${file} is no plan that teamsheet saved`, {
    file,
    next: 'name a file that plan --out FILE wrote',
  });

const damaged = (file: string, what: string): ConfigError =>
  new ConfigError('plan.damaged', `${file}: the saved plan is damaged: ${what}`, {
    file,
    next: 'make a new one with plan --out FILE; a plan is not for editing',
  });
