import { OUTCOMES } from '../model/outcome.ts';
import type { Overview } from '../pages/dashboard/overview.ts';
import type { Health } from '../model/state/alerts.ts';
import type { MappingLine, RunLine } from '../pages/dashboard/values.ts';

type Labels = Readonly<Record<string, string | undefined>>;
type Sample = readonly [labels: Labels, value: number];

const HEALTHS: readonly Health[] = ['ok', 'degraded', 'failing'];

/** The numbers of the overview in the text format of Prometheus: names of mappings and leagues, and counts; nothing of a row. */
export function renderMetrics({ mappings, newest, openCases }: Overview, version: string): string {
  const ran = mappings.flatMap((line) => (line.last === undefined ? [] : [{ line, last: line.last }]));
  const metrics = [
    gauge('info', 'The version that answers.', [[{ version }, 1]]),
    gauge('open_cases', 'Writes and rows of which nobody can say yet what became of them.', [
      [{}, openCases],
    ]),
    gauge(
      'mapping_state',
      'Whether its last attempt left a mapping so.',
      mappings
        .filter(({ health }) => health !== undefined)
        .flatMap((line) =>
          HEALTHS.map((state): Sample => [{ ...labelsOf(line), state }, Number(line.health === state)]),
        ),
    ),
    gauge(
      'mapping_last_run_timestamp_seconds',
      'When the last run of a mapping began.',
      ran.map(({ line, last }) => [labelsOf(line), last.run.startedAtMs / 1000]),
    ),
    gauge(
      'mapping_next_run_timestamp_seconds',
      'When a mapping runs next by itself.',
      mappings.flatMap((line): Sample[] =>
        line.next === undefined ? [] : [[labelsOf(line), line.next.atMs / 1000]],
      ),
    ),
    gauge(
      'mapping_last_rows',
      'Rows of the last run of a mapping, by outcome.',
      ran.flatMap(({ line, last }) =>
        OUTCOMES.map((outcome): Sample[] =>
          last.work.outcomes === null ? [] : [[{ ...labelsOf(line), outcome }, last.work.outcomes[outcome]]],
        ).flat(),
      ),
    ),
    gauge(
      'mapping_last_records',
      'Records of the last report of a mapping.',
      ran.flatMap(({ line, last }): Sample[] =>
        last.work.records === null ? [] : [[labelsOf(line), last.work.records]],
      ),
    ),
    ...runMetrics(newest),
  ];
  return metrics.join('');
}

function runMetrics(newest: RunLine | undefined): readonly string[] {
  if (newest === undefined) return [];
  const { startedAtMs, exitCode, requests } = newest;
  const counts = { ...requests };
  return [
    gauge('last_run_timestamp_seconds', 'When the newest run began.', [[{}, startedAtMs / 1000]]),
    gauge('last_run_exit_code', 'How the newest run ended.', exitCode === null ? [] : [[{}, exitCode]]),
    gauge(
      'last_run_requests',
      'Requests of the newest run.',
      (['sent', 'reads', 'writes', 'throttled'] as const).flatMap((kind): Sample[] =>
        counts[kind] === undefined ? [] : [[{ kind }, counts[kind]]],
      ),
    ),
  ];
}

const labelsOf = ({ mapping, league, direction }: MappingLine): Labels => ({ mapping, league, direction });

/** A metric without a sample says nothing. */
function gauge(name: string, help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const full = `teamsheet_${name}`;
  const lines = samples.map(([labels, value]) => `${full}${renderLabels(labels)} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${lines.join('')}`;
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escapeLabel(value)}"`],
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
