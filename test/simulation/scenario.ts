import type { PushMapping } from '../../src/mapping/mapping.ts';
import { dice, loaded, type Dice } from './dice.ts';
import { FAULTS, type Fault } from './faults.ts';
import { areListsStrange, drawHabits, drawLeftOut, drawNames, type Habits } from './habits.ts';
import type { Ending, Pause } from './life.ts';
import { drawMappings, withGuests, type PriceType } from './mappings.ts';
import { LOSSES, type Loss } from './memory-store.ts';

/** What a person asks of a command beside what it is. */
export interface Bounds {
  /** Only the first rows of each table. */
  readonly limit?: number | undefined;
  readonly maxRequests?: number | undefined;
  /** After so long no row is sent any more. */
  readonly deadlineMs?: number | undefined;
  /** Only these mappings of a push or a plan, by their places. */
  readonly parts?: readonly number[] | undefined;
}

export type CommandKind = 'push' | 'resume' | 'retry' | 'resolve' | 'plan';

/** What a host does after a while, beside the others. */
export interface HostCommand extends Bounds {
  readonly afterMs: number;
  readonly kind: CommandKind;
  readonly ending: Ending | undefined;
  readonly pause: Pause | undefined;
  readonly thinkMs: number;
}

/** Several machines that share one database. */
export interface HostsScenario {
  /** The term of a lease. */
  readonly termMs: number;
  /** How far the wall clock of each is ahead. */
  readonly skewsMs: readonly number[];
}

/** One thing that happens. */
export type Step =
  | ({
      readonly kind: CommandKind;
      /** How likely a request meets a fault. */
      readonly rate: number;
      readonly ending: Ending | undefined;
      /** What others write meanwhile. */
      readonly others: number;
      /** When the operator edits a table meanwhile. */
      readonly editsAtMs: readonly number[];
      /** How long the person looks at the plan. */
      readonly thinkMs: number;
      /** A plan is saved, or a push is that of the plan which was saved last. */
      readonly isSaved?: true;
    } & Bounds)
  | { readonly kind: 'two_pushes'; readonly rate: number }
  | {
      readonly kind: 'hosts';
      readonly rate: number;
      /** How likely the database goes away at a statement. */
      readonly outages: number;
      /** When others write meanwhile, and when the operator edits a table. */
      readonly othersAtMs: readonly number[];
      readonly editsAtMs: readonly number[];
      /** What each does, one after the other. */
      readonly commands: readonly (readonly HostCommand[])[];
    }
  | { readonly kind: 'edit'; readonly times: number }
  | { readonly kind: 'other' }
  | { readonly kind: 'lose'; readonly what: Loss }
  /** A copy of the state is made, or put in its place; or the whole state is lost. */
  | { readonly kind: 'copy' | 'restore' | 'lose_state' }
  /** Lists end early for a while and say that they are whole. */
  | { readonly kind: 'early' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'jump'; readonly ms: number };

/** Everything that one seed decides before it begins. */
export interface Scenario {
  readonly habits: Habits;
  readonly mappings: readonly PushMapping[];
  /** What the prices of the operator and of others are. */
  readonly priceType: PriceType;
  readonly faults: readonly Fault[];
  readonly settleMs: number;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly maxWaitMs: number;
  /** Users that others made before. */
  readonly before: number;
  /** Creates that the account has room for until the trouble is over. */
  readonly quota: number | undefined;
  /** Whether others write at all. */
  readonly others: boolean;
  readonly adopt: boolean;
  readonly onAmbiguous: 'hold' | 'settle';
  readonly jumpsAhead: boolean;
  /** How far somebody sets the wall clock while a command runs; by nothing where it is never set. */
  readonly leapMs: number;
  /** Undefined where everything runs on one machine. */
  readonly hosts: HostsScenario | undefined;
  readonly steps: readonly Step[];
}

const MINUTE_MS = 60_000;
const RATES = [0, 0.03, 0.15, 0.4] as const;

function drawEnding(roll: Dice): Ending | undefined {
  if (!roll.chance(0.4)) return undefined;
  const how = roll.pick(['kill_before', 'kill_after', 'kill_after', 'signal'] as const);
  if (roll.chance(0.3)) return { how, at: 'request', number: roll.int(1, 20) };
  return { how, at: 'step', number: roll.chance(0.5) ? roll.int(1, 40) : roll.int(20, 160) };
}

/** Times at which something happens while commands run: most of them early. */
const drawTimes = (roll: Dice, count: number): readonly number[] =>
  Array.from({ length: count }, () => roll.pick([3, 60, 900]) * roll.int(1, 1000));

function drawCommand(roll: Dice, kind: CommandKind, others: boolean): Step {
  return {
    kind,
    rate: roll.pick(RATES),
    ending: drawEnding(roll),
    others: others ? roll.int(0, 2) : 0,
    thinkMs: roll.pick([0, 0, 1000, 10 * MINUTE_MS]),
    editsAtMs: [],
  };
}

function drawStep(roll: Dice, others: boolean, jump: -1 | 0 | 1): Step {
  const kind = roll.int(0, 19);
  if (kind < 12)
    return drawCommand(
      roll,
      kind < 6 ? 'push' : kind < 10 ? 'resume' : kind < 11 ? 'resolve' : 'plan',
      others,
    );
  if (kind === 12) return { kind: 'two_pushes', rate: roll.pick(RATES) };
  if (kind < 15) return { kind: 'edit', times: roll.int(1, 4) };
  if (kind === 15 && others) return { kind: 'other' };
  if (kind >= 16 && kind < 18 && jump !== 0)
    return { kind: 'jump', ms: jump * roll.pick([30_000, MINUTE_MS, 3_600_000, 86_400_000]) };
  return { kind: 'wait', ms: roll.pick([1000, MINUTE_MS, 3 * MINUTE_MS, 3_600_000, 25 * 3_600_000]) };
}

/** The same steps, with losses of what stands below the folder of the state between some of them, and what people type then. */
function withLosses(roll: Dice, steps: readonly Step[]): readonly Step[] {
  const next = (): readonly Step[] =>
    Array.from({ length: roll.int(1, 2) }, () =>
      drawCommand(roll, roll.pick(['push', 'resume', 'retry', 'resolve'] as const), false),
    );
  if (roll.chance(0.2))
    return steps.flatMap((step): readonly Step[] =>
      roll.chance(0.5) ? [step, { kind: 'lose', what: roll.pick(LOSSES) }, ...next()] : [step],
    );
  if (!roll.chance(0.2)) return steps;
  const at = roll.int(1, steps.length);
  if (roll.chance(0.5)) return [...steps.slice(0, at), { kind: 'lose_state' }, ...next(), ...steps.slice(at)];
  return [
    ...steps.slice(0, at),
    { kind: 'copy' },
    ...steps.slice(at),
    { kind: 'restore' },
    ...next(),
    ...next(),
  ];
}

/** The same steps, with a while in which lists end early. Only a state that is whole can know better. */
function withEarlyEnd(roll: Dice, steps: readonly Step[]): readonly Step[] {
  const isLost = steps.some(({ kind }) => kind === 'lose_state' || kind === 'restore');
  if (isLost || !roll.chance(0.25)) return steps;
  const at = roll.int(1, steps.length);
  return [...steps.slice(0, at), { kind: 'early' }, ...steps.slice(at)];
}

function drawPause(roll: Dice): Pause | undefined {
  if (!roll.chance(0.4)) return undefined;
  const ms = roll.pick([5000, 25_000, MINUTE_MS, 5 * MINUTE_MS, 3_600_000]);
  if (roll.chance(0.4)) return { before: 'write', number: roll.int(1, 4), ms };
  return { before: 'step', number: roll.chance(0.5) ? roll.int(1, 60) : roll.int(30, 200), ms };
}

/** The same steps on several machines: what would run alone runs beside others, most of the time. What happens to one machine alone is left out. */
function onHosts(roll: Dice, hosts: number, others: boolean, steps: readonly Step[]): readonly Step[] {
  const drawn = (): HostCommand => ({
    afterMs: roll.pick([0, 0, 500, 10_000, MINUTE_MS, 10 * MINUTE_MS]),
    kind: roll.pick(['push', 'push', 'push', 'resume', 'resume', 'retry', 'resolve', 'plan'] as const),
    ending: drawEnding(roll),
    pause: drawPause(roll),
    thinkMs: roll.pick([0, 0, 1000, 2 * MINUTE_MS]),
  });
  const beside = (): Step => ({
    kind: 'hosts',
    rate: roll.pick(RATES),
    outages: roll.pick([0, 0, 0.002, 0.02]),
    commands: Array.from({ length: hosts }, () => Array.from({ length: roll.int(1, 3) }, drawn)),
    othersAtMs: others ? drawTimes(roll, roll.int(0, 4)) : [],
    editsAtMs: [],
  });
  return steps.flatMap((step): readonly Step[] => {
    if (step.kind === 'jump') return [];
    if (step.kind === 'two_pushes') return [beside()];
    return (step.kind === 'push' || step.kind === 'resume') && roll.chance(0.7) ? [beside()] : [step];
  });
}

function drawHosts(roll: Dice, share: number): HostsScenario | undefined {
  if (!roll.chance(share)) return undefined;
  const termMs = roll.pick([30_000, 60_000]);
  return {
    termMs,
    skewsMs: Array.from({ length: roll.int(2, 3) }, () => roll.int(-400, 400)),
  };
}

/** The same steps, with edits of the operator while commands run. */
const withEdits = (roll: Dice, steps: readonly Step[]): readonly Step[] =>
  steps.map((step) =>
    'editsAtMs' in step ? { ...step, editsAtMs: drawTimes(roll, roll.pick([0, 0, 1, 3])) } : step,
  );

/** The same steps, with a plan that is saved, something that happens since, and its push, which may be typed twice. */
function withSaved(roll: Dice, others: boolean, steps: readonly Step[]): readonly Step[] {
  if (!roll.chance(0.3)) return steps;
  const at = roll.int(0, steps.length);
  const saved = (kind: 'plan' | 'push'): Step =>
    ({ ...drawCommand(roll, kind, others), isSaved: true }) as Step;
  const between = roll.pick<readonly Step[]>([
    [],
    [{ kind: 'edit', times: 1 }],
    [drawCommand(roll, 'push', others)],
    [{ kind: 'wait', ms: 3_600_000 }],
    others ? [{ kind: 'other' }] : [],
  ]);
  const twice = roll.chance(0.4) ? [saved('push')] : [];
  return [...steps.slice(0, at), saved('plan'), ...between, saved('push'), ...twice, ...steps.slice(at)];
}

function drawBounds(roll: Dice, share: number): Bounds {
  if (!roll.chance(share)) return {};
  const now = (): boolean => roll.chance(0.4);
  return {
    limit: now() ? roll.int(1, 4) : undefined,
    maxRequests: now() ? roll.int(1, 20) : undefined,
    deadlineMs: now() ? roll.pick([0, 3000, 60_000, 600_000]) : undefined,
    parts: now() ? roll.some([0, 1, 2, 3, 4, 5, 6]) : undefined,
  };
}

/** The same steps, with what people ask of some commands. */
const withBounds = (roll: Dice, steps: readonly Step[]): readonly Step[] =>
  steps.map((step) => {
    if (step.kind === 'hosts')
      return {
        ...step,
        commands: step.commands.map((own) => own.map((each) => ({ ...each, ...drawBounds(roll, 0.05) }))),
      };
    return 'editsAtMs' in step ? { ...step, ...drawBounds(roll, 0.25) } : step;
  });

/**
 * Draws the whole story of a seed; `isWhole`: with losses of what stands on the disk, and with several machines in one of four, or as often as `machines` says. What is
 * rare comes at least as often as `odd` says.
 */
export function drawScenario(seed: number, isWhole = true, machines = 0.25, odd = 0): Scenario {
  const rollOf = (purpose: string): Dice => loaded(dice(seed, purpose), odd);
  const roll = rollOf('scenario');
  const timeoutMs = roll.pick([5_000, 30_000, 60_000]);
  const settleMs = roll.pick([2 * timeoutMs, 120_000]);
  const drawn = drawHabits(rollOf('habits'), settleMs);
  // Of what others made, nothing tells then that it is what a row says.
  const isAlone = areListsStrange(drawn);
  const others = roll.chance(0.35) && !isAlone;
  // Across processes only the wall clock tells how long ago something was. Where it jumps ahead, nothing may be pending: no program could know.
  const hosts = isWhole ? drawHosts(rollOf('hosts'), machines) : undefined;
  const jumps = roll.chance(0.15) && hosts === undefined;
  const ahead = jumps && roll.chance(0.5);
  const steps = Array.from({ length: roll.int(1, 7) }, () =>
    drawStep(roll, others, jumps ? (ahead ? 1 : -1) : 0),
  );
  // An answer comes in time, unless a fault keeps it.
  const habits = {
    ...drawn,
    leftOut: drawLeftOut(rollOf('left out')),
    names: drawNames(rollOf('names'), drawn),
    latencyMs: Math.min(drawn.latencyMs, Math.floor(timeoutMs / 3)),
  };
  const { counters } = habits;
  const priceType = rollOf('price type').pick(['current', 'delta'] as const);
  const counted = counters !== 'absent' && counters.lagMs < settleMs;
  // The first push is always there, so that something happens.
  const told = [drawCommand(roll, 'push', others), ...steps];
  const beside = hosts && onHosts(rollOf('beside'), hosts.skewsMs.length, others, told);
  const all = withEarlyEnd(rollOf('early'), beside ?? (isWhole ? withLosses(rollOf('losses'), told) : told));
  // Where the state is lost, most lists are late, so that only the counter tells what is there.
  const isLost = all.some(({ kind }) => kind === 'lose_state');
  const isCounted = counters !== 'absent' && counters.lagMs === 0;
  const late = isLost && isCounted ? { listLagMs: Math.floor(settleMs / 3) } : {};
  const mappings = drawMappings(rollOf('mappings'), priceType);
  return {
    habits: ahead ? { ...habits, listLagMs: 0, logLagMs: 0 } : { ...habits, ...late },
    jumpsAhead: ahead,
    leapMs: jumps ? (ahead ? 1 : -1) * rollOf('leap').pick([0, 60_000, 86_400_000]) : 0,
    mappings: rollOf('second table').chance(0.3) ? withGuests(mappings) : mappings,
    priceType,
    hosts,
    // A few kinds at a time meet each other more often than all of them do.
    faults: roll.chance(0.3) ? FAULTS : roll.shuffled(FAULTS).slice(0, roll.int(1, 4)),
    settleMs,
    timeoutMs,
    concurrency: roll.pick([1, 2, 8]),
    maxWaitMs: roll.pick([15 * MINUTE_MS, 2 * 86_400_000]),
    before: isAlone ? 0 : roll.pick([0, 0, 2, 5]),
    quota: roll.chance(0.15) ? roll.int(0, 6) : undefined,
    others,
    adopt: roll.chance(0.7),
    // Without a counter nothing shows a fantasy league: who lets it be sent again, lets it be made twice.
    onAmbiguous: counted && rollOf('on-ambiguous').chance(0.4) ? 'settle' : 'hold',
    steps: withSaved(rollOf('saved'), others, withBounds(rollOf('bounds'), withEdits(rollOf('edits'), all))),
  };
}
