import type { ExitCode } from '../model/error.ts';
import type { Screen } from './screen.ts';

/** What a command says of one account. */
export interface AccountDocument {
  readonly environment: string;
  readonly leagues: readonly string[];
  readonly exitCode: ExitCode;
  /** As the command prints it with one account. */
  readonly document: object;
}

type Fields = Readonly<Record<string, unknown>>;

/** Objects of numbers that add up. */
const SUMS: ReadonlySet<string> = new Set(['requests', 'worst_case', 'fits']);

/**
 * One document for several accounts, with the fields that it has for one: lists are joined, counts are added up, `finishes_at` is the latest, and everything
 * else, such as `run` and `error`, is that of the first account that has the document's exit code. `accounts` says it of each. Entries that name their league by its
 * number alone have their `environment` too.
 */
export function joinDocuments(accounts: readonly AccountDocument[], exitCode: ExitCode): object {
  const worst = accounts.find((each) => each.exitCode === exitCode);
  return {
    ...joinFields(accounts.map(placed), (worst?.document ?? {}) as Fields),
    exit_code: exitCode,
    accounts: accounts.map(({ environment, leagues, exitCode: its, document }) => {
      const { run = null, requests, error } = document as Fields;
      return { environment, leagues, run, exit_code: its, requests, error };
    }),
  };
}

/** The document of an account, in which no entry of a list is taken for one of another account. */
function placed({ document, environment }: AccountDocument): Fields {
  const placedEntry = (entry: unknown): unknown =>
    typeof entry === 'object' && entry !== null && 'fantasy_league_id' in entry
      ? { environment, ...entry }
      : entry;
  return Object.fromEntries(
    Object.entries(document as Fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(placedEntry) : value,
    ]),
  );
}

/** One document for several runs of one command; everything that is not joined is that of the first run with an error, or of the first. */
export function joinRuns(documents: readonly object[], exitCode: ExitCode): object {
  const all = documents as readonly Fields[];
  const first = all.find((each) => 'error' in each) ?? all[0] ?? {};
  return { ...joinFields(all, first), exit_code: exitCode };
}

/** A screen that keeps the documents which are written to it; without `--json` it is as before. */
export function keepDocuments(screen: Screen): {
  readonly screen: Screen;
  readonly documents: () => readonly object[];
} {
  const whole: string[] = [];
  let streamed = '';
  const data = (text: string): Promise<void> => {
    whole.push(text);
    return Promise.resolve();
  };
  const exact = (text: string): Promise<void> => {
    streamed += text;
    return Promise.resolve();
  };
  return {
    screen: screen.json ? { ...screen, data, exact } : screen,
    documents: () =>
      [...whole, ...(streamed === '' ? [] : [streamed])].map((text) => JSON.parse(text) as object),
  };
}

function joinFields(all: readonly Fields[], first: Fields): Fields {
  const names = new Set([first, ...all].flatMap((each) => Object.keys(each)));
  names.delete('error');
  const joined = [...names].map((name) => [
    name,
    joinValues(
      name,
      all.flatMap((each) => (name in each ? [each[name]] : [])),
      first[name],
    ),
  ]);
  return { ...Object.fromEntries(joined), ...('error' in first && { error: first['error'] }) } as Fields;
}

function joinValues(name: string, values: readonly unknown[], ofWorst: unknown): unknown {
  if (values.every((value) => Array.isArray(value))) return values.flat();
  if (SUMS.has(name)) return sumOf(values as readonly Fields[]);
  if (name === 'finishes_at') return (values as readonly string[]).toSorted().at(-1);
  return ofWorst ?? values.find((value) => value !== null) ?? null;
}

function sumOf(parts: readonly Fields[]): Fields {
  const sum: Record<string, unknown> = {};
  for (const part of parts)
    for (const [name, value] of Object.entries(part)) {
      const before = sum[name];
      sum[name] =
        typeof value === 'number' && typeof before === 'number' ? before + value : (before ?? value);
    }
  return sum;
}
