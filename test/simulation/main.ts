/** `npm run simulate -- --seeds N [--from S] [--workers W] [--minutes M] [--keep-going] [--machines SHARE] [--odd SHARE] [--bug NAME]`, or `--seed S [--verbose]` to replay one. */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { simulateBatch, type BatchResult } from './batch.ts';
import { BUGS } from './bugs.ts';
import { simulate, type Outcome } from './simulate.ts';

const CHUNK = 50;
const LAST_EVENTS = 60;
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    bug: { type: 'string' },
    machines: { type: 'string' },
    odd: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
});

function whole(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  print(`--${name} wants a whole number, not ${text}`);
  process.exit(64);
}

const bugName = Object.keys(BUGS).find((name) => name === values.bug) as keyof typeof BUGS | undefined;
if (values.bug !== undefined && bugName === undefined) {
  print(`--bug is one of ${Object.keys(BUGS).join(', ')}`);
  process.exit(64);
}
function share(name: string, text: string | undefined): number | undefined {
  const found = text === undefined ? undefined : Number(text);
  if (found === undefined || (found >= 0 && found <= 1)) return found;
  print(`--${name} wants a share from 0 to 1, not ${text}`);
  process.exit(64);
}
const shares = { machines: share('machines', values.machines), odd: share('odd', values.odd) };
const options = { ...(bugName !== undefined && { bug: BUGS[bugName] }), ...shares };
const given = Object.entries({ bug: bugName, ...shares }).flatMap(([name, value]) =>
  value === undefined ? [] : [` --${name} ${value}`],
);
const replay = (seed: number): string => `npm run simulate -- --seed ${seed}${given.join('')} --verbose`;

function tell({ seed, violation, history }: Outcome, verbose: boolean): void {
  const lines = verbose ? history.lines : history.lines.slice(-LAST_EVENTS);
  for (const line of lines) print(verbose ? line : line.slice(0, 240));
  if (violation === undefined) print(`seed ${seed} keeps every promise (history ${history.digest})`);
  else {
    print(`seed ${seed} breaks ${violation.message}`);
    if (!verbose) print(`replay: ${replay(seed)}`);
  }
}

interface Work {
  readonly from: number;
  readonly count: number;
}
/** What a worker sends: a map does not survive the way. */
type Answer = Omit<BatchResult, 'met'> & { readonly met: readonly (readonly [string, number])[] };

function serve(): void {
  process.on('message', ({ from, count }: Work) => {
    void simulateBatch(from, count, { ...options, stopAtFirst: !values['keep-going'] }).then((result) =>
      process.send?.({ ...result, met: [...result.met] } satisfies Answer),
    );
  });
}

class Totals {
  seeds = 0;
  requests = 0;
  readonly met = new Map<string, number>();
  readonly failed: { readonly seed: number; readonly message: string }[] = [];
  readonly #startedMs = performance.now();

  add(answer: Answer): void {
    this.seeds += answer.seeds;
    this.requests += answer.requests;
    this.failed.push(...answer.failed);
    for (const [what, times] of answer.met) this.met.set(what, (this.met.get(what) ?? 0) + times);
  }

  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1000;
  }

  line(): string {
    const rate = (this.seeds / this.seconds).toFixed(1);
    return `${this.seeds} seeds, ${this.requests} requests, ${this.seconds.toFixed(0)} s, ${rate} seeds/s, ${this.failed.length} failed`;
  }
}

/** Hands out seeds until they are used up, time is over or one fails. */
async function conduct(): Promise<Totals> {
  const totals = new Totals();
  let next = whole('from', values.from);
  const end = next + whole('seeds', values.seeds);
  const untilS = values.minutes === undefined ? Infinity : whole('minutes', values.minutes) * 60;
  const goesOn = (): boolean =>
    next < end && totals.seconds < untilS && (values['keep-going'] || totals.failed.length === 0);
  let saidS = 0;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = fork(import.meta.filename, process.argv.slice(2), {
        env: { ...process.env, SIMULATION_WORKER: '1' },
      });
      const give = (): void => {
        if (!goesOn()) {
          worker.disconnect();
          resolve();
          return;
        }
        const count = Math.min(CHUNK, end - next);
        worker.send({ from: next, count } satisfies Work);
        next += count;
      };
      worker.on('message', (answer: Answer) => {
        totals.add(answer);
        // A long run may be stopped before its end.
        for (const { seed, message } of answer.failed) print(`seed ${seed}: ${message.slice(0, 200)}`);
        if (totals.seconds - saidS >= 5) {
          saidS = totals.seconds;
          print(totals.line());
        }
        give();
      });
      worker.on('exit', (code) => {
        if (code !== 0 && code !== null) reject(new Error(`a worker ended with ${code}`));
      });
      give();
    });
  await Promise.all(Array.from({ length: whole('workers', values.workers) }, work));
  return totals;
}

async function main(): Promise<void> {
  if (process.env['SIMULATION_WORKER'] === '1') {
    serve();
    return;
  }
  if (values.seed !== undefined) {
    const outcome = await simulate(whole('seed', values.seed), options);
    tell(outcome, values.verbose);
    process.exitCode = outcome.violation === undefined ? 0 : 1;
    return;
  }
  const totals = await conduct();
  for (const [what, times] of [...totals.met].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    print(`${String(times).padStart(10)}  ${what}`);
  print(totals.line());
  const [first] = totals.failed.toSorted((a, b) => a.seed - b.seed);
  if (first === undefined) return;
  tell(await simulate(first.seed, options), false);
  process.exitCode = 1;
}

await main();
