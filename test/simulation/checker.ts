import { isDeepStrictEqual } from 'node:util';
import { EXIT, type ExitCode } from '../../src/model/error.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import type { RunRow } from '../../src/model/state/run-rows.ts';
import { renderSaid, type Words } from '../../src/model/said.ts';
import type { Intent, IntentResult, PushSummary, StoredIntent } from '../../src/model/state/store.ts';
import type { PlannedPush, RunReport } from '../../src/sync/ports.ts';
import type { PlannedChange } from '../../src/plan/saved/push-plan.ts';
import { allParts, says } from '../support/said.ts';
import { keptName, type Habits } from './habits.ts';
import { Violation, type History } from './history.ts';
import type { Effect, Kind, Records } from './records.ts';
import type { Sent } from './wire.ts';

/** An intent as the checker saw it become durable. */
interface SeenIntent {
  readonly intent: Intent;
  readonly life: string;
  result: IntentResult | null;
}

/** A results file, and the rows that it was made of. */
export interface Told {
  readonly life: string;
  readonly rows: readonly RunRow[];
  /** Row number and outcome of each line. */
  readonly lines: readonly (readonly [number, string])[];
}

/** What one process may do. */
interface Rights {
  readonly readOnly: boolean;
  /** Rows of the plan that was shown and approved, by mapping; undefined before there is one. */
  shown: ReadonlyMap<string, ReadonlySet<number>> | undefined;
}

const UNTOUCHED: ReadonlySet<Outcome | null> = new Set([
  'invalid',
  'rejected',
  'unchanged',
  'deferred',
  'excluded',
] as const);
const MISSING = ' (missing)';
const UNFINISHED: ReadonlySet<ExitCode> = new Set([EXIT.unavailable, EXIT.interrupted, EXIT.terminated]);

/** Whether a row was taken so by the operator's word, which is on one write: the run may have sent the row in another one. */
const isTaken = (said: Words, as: 'applied' | 'not-applied'): boolean =>
  said.some((part) => part.code === 'word-taken' && part.assume === as);

/** Of a write that reading back did not show: what it did, if anything, was changed again since. */
const isNotShownOf = ({ said }: RunRow): boolean =>
  allParts(said).some(
    (part) => part.code === 'sent-not-shown' || (part.code === 'sent-spent' && !part.isProved),
  );

const mayHaveTouched = ({ outcome, said }: RunRow): boolean =>
  !UNTOUCHED.has(outcome) || says(said, 'flag-not-set', 'flag-not-set-yet') || isTaken(said, 'not-applied');

/** Whether the service shows another name of a user than it was given. */
const isKeptOtherwise = ({ after: { display_name: name } }: Effect, habits: Habits): boolean =>
  keptName(name, habits) !== name;

/** Whether a later effect on the record took back something of what a row asked for. */
function isUndone({ fields }: RunRow, own: Effect, effects: readonly Effect[]): boolean {
  return effects
    .slice(effects.indexOf(own) + 1)
    .some(
      ({ id, after }) =>
        id === own.id &&
        Object.entries(fields ?? {}).some(
          ([name, value]) => name in after && JSON.stringify(after[name]) !== JSON.stringify(value),
        ),
    );
}

/**
 * Whether a repeat was taken for the record that is there and left it as it was. Nothing that the service shows tells this from a refusal, and nobody misses
 * anything: such a row may count as untouched.
 */
const leftAsItWas = ({ kind, id, after }: Effect, at: number, effects: readonly Effect[]): boolean =>
  kind === 'merge' &&
  isDeepStrictEqual(effects.slice(0, at).findLast((before) => before.id === id)?.after, after);

/** Holds everything that happens against the invariants of the push protocol, and keeps the first thing that breaks one. */
export class Checker {
  /** The first broken promise. */
  violation: Violation | undefined;
  readonly #history: History;
  readonly #habits: Habits;
  readonly #records: Records;
  readonly #intents = new Map<string, SeenIntent>();
  /** By the number of a request. */
  readonly #intentOf = new Map<number, Intent>();
  readonly #rights = new Map<string, Rights>();
  /** The last word of each run, by run and mapping. */
  readonly #told = new Map<string, Map<string, Told>>();
  /** Requests up to this one are past an older copy of the state, which is held to what the service shows alone. */
  #restored: { readonly after: number; readonly shown: ReadonlySet<Kind> } | undefined;
  /** Who holds the lock. */
  holder: string | undefined;
  readonly #holds: (life: string) => boolean;

  /** `holds`: whether a process has the lock, where that is no lock of one machine. */
  constructor(history: History, records: Records, habits: Habits, holds?: (life: string) => boolean) {
    this.#habits = habits;
    this.#history = history;
    this.#records = records;
    this.#holds = holds ?? ((life) => this.holder === life);
  }

  fail(invariant: string, message: string): void {
    this.violation ??= new Violation(invariant, message);
    this.#history.note('!!', invariant, message);
  }

  /** The state forgets what came after a copy of it was made. */
  restored(known: readonly StoredIntent[], after: number, shown: ReadonlySet<Kind>): void {
    this.#restored = { after, shown };
    const results = new Map(known.map(({ id, result }) => [id, result]));
    for (const [id, seen] of this.#intents) {
      const result = results.get(id);
      if (result === undefined) this.#intents.delete(id);
      else seen.result = result;
    }
    // What was done before the copy may be told again, by a run that does not remember having done it.
    this.#intentOf.clear();
    this.#told.clear();
  }

  begin(life: string, readOnly: boolean): void {
    this.#rights.set(life, { readOnly, shown: undefined });
  }

  recorded(life: string, intent: Intent): void {
    this.#intents.set(intent.id, { intent, life, result: null });
    this.#history.note(
      life,
      'intent',
      intent.id.slice(-4),
      intent.operation,
      intent.keys.join(','),
      intent.bodyDigest.slice(0, 6),
    );
    // The run goes on, so what it said last is not its last word any more.
    this.#told.delete(intent.runId);
    const shown = this.#rights.get(life)?.shown;
    if (shown === undefined) {
      this.fail('I7', `${intent.operation} before any plan was shown`);
      return;
    }
    const planned = shown.get(intent.mapping);
    const strange = intent.rowNumbers.filter((row) => planned?.has(row) !== true);
    if (strange.length > 0 && !intent.mapping.endsWith(MISSING))
      this.fail('I7', `${intent.mapping} rows ${strange.join(', ')} were not in the plan shown`);
  }

  settled(life: string, intentId: string, result: IntentResult): void {
    this.#history.note(life, 'intent', intentId.slice(-4), 'is', result);
    this.#history.count(`intent ${result}`);
    const seen = this.#intents.get(intentId);
    if (seen !== undefined) seen.result = result;
  }

  /** I4, I8, I12: a write has a durable intent of its process, its process holds the lock and may write at all. */
  sent(request: Sent): void {
    if (request.digest === undefined) return;
    const { life, number, digest } = request;
    const intent = [...this.#intents.values()].findLast(
      (seen) => seen.life === life && seen.result === null && seen.intent.bodyDigest === digest,
    );
    if (this.#rights.get(life)?.readOnly !== false)
      this.fail('I8', `#${number} ${request.method} ${request.path} of a command that only reads`);
    if (!this.#holds(life) && !request.woken) this.fail('I12', `#${number} is written without the lock`);
    if (intent === undefined)
      this.fail('I4', `#${number} ${request.method} ${request.path} has no open intent`);
    else this.#intentOf.set(number, intent.intent);
  }

  shown(life: string, { mappings }: PlannedPush, changes: readonly PlannedChange[]): void {
    const rights = this.#rights.get(life);
    if (rights === undefined) return;
    const rows = new Map(mappings.map(({ mapping }) => [mapping.name, new Set<number>()]));
    for (const { mapping, row, kind } of changes)
      if (kind === 'create' || kind === 'update') rows.get(mapping)?.add(row);
    rights.shown = rows;
  }

  told(run: string, mapping: string, told: Told): void {
    const mappings = this.#told.get(run) ?? new Map<string, Told>();
    this.#told.set(run, mappings.set(mapping, told));
  }

  /** I2 and I3, for the report of one process. */
  reported(life: string, { run, command, exit_code, mappings }: RunReport): void {
    for (const summary of mappings) {
      if (summary.direction !== 'push' || run === null) continue;
      if (summary.results === null) {
        this.#checkUnwritten(summary, exit_code);
        continue;
      }
      const told = this.#told.get(run)?.get(summary.name);
      if (told === undefined) {
        this.fail('I2', `no results of ${summary.name} were written`);
        continue;
      }
      // A process that was stopped at its end reports what another one has gone on with.
      if (told.life === life) this.#checkCounts(command, summary, told);
      this.#checkEffects(run, summary.name, summary.resource, told.rows);
      for (const outcome of OUTCOMES) this.#history.count(`rows ${outcome}`, summary[outcome]);
    }
    this.checkNothingTwice();
  }

  /** A state that is away just then keeps the results from being written. The run says so and is unfinished, and `resume` writes them. */
  #checkUnwritten({ name }: PushSummary, exitCode: ExitCode): void {
    if (UNFINISHED.has(exitCode)) this.#history.count('results left to resume');
    else this.fail('I2', `no results of ${name} were written, and the run ends with ${exitCode}`);
  }

  #checkCounts(command: string, summary: PushSummary, { rows, lines }: Told): void {
    const sum = OUTCOMES.reduce((total, outcome) => total + summary[outcome], 0);
    if (sum !== summary.rows || lines.length !== summary.rows)
      this.fail('I2', `${summary.name}: ${summary.rows} rows, ${sum} outcomes, ${lines.length} lines`);
    for (const [index, [number, outcome]] of lines.entries()) {
      // A retry reads some of the rows.
      if (command !== 'retry' && number !== index + 2)
        this.fail('I2', `${summary.name}: line ${index + 1} is row ${number}`);
      if (outcome !== rows[index]?.outcome)
        this.fail(
          'I2',
          `${summary.name} row ${number}: ${outcome} in its file, ${String(rows[index]?.outcome)} kept`,
        );
    }
    for (const outcome of OUTCOMES) {
      const found = lines.filter(([, each]) => each === outcome).length;
      if (found !== summary[outcome])
        this.fail('I2', `${summary.name}: ${summary[outcome]} ${outcome} reported, ${found} written`);
    }
  }

  /** I3: what is said to be there is there, as it was sent; what is said to be untouched was not touched by this run. */
  #checkEffects(run: string, mapping: string, resource: Kind, rows: readonly RunRow[]): void {
    for (const row of rows) {
      const { key, outcome } = row;
      if (key === null) continue;
      const effects = this.#records.effects.filter((each) => each.resource === resource && each.key === key);
      if (outcome === 'created' || outcome === 'updated') this.#checkDone(mapping, resource, row, effects);
      if (outcome === 'created') this.#checkMaker(run, mapping, row, effects);
      // Of two rows of one key the first may have been sent.
      if (rows.some((other) => other.key === key && mayHaveTouched(other))) continue;
      const own = effects.findLast(
        (effect, at) =>
          this.#runOf(effect.request)?.runId === run &&
          this.#runOf(effect.request)?.mapping === mapping &&
          !leftAsItWas(effect, at, effects),
      );
      const isNotShown = rows.some((other) => other.key === key && isNotShownOf(other));
      const isHidden =
        own !== undefined && (isUndone(row, own, effects) || isKeptOtherwise(own, this.#habits));
      if (own !== undefined && !(isNotShown && isHidden))
        this.fail(
          'I3',
          `${mapping} row ${row.rowNumber} (${key}) is ${String(outcome)}, but #${own.request ?? 0} of its run did ${own.kind} it: ${renderSaid(row.said)}`,
        );
    }
  }

  /** A row counts as created in the run that made its record, and in no other one of ours. */
  #checkMaker(
    run: string,
    mapping: string,
    { key, rowNumber, said }: RunRow,
    effects: readonly Effect[],
  ): void {
    // What was done after the copy is not remembered, and the operator's word is on what nobody saw.
    if (this.#restored !== undefined || isTaken(said, 'applied')) return;
    const makers = effects
      .filter(({ kind }) => kind === 'create')
      .map(({ request }) => this.#runOf(request)?.runId);
    if (makers.length > 0 && makers.every((maker) => maker !== undefined && maker !== run))
      this.fail(
        'I3',
        `${mapping} row ${rowNumber} (${key ?? ''}) is created, but run ${makers.join(' and ')} made it`,
      );
  }

  #checkDone(
    mapping: string,
    resource: Kind,
    { key, outcome, fields, id, rowNumber, said }: RunRow,
    effects: readonly Effect[],
  ): void {
    const where = `${mapping} row ${rowNumber} (${key ?? ''})`;
    // The operator's word on a create says nothing of a flag that could only be set afterwards.
    const isTakenAsApplied = isTaken(said, 'applied');
    const isFlagUnknown = isTakenAsApplied && says(said, 'flag-unknown');
    const wanted = Object.entries(fields ?? {}).filter(([name]) => !(isFlagUnknown && name === 'is_active'));
    const holds = ({ after }: Effect, [name, value]: (typeof wanted)[number]): boolean =>
      !(name in after) || JSON.stringify(after[name]) === JSON.stringify(value);
    // The word is on one write of the row, and between two of them somebody may have changed what the first one made.
    const isHeld = isTakenAsApplied
      ? wanted.every((field) => effects.some((effect) => holds(effect, field)))
      : effects.some((effect) => wanted.every((field) => holds(effect, field)));
    if (!isHeld && this.#isForgotten(resource)) return;
    if (!isHeld) {
      this.fail('I3', `${where} is ${String(outcome)}, but the service never held it so`);
      return;
    }
    if (id !== null && !effects.some((effect) => effect.id === id))
      this.fail('I3', `${where} has the id ${id}, which is another record's`);
  }

  /** Records of substitutions name no game week: what a forgotten trigger did is taken for what one without an answer did. */
  #isForgotten(resource: Kind): boolean {
    const after = this.#restored?.after;
    const isEarlier = ({ request = Infinity }: Effect): boolean => after !== undefined && request <= after;
    return (
      resource === 'auto_substitutions' &&
      this.#records.effects.some((effect) => effect.resource === resource && isEarlier(effect))
    );
  }

  #runOf(request: number | undefined): Intent | undefined {
    return request === undefined ? undefined : this.#intentOf.get(request);
  }

  /** I1: no key is created twice by us; nothing that adds up is sent twice in a row. */
  checkNothingTwice(): void {
    const last = new Map<string, Effect>();
    for (const effect of this.#records.effects) {
      const name = `${effect.resource} ${effect.key}`;
      if (effect.request === undefined) {
        // Somebody else's price stands in the place of ours, so that ours is to be set again.
        if (effect.resource === 'prices') last.delete(name);
        continue;
      }
      const before = last.get(name);
      const repeats =
        effect.resource === 'prices'
          ? before?.after['price'] === effect.after['price']
          : effect.kind === 'create';
      const isShown =
        this.#restored === undefined ||
        effect.request <= this.#restored.after ||
        this.#restored.shown.has(effect.resource);
      if (before !== undefined && repeats && isShown) {
        this.fail('I1', `${name} was made by #${before.request ?? 0} and again by #${effect.request}`);
        return;
      }
      if (effect.kind === 'create') last.set(name, effect);
    }
  }

  /** At the end, when nothing is under way any more: what was said to be untouched stayed so. */
  checkLastWords(resourceOf: (mapping: string) => Kind): void {
    for (const [run, mappings] of this.#told)
      for (const [mapping, { rows }] of mappings) this.#checkEffects(run, mapping, resourceOf(mapping), rows);
    this.checkNothingTwice();
  }

  /** The rows of a run as its last report had them. */
  rowsOf(run: string, mapping: string): readonly RunRow[] {
    return this.#told.get(run)?.get(mapping)?.rows ?? [];
  }

  /** Writes without an answer, and whether the service did all of what they asked for, none of it, or a part. */
  openWrites(): readonly { readonly id: string; readonly done: 'all' | 'none' | 'part' }[] {
    const open = [...this.#intents.values()].filter(
      ({ result }) => result === null || result === 'ambiguous',
    );
    return open.map(({ intent: { id, keys } }) => {
      const effects = this.#records.effects.filter(({ request }) => this.#runOf(request)?.id === id);
      const made = keys.filter((key) => effects.some((effect) => effect.key === key)).length;
      return { id, done: made === 0 ? 'none' : made === keys.length ? 'all' : 'part' };
    });
  }

  /** Keys with a write of which nobody knows what became. */
  openKeys(resource: string): ReadonlySet<string> {
    return new Set(
      [...this.#intents.values()]
        .filter(
          ({ intent, result }) => intent.resource === resource && (result === null || result === 'ambiguous'),
        )
        .flatMap(({ intent }) => intent.keys),
    );
  }
}
