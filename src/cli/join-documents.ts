import type { ExitCode } from '../model/error.ts';

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
 * else, such as `run` and `error`, is that of the first account that has the document's exit code. `accounts` says it of each.
 */
export function joinDocuments(accounts: readonly AccountDocument[], exitCode: ExitCode): object {
  const worst = accounts.find((each) => each.exitCode === exitCode);
  const all = accounts.map(({ document }) => document as Fields);
  const first = (worst?.document ?? {}) as Fields;
  const names = new Set([first, ...all].flatMap((each) => Object.keys(each)));
  names.delete('error');
  const joined = Object.fromEntries(
    [...names].map((name) => [
      name,
      joinValues(
        name,
        all.flatMap((each) => (name in each ? [each[name]] : [])),
        first[name],
      ),
    ]),
  );
  return {
    ...joined,
    exit_code: exitCode,
    ...('error' in first && { error: first['error'] }),
    accounts: accounts.map(({ environment, leagues, exitCode: its, document }) => {
      const { run = null, requests, error } = document as Fields;
      return { environment, leagues, run, exit_code: its, requests, error };
    }),
  };
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
