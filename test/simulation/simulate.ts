import { InternalError, TeamsheetError, UnavailableError } from '../../src/model/error.ts';
import type { Random } from '../../src/model/ports.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import type { PushSummary, Store } from '../../src/model/state/store.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { push, type Approve, type PushResult } from '../../src/sync/push.ts';
import { resolve, type Assumption } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { retry } from '../../src/sync/retry.ts';
import type { PlannedPush, SyncPorts } from '../../src/sync/ports.ts';
import type { PlannedChange, PlanOptions } from '../../src/plan/saved/push-plan.ts';
import { openSavedPlan } from '../../src/plan/saved/read-saved-plan.ts';
import { savedPlanLines, savedRows } from '../../src/sync/plan/save-plan.ts';
import { pushSavedPlan } from '../../src/sync/push-saved-plan.ts';
import { Checker } from './checker.ts';
import { Desk } from './desk.ts';
import { dice, type Dice } from './dice.ts';
import { checkEnd, isDoubtful } from './end.ts';
import { moreTimesForNames } from './habits.ts';
import { History, Violation } from './history.ts';
import { Hosts } from './hosts.ts';
import { Life, type Ending, type Pause } from './life.ts';
import { BudgetData } from './memory-budget.ts';
import { MemoryStore, StoreData } from './memory-store.ts';
import { API_KEY, beginProcess, type PlantedBug, type Process, type Surroundings } from './process.ts';
import type { Kind } from './records.ts';
import { GUESTS_MAPPING } from './mappings.ts';
import { drawScenario, type Bounds, type CommandKind, type Scenario, type Step } from './scenario.ts';
import { SimulatedService } from './service.ts';
import { Stranger } from './stranger.ts';
import { CALM, Wire, type Sent } from './wire.ts';
import { World } from './world.ts';

/** One seed from its beginning to its end. */
export interface Outcome {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly history: History;
  /** Requests that were sent. */
  readonly requests: number;
}

export interface SimulateOptions {
  readonly bug?: PlantedBug;
  /** Another state than the one in memory. */
  readonly openStore?: (life: Life) => Promise<Store>;
  /** Whether anything below the folder of the state may vanish; by default where the state is in memory. */
  readonly losses?: boolean;
  /** How many of the seeds have several machines, as a share of all. */
  readonly machines?: number | undefined;
  /** How often at least what is rare comes. */
  readonly odd?: number | undefined;
}

/** Where the clock jumps ahead, nothing is applied later than this: no program could know how long ago it was sent. */
const LATEST_BEFORE_JUMP_MS = 1000;
/** Longer than any pause that a run should make once nothing is wrong. */
const PATIENT_MS = 40 * 86_400_000;
const DAY_MS = 86_400_000;

/** What one command is run with. */
interface CommandOptions extends Bounds {
  /** A plan is saved, or a push is that of the plan which was saved last. */
  readonly isSaved?: true | undefined;
  /** By default the first. */
  readonly host?: number;
  readonly ending?: Ending | undefined;
  readonly pause?: Pause | undefined;
  readonly thinkMs?: number;
  readonly maxWaitMs?: number;
  readonly adopt?: boolean;
  /** The operator's word on one write. */
  readonly word?: { readonly id: string; readonly assume: Assumption };
}

/** How a command ended; nothing when it was killed or stopped before it wrote. */
export interface Ended {
  readonly result?: PushResult | undefined;
  /** Writing requests of its plan. */
  readonly writes?: number;
  readonly stoppedBy?: TeamsheetError;
}

class Simulation {
  readonly scenario: Scenario;
  readonly world = new World();
  readonly history = new History(() => this.world.nowMs);
  readonly service: SimulatedService;
  readonly checker: Checker;
  readonly wire: Wire;
  readonly #hosts: Hosts | undefined;
  readonly #around: Surroundings;
  readonly #stranger: Stranger;
  readonly #leaps: Dice;
  #lives = 0;
  /** What the disk holds of the state, and a copy of it that was made before. */
  #disk = new StoreData();
  #copy: StoreData | undefined;
  /** The lines of the plan that was saved last. */
  #saved: readonly string[] | undefined;
  /** Nobody says any more that what the state does not know may be written again. */
  #isRestored = false;

  constructor(
    seed: number,
    { bug = {}, openStore, losses = openStore === undefined, machines, odd }: SimulateOptions,
  ) {
    const { world, history } = this;
    this.scenario = drawScenario(seed, losses, machines, odd);
    const { habits, settleMs, quota } = this.scenario;
    const hosts =
      this.scenario.hosts &&
      new Hosts({
        ...{ world, history, dice: dice(seed, 'database'), data: this.#disk },
        termMs: this.scenario.hosts.termMs,
      });
    this.#hosts = hosts;
    this.service = new SimulatedService(habits, dice(seed, 'service'), () => world.nowMs);
    this.checker = new Checker(
      ...([history, this.service.records, habits] as const),
      hosts && ((life) => hosts.holds(life)),
    );
    this.wire = new Wire({
      world,
      service: this.service,
      history,
      dice: dice(seed, 'wire'),
      latencyMs: habits.latencyMs,
      latestMs: this.scenario.jumpsAhead
        ? LATEST_BEFORE_JUMP_MS
        : settleMs - shownAfterMs(this.scenario) - 1000,
      onSend: (sent) => this.checker.sent(sent),
    });
    this.#leaps = dice(seed, 'leaps');
    this.#stranger = new Stranger(this.service, history, dice(seed, 'stranger'), this.scenario.priceType);
    const hasGuests = this.scenario.mappings.some(({ name }) => name === GUESTS_MAPPING);
    if (hasGuests) history.count('two tables of members');
    this.#around = {
      scenario: this.scenario,
      desk: new Desk(dice(seed, 'desk'), hasGuests ? dice(seed, 'guests') : undefined),
      wire: this.wire,
      history,
      checker: this.checker,
      random: countedRandom(dice(seed, 'jitter')),
      bug,
      hosts,
      budget: new BudgetData(),
      openStore: openStore ?? ((life) => Promise.resolve(new MemoryStore(this.#disk, life.clock))),
    };
    if (quota !== undefined)
      for (const kind of ['users', 'squads', 'mini_leagues'] satisfies Kind[])
        this.service.quota.set(kind, quota);
    for (let made = 0; made < this.scenario.before; made += 1) this.#stranger.createUser();
  }

  async run(): Promise<void> {
    for (const step of this.scenario.steps) await this.#step(step);
    this.wire.weather = CALM;
    this.service.quota.clear();
    this.service.enlargeDay();
    this.#hosts?.mend();
    this.#around.desk.correct();
    this.history.note('-- nothing goes wrong from now on');
    await this.world.pass(2 * this.scenario.settleMs + (this.scenario.hosts?.termMs ?? 0));
    // Each machine says of its own processes that they are gone.
    for (const host of this.scenario.hosts?.skewsMs.keys() ?? []) await this.command('plan', { host });
    await this.world.pass(this.scenario.settleMs);
    if (this.#isRestored) {
      // What stops here for want of memory goes on stopping until the operator decides.
      for (const kind of ['resume', 'push', 'push'] as const) {
        await this.command(kind, { maxWaitMs: PATIENT_MS });
        await this.world.pass(this.scenario.settleMs);
      }
      this.checker.checkNothingTwice();
      return;
    }
    await this.#expectFixpoint();
    await this.#settleByWord();
    this.checker.checkLastWords((name) => this.#resourceOf(name));
  }

  #resourceOf(mapping: string): Kind {
    const own = this.scenario.mappings.find(({ name }) => name === mapping);
    return own?.resource ?? 'users';
  }

  /** I5: three re-runs at most, and then there is nothing left to do. */
  async #expectFixpoint(): Promise<void> {
    const calm = { maxWaitMs: PATIENT_MS, adopt: true };
    // A list may come late, so the next run sees what the last one did only after a while.
    const rest = (): Promise<void> => this.world.pass(this.scenario.settleMs);
    // The first run is no re-run.
    if (this.wire.sent.every(({ method }) => method === 'GET')) {
      await this.command('push', calm);
      await rest();
    }
    await this.command('resume', calm);
    await rest();
    await this.command('push', calm);
    await rest();
    for (let times = moreTimesForNames(this.scenario.habits); times > 0; times -= 1)
      await this.#pushTold(calm);
    const last = await this.#pushTold(calm);
    const planned = await this.command('plan', calm);
    const before = this.wire.sent.length;
    const again = await this.command('push', calm);
    const writes = this.wire.sent.slice(before).filter(({ method }) => method !== 'GET').length;
    // What the service goes on refusing is planned and sent again each time, and nothing comes of it.
    const refused = rejectedRows(last) > 0 && sameOutcomes(last, again);
    if (planned.writes !== 0 && !refused)
      this.checker.fail('I5', `the plan after three re-runs has ${planned.writes ?? 'no'} writes`);
    if (writes > 0 && !refused) this.checker.fail('I5', `the push after three re-runs made ${writes} writes`);
    for (const each of [last, again]) {
      if (each.stoppedBy !== undefined)
        this.checker.fail('I5', `a push stops though nothing is wrong: ${each.stoppedBy.message}`);
    }
    const run = again.result?.report.run ?? '';
    const { scenario, checker, service, history } = this;
    const count = (what: string): void => history.count(what);
    checkEnd({ scenario, checker, records: service.records, count }, (mapping) =>
      checker.rowsOf(run, mapping),
    );
  }

  /** Pushes, and again as long as an answer leaves out the record that a repeat was taken for. */
  async #pushTold(options: CommandOptions): Promise<Ended> {
    for (;;) {
      const before = this.service.silentMerges;
      const ended = await this.command('push', options);
      await this.world.pass(this.scenario.settleMs);
      if (this.service.silentMerges === before) return ended;
    }
  }

  /** What no reading can tell, the operator tells truly; then there is nothing left to wait for. */
  async #settleByWord(): Promise<void> {
    const told = this.checker.openWrites().filter(({ done }) => done !== 'part');
    if (told.length === 0) return;
    const calm = { maxWaitMs: PATIENT_MS, adopt: true };
    for (const { id, done } of told)
      await this.command('resolve', {
        ...calm,
        word: { id, assume: done === 'all' ? 'applied' : 'not-applied' },
      });
    const open = new Set(this.checker.openWrites().map(({ id }) => id));
    const left = told.filter(({ id }) => open.has(id));
    if (left.length > 0)
      this.checker.fail('I5', `${left.length} writes stay open against the operator's word`);
    await this.command('resume', calm);
    await this.command('push', calm);
  }

  async #step(step: Step): Promise<void> {
    const { scenario, history, world } = this;
    switch (step.kind) {
      case 'edit':
        for (let times = 0; times < step.times; times += 1) this.#edit();
        return;
      case 'other':
        this.#stranger.act();
        return;
      case 'wait':
        history.note('-- time passes', step.ms);
        return world.pass(step.ms);
      case 'jump':
        // Where it jumps ahead nothing may be pending.
        if (step.ms > 0) await world.pass(LATEST_BEFORE_JUMP_MS);
        history.note('-- the clock jumps', step.ms);
        history.count('clock jumps');
        world.jumpedMs += step.ms;
        return;
      case 'hosts':
        return this.#beside(step);
      case 'two_pushes':
        this.wire.weather = { rate: step.rate, faults: scenario.faults };
        history.count('two at once');
        await this.#untilEnd(Promise.all([this.#live('push', {}), this.#live('push', {})]));
        return;
      case 'lose':
        history.note('-- lost:', step.what);
        history.count(`lost ${step.what}`);
        this.#disk.lose(step.what);
        return;
      case 'copy':
        history.note('-- a copy of the state is made');
        this.#copy = this.#disk.copy();
        return;
      case 'restore':
        return this.#restore();
      case 'lose_state':
        return this.#loseState();
      case 'early':
        return this.#endEarly();
      case 'push':
      case 'resume':
      case 'retry':
      case 'resolve':
      case 'plan': {
        this.wire.weather = { rate: step.rate, faults: scenario.faults };
        for (let other = 0; other < step.others; other += 1)
          world.at(world.nowMs + 500 * (other + 1) ** 3, () => this.#stranger.act());
        const { maxWaitMs } = scenario;
        const adopt = scenario.adopt && !this.#isRestored;
        const noEdits = this.#atTimes(step.editsAtMs, () => this.#edit());
        const isDone = await this.#leap();
        await this.command(step.kind, { ...step, adopt, maxWaitMs });
        isDone();
        noEdits();
      }
    }
  }

  #edit(): void {
    this.history.note('-- the operator', this.#around.desk.edit());
  }

  /** Does something after each of these times; what has not happened by then is called off by the answer. */
  #atTimes(times: readonly number[], act: () => void): () => void {
    const due = times.map((ms) => this.world.at(this.world.nowMs + ms, act));
    return () => {
      for (const cancel of due) cancel();
    };
  }

  /** Several machines at once. */
  async #beside({
    rate,
    outages,
    othersAtMs,
    editsAtMs,
    commands,
  }: Extract<Step, { kind: 'hosts' }>): Promise<void> {
    const { wire, scenario, world, history } = this;
    wire.weather = { rate, faults: scenario.faults };
    if (this.#hosts !== undefined) this.#hosts.outageRate = outages;
    history.count('hosts at once');
    const noOthers = this.#atTimes(othersAtMs, () => this.#stranger.act());
    const noEdits = this.#atTimes(editsAtMs, () => this.#edit());
    const { adopt, maxWaitMs } = scenario;
    const all = commands.map(async (own, host) => {
      for (const { afterMs, kind, ...options } of own) {
        await new Promise<void>((resolve) => world.at(world.nowMs + afterMs, resolve));
        await this.#live(kind, { ...options, host, adopt, maxWaitMs });
      }
    });
    await this.#untilEnd(Promise.all(all));
    noOthers();
    noEdits();
    this.#hosts?.mend();
  }

  /** Has somebody set the wall clock while the next command runs, now and then. Answers how to say that it is done. */
  async #leap(): Promise<() => void> {
    const { scenario, world, history } = this;
    if (scenario.leapMs === 0 || !this.#leaps.chance(0.5)) return () => undefined;
    // As between commands.
    if (scenario.leapMs > 0) await world.pass(LATEST_BEFORE_JUMP_MS);
    return world.at(world.nowMs + this.#leaps.int(1, 20_000), () => {
      history.note('-- the clock leaps', scenario.leapMs);
      history.count('clock leaps');
      world.jumpedMs += scenario.leapMs;
    });
  }

  /** An older copy comes in the place of the state, when all that was done since is shown. */
  async #restore(): Promise<void> {
    if (this.#copy === undefined) return;
    await this.world.pass(2 * this.scenario.settleMs);
    this.history.note('-- the older copy of the state is put in its place');
    this.history.count('restored');
    this.#replaceState(this.#copy.copy(), shownKinds(this.scenario));
  }

  /** The whole state is lost, when all that was sent has reached the service; its lists may show it later. */
  async #loseState(): Promise<void> {
    await this.world.pass(Math.max(0, this.wire.reachedMs - this.world.nowMs));
    this.history.note('-- the whole state is lost');
    this.history.count('lost state');
    this.#copy = undefined;
    this.#replaceState(new StoreData(), countedKinds(this.scenario));
  }

  /** Lists end early while nothing else goes wrong: what becomes of a write without an answer, such a list cannot tell. */
  async #endEarly(): Promise<void> {
    const { badRow, missingRecord, counters } = this.scenario.habits;
    await this.world.pass(2 * this.scenario.settleMs);
    // A counter that comes late may agree with such a list by chance, and so may one that never moves and was not 0 at first.
    const countsNone = this.service.records.effects.every(({ atMs }) => atMs > 0);
    const isLate = counters !== 'absent' && counters.lagMs > 0 && (counters.lagMs < Infinity || !countsNone);
    const isTold = badRow === 'refuse_all' && missingRecord === 0 && !isLate;
    if (!isTold || this.checker.openWrites().length > 0) return;
    this.history.note('-- lists end early');
    this.history.count('lists end early');
    this.wire.weather = CALM;
    this.service.endsEarly = true;
    for (const waitMs of [this.scenario.settleMs, DAY_MS, 0]) {
      await this.command('push', { maxWaitMs: PATIENT_MS });
      await this.world.pass(waitMs);
    }
    this.service.endsEarly = false;
    this.history.note('-- lists are whole again');
  }

  #replaceState(state: StoreData, shown: ReadonlySet<Kind>): void {
    this.#disk = state;
    this.#isRestored = true;
    const known = state.intents.map(({ stored }) => stored);
    this.checker.restored(known, this.wire.sent.at(-1)?.number ?? 0, shown);
  }

  /** One command in a process of its own, until it ends. */
  command(kind: CommandKind, options: CommandOptions): Promise<Ended> {
    return this.#untilEnd(this.#live(kind, options));
  }

  /** Lets time pass until processes have ended, which spend one budget. */
  async #untilEnd<T>(ended: Promise<T>): Promise<T> {
    const refusedBefore = this.service.refusedByLimiter.length;
    const sentBefore = this.wire.sent.length;
    const result = await this.world.drive(ended);
    this.#checkLimits(this.wire.sent.slice(sentBefore), this.service.refusedByLimiter.slice(refusedBefore));
    return result;
  }

  /** The same, while somebody else lets time pass. */
  async #live(kind: CommandKind, options: CommandOptions): Promise<Ended> {
    const { world, history, checker, scenario } = this;
    this.#lives += 1;
    const { host = 0, ending, pause } = options;
    const at = scenario.hosts === undefined ? '' : `@${host}`;
    const skewMs = scenario.hosts?.skewsMs[host];
    const reach = this.#hosts?.reach;
    const life = new Life(`${kind}${this.#lives}${at}`, world, history, { ending, pause, skewMs, reach });
    history.note('--', life.name, 'begins');
    history.count(`command ${kind}`);
    for (const name of ['limit', 'maxRequests', 'deadlineMs', 'parts'] as const)
      if (options[name] !== undefined) history.count(`asked for ${name}`);
    checker.begin(life.name, kind === 'plan' || kind === 'resolve');
    const process = await beginProcess(life, this.#around, {
      host,
      maxWaitMs: options.maxWaitMs ?? scenario.maxWaitMs,
      maxRequests: options.maxRequests,
    });
    const work = this.#carryOut(kind, life, process.ports, options).finally(() => this.#end(process));
    const ended = await Promise.race([work, life.death]).finally(process.close);
    if (ended !== 'killed' && ended.result !== undefined) checker.reported(life.name, ended.result.report);
    if (checker.violation !== undefined) throw checker.violation;
    return ended === 'killed' ? {} : ended;
  }

  /** I6: those who share a budget never go beyond the windows, once one of them knows these. */
  #checkLimits(own: readonly Sent[], refused: SimulatedService['refusedByLimiter']): void {
    this.history.count('refused by the limiter', refused.length);
    // The first calls cannot know what was spent before.
    const knewAfter = this.#firstReading(own);
    const bad = refused.filter(
      ({ number, windowMs }) => number > knewAfter && !this.#couldNotKnow(number, windowMs),
    );
    // A request that was lost, or answered by something in front of the service, may count or not, also of a process that ended before; a sleeper sends when nobody counts on it any more.
    const { limits } = this.scenario.habits;
    const sinceMs = (own[0]?.atMs ?? 0) - limits.minuteMs - this.scenario.settleMs;
    // A key that nobody has seen belongs to no budget: whoever is killed while it reads its account for the first time enters that nowhere.
    const namedMs = this.wire.answered.get(this.#firstReading(this.wire.sent)) ?? Infinity;
    const doubtful = this.wire.sent.filter(
      ({ atMs, fault, woken }) => atMs >= sinceMs && (fault !== undefined || woken || atMs <= namedMs),
    ).length;
    if (bad.length <= doubtful) return;
    const numbers = bad.map(({ number }) => `#${number}`);
    this.checker.fail('I6', `${numbers.join(', ')} went beyond a ${limits.kind} window`);
  }

  /** The number of the first reading of the account that was answered. */
  #firstReading(own: readonly Sent[]): number {
    const isReading = ({ number, path }: Sent): boolean =>
      path === '/auth/account' && this.wire.answered.has(number);
    return own.find(isReading)?.number ?? Infinity;
  }

  /** Of what a day has left, and of what clients took that are none of ours, only the account tells: whoever reads it may come too late. */
  #couldNotKnow(number: number, windowMs: number): boolean {
    const { wire, scenario } = this;
    const sent = wire.sent[number - 1];
    if (sent?.path !== '/auth/account') return false;
    const { spentBefore, minuteMs } = scenario.habits.limits;
    return windowMs > minuteMs || (spentBefore > 0 && sent.atMs <= 2 * minuteMs);
  }

  async #carryOut(
    kind: CommandKind,
    life: Life,
    ports: SyncPorts,
    { thinkMs = 0, adopt = false, word, limit, deadlineMs, parts, isSaved }: CommandOptions,
  ): Promise<Ended> {
    const { mappings: all } = this.scenario;
    const mappings = parts === undefined ? all : all.filter((_, at) => parts.includes(at));
    const endMs = deadlineMs === undefined ? undefined : life.clock.now() + deadlineMs;
    const options: PlanOptions = {
      limit,
      ...(endMs !== undefined && {
        deadlines: Object.fromEntries(mappings.map(({ name }) => [name, endMs])),
      }),
      allowEmpty: true,
      allowKeyShape: false,
      encoding: undefined,
      compare: undefined,
      // Its game weeks stand in no fixtures.
      allowGuards: ['open_week'],
      adopt,
      onAmbiguous: this.scenario.onAmbiguous,
    };
    const approve: Approve = async (planned) => {
      this.checker.shown(life.name, planned, await Array.fromAsync(planned.changes()));
      if (thinkMs > 0) await life.clock.sleep(thinkMs, life.signal);
    };
    try {
      switch (kind) {
        case 'plan': {
          const planned = await planPush(ports, mappings, options);
          if (isSaved === true) await this.#save(planned, life, options);
          await planned.rows.remove();
          return { writes: planned.mappings.reduce((sum, plan) => sum + plan.writes, 0) };
        }
        case 'push':
          if (isSaved === true && this.#saved !== undefined)
            return await this.#pushSaved(this.#saved, life, ports, approve);
          return this.#ended(life, await push(ports, 'push', mappings, options, approve));
        case 'resolve': {
          const { exitCode } = await resolve(ports, word?.id, word?.assume, () => Promise.resolve());
          this.history.count(`resolve exit ${exitCode}`);
          return {};
        }
        case 'resume':
          return this.#ended(life, await resume(ports, undefined, approve, { adopt, limit }));
        case 'retry':
          return this.#ended(life, await retry(ports, undefined, options, (mapping) => mapping, approve));
      }
    } catch (error) {
      return this.#stopped(life, error);
    }
  }

  async #save(planned: PlannedPush, life: Life, options: PlanOptions): Promise<void> {
    const maker = {
      id: `plan-${this.#lives}`,
      version: '1.0.0',
      madeAtMs: life.clock.now(),
      typed: ['plan'],
      options,
    };
    this.#saved = await Array.fromAsync(savedPlanLines(planned, maker));
    this.history.count('plans saved');
  }

  /** Pushes a saved plan: what is approved is what it says. */
  async #pushSaved(lines: readonly string[], life: Life, ports: SyncPorts, approve: Approve): Promise<Ended> {
    const saved = await openSavedPlan('saved.plan', async function* () {
      await Promise.resolve();
      yield* lines;
    });
    const names = new Set(saved.header.mappings.map(({ name }) => name));
    const mappings = this.scenario.mappings.filter(({ name }) => names.has(name));
    const promised = written(await Array.fromAsync(saved.rows()));
    const begin: Approve = async (planned, runId) => {
      const changes = written(await Array.fromAsync(savedRows(planned)));
      if (changes !== promised)
        this.checker.fail('I7', `a saved plan says ${promised}, and its push ${changes}`);
      await approve(planned, runId);
      this.history.count('saved plans approved');
    };
    return this.#ended(life, await pushSavedPlan(ports, saved, mappings, 'plan', begin));
  }

  /** What a database that is away is not told, it takes for over in time. */
  async #end({ end }: Process): Promise<void> {
    try {
      await end();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }

  #ended(life: Life, result: PushResult | undefined): Ended {
    this.history.note(life.name, 'ends with', result?.report.exit_code ?? 'nothing to do');
    for (const summary of result?.report.mappings ?? []) this.history.note('  ', JSON.stringify(summary));
    this.history.count(`exit ${result?.report.exit_code ?? 'nothing'}`);
    return { result };
  }

  /** A stop is an answer of the program; anything else is a mistake of it. */
  #stopped(life: Life, error: unknown): Ended {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.history.note(life.name, 'stops:', text);
    if (text.includes(API_KEY)) this.checker.fail('I10', 'the key stands in an error');
    if (!(error instanceof TeamsheetError) || error instanceof InternalError) {
      this.checker.fail('no crash', error instanceof Error ? (error.stack ?? text) : text);
      return {};
    }
    this.history.count(`stop ${error.code}`);
    return { stoppedBy: error };
  }
}

const pushed = ({ result }: Ended): readonly PushSummary[] =>
  (result?.report.mappings ?? []).filter((summary) => summary.direction === 'push');

/** What a plan writes, in whatever order; what was there before, one plan may know and the other not. */
const written = (changes: readonly Pick<PlannedChange, 'mapping' | 'key' | 'kind' | 'fields'>[]): string =>
  changes
    .filter(({ kind }) => kind === 'create' || kind === 'update')
    .map(({ mapping, key, kind, fields }) =>
      JSON.stringify([mapping, key, kind, Object.entries(fields).map(([name, { after }]) => [name, after])]),
    )
    .toSorted()
    .join('\n');

const rejectedRows = (ended: Ended): number => pushed(ended).reduce((sum, { rejected }) => sum + rejected, 0);

const sameOutcomes = (a: Ended, b: Ended): boolean =>
  pushed(a).every((summary, index) =>
    OUTCOMES.every((outcome) => {
      const again = pushed(b)[index]?.[outcome];
      if (outcome === 'created' || outcome === 'updated') return again === 0;
      return outcome === 'unchanged' || again === summary[outcome];
    }),
  );

function countedRandom(jitter: { next(): number }): Random {
  let ulids = 0;
  return {
    next: () => jitter.next(),
    ulid: () => {
      ulids += 1;
      return `01J${String(ulids).padStart(23, '0')}`;
    },
  };
}

/** The resources that the service shows so that an older state is noticed, or its rows found. */
function shownKinds(scenario: Scenario): ReadonlySet<Kind> {
  const { habits, mappings } = scenario;
  const isShown = (kind: Kind): boolean => {
    // The log names the players of steps, which is enough; the upload of a price tells by its players together.
    const isTold = scenario.priceType === 'delta' || habits.priceLog === 'by_reference';
    if (kind === 'prices') return habits.paging === 'right' && isTold;
    // An older state may not know how the lists spell keys, and then cannot know its records in them.
    const isSpelled = Object.values(habits.spelling).some((where) => where !== 'answers');
    // Without a list the counter alone tells of records that an older state does not know.
    const isCounted = habits.counters !== 'absent' && habits.counters.lagMs < scenario.settleMs;
    const isRemembered = !isCounted && mappings.some(({ compare }) => compare === 'snapshot');
    if (kind === 'users' || kind === 'squads' || kind === 'mini_leagues')
      return !isSpelled && !isDoubtful(scenario) && !isRemembered;
    return false;
  };
  return new Set(mappings.map(({ resource }) => resource).filter(isShown));
}

/** The resources of which a state without memory can tell that they are there, although their list comes late: the account counts them at once. */
function countedKinds(scenario: Scenario): ReadonlySet<Kind> {
  const { counters, listLagMs } = scenario.habits;
  const isTold = listLagMs === 0 || (counters !== 'absent' && counters.lagMs === 0);
  return new Set([...shownKinds(scenario)].filter((kind) => kind !== 'prices' && isTold));
}

/** Until a service shows what it did, where it is judged by that: the counter alone decides where leagues may be sent again. */
function shownAfterMs({ habits: { listLagMs, counters }, onAmbiguous }: Scenario): number {
  const isCounted = onAmbiguous === 'settle' && counters !== 'absent';
  return isCounted ? Math.max(listLagMs, counters.lagMs) : listLagMs;
}

/** Lives one seed through. The same seed has the same history, down to the last request. */
export async function simulate(seed: number, options: SimulateOptions = {}): Promise<Outcome> {
  const simulation = new Simulation(seed, options);
  const { history, wire } = simulation;
  const outcome = (violation: Violation | undefined): Outcome => ({
    seed,
    violation,
    history,
    requests: wire.sent.length,
  });
  try {
    await simulation.run();
    return outcome(simulation.checker.violation);
  } catch (error) {
    if (error instanceof Violation) return outcome(error);
    throw error;
  }
}
