import type { PushMapping } from '../mapping/mapping.ts';
import { EXIT, type ConfigError, type ExitCode } from '../model/error.ts';
import type { OutcomeCounts } from '../model/outcome.ts';
import type { RunRows } from '../model/state/run-rows.ts';
import { shownLine } from '../model/tables/cell.ts';
import { outcomeCounts } from '../plan/counts.ts';
import { orderMappings } from '../plan/order.ts';
import { checkGuards } from '../plan/guards.ts';
import { issuesAmong } from '../model/said.ts';
import { renderRowIssue, type Issue } from '../model/issue.ts';
import type { Sieve } from './rows/left-rows.ts';
import { eachRow } from './rows/row-pages.ts';
import { openOrRemove, readSources, throwMissing } from './rows/read-rows.ts';
import type { Stop, SyncPorts } from './ports.ts';
import type { PlanOptions } from '../plan/saved/push-plan.ts';

/** What checking the source of one mapping found, without a single request. */
export interface ValidatedMapping {
  readonly mapping: PushMapping;
  /** Outcomes that are set already: invalid, excluded, and duplicates as unchanged. */
  readonly outcomes: OutcomeCounts;
  /** Rows that a push would compare with the service. */
  readonly valid: number;
}

export interface Validation {
  readonly mappings: readonly ValidatedMapping[];
  /** Guards that would stop a push, and tables that are not there. */
  readonly stops: readonly Stop[];
  /** 0, 3 or 6; 4 where a table is not there. */
  readonly exitCode: ExitCode;
  /** The rows of which something is said; those of which nothing is are counted. `remove()` when done. */
  readonly rows: RunRows;
}

/** Nobody asks for a row again of which nothing is said. */
const TOLD: Sieve = { leaves: ({ said }) => said.length === 0 };

type ValidatePorts = Pick<
  SyncPorts,
  'store' | 'tables' | 'emit' | 'signal' | 'variable' | 'timezone' | 'rulesOf'
>;

/**
 * Reads the sources of the mappings and checks every row by itself and against the others. Sends nothing. Errors: those of reading; that a table is not there is
 * one only where no other is.
 */
export async function validateSources(
  ports: ValidatePorts,
  mappings: readonly PushMapping[],
  options: PlanOptions,
): Promise<Validation> {
  const ordered = orderMappings(mappings);
  const missing = new Map<string, ConfigError>();
  const rows = await readSources(ports, null, ordered, options, {
    onMissing: ({ name }, error) => missing.set(name, error),
    sieveOf: () => TOLD,
  });
  return openOrRemove(rows, async () => {
    const there = ordered.filter(({ name }) => !missing.has(name));
    if (there.length === 0) throwMissing([...missing.values()]);
    const validated: ValidatedMapping[] = [];
    const stops: Stop[] = [...missing].map(([mapping, error]) => ({ mapping, error }));
    for (const mapping of there) {
      const counts = await rows.countOutcomes(mapping.name);
      const outcomes = outcomeCounts(counts);
      validated.push({ mapping, outcomes, valid: counts.get('open') ?? 0 });
      const figures = {
        rows: outcomes.rows - outcomes.excluded,
        excluded: outcomes.excluded,
        invalid: outcomes.invalid,
      };
      stops.push(
        ...checkGuards(mapping, figures, options).map((error) => ({ mapping: mapping.name, error })),
      );
    }
    const invalid = validated.some(({ outcomes }) => outcomes.invalid > 0);
    return {
      mappings: validated,
      stops,
      exitCode:
        missing.size > 0 ? EXIT.config : stops.length > 0 ? EXIT.stopped : invalid ? EXIT.rows : EXIT.done,
      rows,
    };
  });
}

/** An error or a warning of one row. */
export interface RowIssue extends Pick<Issue, 'code' | 'severity'> {
  readonly mapping: string;
  /** The file or tab as the mapping names it. */
  readonly file: string;
  readonly row: number;
  readonly column: string | null;
  /** What stands in the cell. */
  readonly value: string | null;
  /** With its place, for people. */
  readonly message: string;
}

/** All issues, mapping by mapping and in row order. */
export async function* rowIssues({ mappings, rows }: Validation): AsyncGenerator<RowIssue> {
  for (const { mapping } of mappings) {
    const { name, source } = mapping;
    const header = await rows.header(name);
    for await (const { rowNumber, lines, said } of eachRow(rows, name, { told: true }))
      for (const issue of issuesAmong(said)) {
        const { row = rowNumber, column = null, code, severity } = issue;
        const cell = column === null ? null : (shownLine(lines[0] ?? [])[header.indexOf(column)] ?? null);
        const message = renderRowIssue(source.origin, rowNumber, issue);
        const value = issue.value ?? cell;
        yield { mapping: name, file: source.origin, row, column, value, message, code, severity };
      }
  }
}
