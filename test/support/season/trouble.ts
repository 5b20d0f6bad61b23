import { expect } from 'vitest';
import { EXIT, TeamsheetError } from '../../../src/model/error.ts';
import type { ExitCode } from '../../../src/model/error.ts';
import type { PushSummary } from '../../../src/model/state/store.ts';
import type { FaultInput } from '../../../src/sandbox/index.ts';
import type { PushResult } from '../../../src/sync/push.ts';
import { control } from '../control.ts';
import { expectIntents, expectNothingTwice, expectTruth, expectWholeCounts } from './checks.ts';
import { readEffects, readFacts } from './facts.ts';
import type { Facts } from './facts.ts';
import { SETTLE_MS } from './season.ts';
import type { Disturb, Process, Season } from './season.ts';
import { MAPPING_NAMES } from './tables.ts';
import type { MappingName } from './tables.ts';

/** Runs after which nothing is left to do once nothing goes wrong any more (I5). */
const MOST_ROUNDS = 3;

/** What a command came to: its report, or what stopped it before it wrote. */
export type Told = PushResult | TeamsheetError | undefined;

/** A season in which requests meet faults, and every command of which is checked. */
export class Trouble {
  readonly season: Season;
  /** Answers of 429 that the service gave. */
  throttled = 0;
  /** Requests that were sent, by method and path. */
  readonly sent: string[] = [];
  /** What the service held before each run began. */
  readonly #before = new Map<string, Facts>();
  readonly #first: Facts;

  constructor(season: Season) {
    this.season = season;
    this.#first = readFacts(season.database);
  }

  async set(faults: readonly FaultInput[]): Promise<void> {
    const { status, message } = await control(this.season.sandbox, 'POST', '/faults', { faults });
    expect([status, message]).toEqual([200, expect.any(String)]);
  }

  /** How many requests met a fault so far, and how many of them one of this kind. */
  async met(kind?: string): Promise<number> {
    const { list } = await control(this.season.sandbox, 'GET', '/faults');
    return list
      .filter((fault) => kind === undefined || fault['kind'] === kind)
      .reduce((sum, fault) => sum + Number(fault['met']), 0);
  }

  async clear(): Promise<void> {
    const { app, controlKey } = this.season.sandbox;
    const headers = { 'x-control-key': controlKey };
    await app.inject({ method: 'DELETE', url: '/control/faults', headers });
  }

  /**
   * A command of a process of its own. What it tells is checked against what it did. A process whose state or files fail may also end without a report,
   * after it wrote: then with exit code 8.
   */
  async command(name: 'push' | 'resume', disturb?: Disturb): Promise<Told> {
    const { season } = this;
    const process = await season.start(disturb);
    season.wire = (next) => async (request) => {
      this.sent.push(`${request.method} ${new URL(request.url).pathname}`);
      const answer = await expectIntents(season, () => process)(next)(request);
      if (answer.status === 429) this.throttled += 1;
      return answer;
    };
    const then = readFacts(season.database);
    const effects = readEffects(season.database).length;
    const told = await attempt(process, name);
    if (told instanceof TeamsheetError && disturb !== undefined) {
      expect([told.exitCode, told.message]).toEqual([EXIT.unavailable, told.message]);
    } else if (told instanceof TeamsheetError) {
      expect(readEffects(season.database)).toHaveLength(effects);
    } else if (told !== undefined) {
      expectWholeCounts(process, told);
      const run = told.report.run ?? '';
      const before = this.#before.get(run) ?? (name === 'push' ? then : this.#first);
      this.#before.set(run, before);
      expectTruth(season, process, before);
      expect(told.report.exit_code).toBe(exitOf(told));
      // What this run did is no work of the others, which may be resumed yet.
      const now = readFacts(season.database);
      for (const [other, facts] of this.#before)
        if (other !== run) this.#before.set(other, withChanges(facts, then, now));
    }
    expectNothingTwice(season);
    expect(season.failures).toEqual([]);
    return told;
  }

  /** Resumes and pushes until nothing is left to do. Answers the mappings some of whose writes are held for good. */
  async recover(): Promise<readonly MappingName[]> {
    const { season } = this;
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      season.clock.pass(SETTLE_MS + 60_000);
      for (let more = true; more;) {
        const told = await this.command('resume');
        expect(told).not.toBeInstanceOf(TeamsheetError);
        more = told !== undefined && !(told instanceof TeamsheetError) && mayGoOn(told);
      }
      const effects = readEffects(season.database).length;
      expect(await this.command('push')).not.toBeInstanceOf(TeamsheetError);
      if (readEffects(season.database).length === effects && round > 1) break;
      expect(round).toBeLessThan(MOST_ROUNDS);
    }
    await this.#expectNothingLeft();
    return this.#held();
  }

  /** I5: the next plan has nothing to write. */
  async #expectNothingLeft(): Promise<void> {
    const process = await this.season.start();
    const left = Object.entries(await process.plan()).filter(([, writes]) => writes > 0);
    expect(left).toEqual([]);
  }

  async #held(): Promise<readonly MappingName[]> {
    const { engine } = await this.season.start();
    const open = await engine.store.openIntents(this.season.account);
    return MAPPING_NAMES.filter((name) => open.some(({ mapping }) => mapping === name));
  }
}

/** The facts with what came and went between two times. */
function withChanges(facts: Facts, then: Facts, now: Facts): Facts {
  const changed = (name: MappingName): readonly string[] => {
    const [gone, come] = [new Set(then[name]), new Set(now[name])];
    for (const line of now[name]) gone.delete(line);
    for (const line of then[name]) come.delete(line);
    return [...new Set([...facts[name].filter((line) => !gone.has(line)), ...come])];
  };
  return Object.fromEntries(MAPPING_NAMES.map((name) => [name, changed(name)])) as Facts;
}

/** Whether another `resume` may find more to do: deferred rows that wait for nothing that is held. */
const mayGoOn = ({ stoppedBy }: PushResult): boolean => stoppedBy !== undefined;

async function attempt(process: Process, name: 'push' | 'resume'): Promise<Told> {
  try {
    return await process[name]();
  } catch (error) {
    if (error instanceof TeamsheetError && error.exitCode !== EXIT.internal) return error;
    throw error;
  }
}

/** The exit code that a report's own counts ask for (interfaces.md, section 5). */
function exitOf({ report, stoppedBy }: PushResult): ExitCode {
  const lacksResults = report.mappings.some((each) => each.direction === 'push' && each.results === null);
  const sum = (pick: (each: PushSummary) => number): number =>
    report.mappings.reduce((all, each) => all + pick(each as PushSummary), 0);
  if (stoppedBy?.exitCode === EXIT.unavailable || lacksResults) return EXIT.unavailable;
  if (stoppedBy?.exitCode === EXIT.access) return EXIT.access;
  if (stoppedBy?.exitCode === EXIT.incomplete) return EXIT.incomplete;
  if (sum(({ deferred, unknown, conflict }) => deferred + unknown + conflict) > 0) return EXIT.incomplete;
  return sum(({ invalid, rejected }) => invalid + rejected) > 0 ? EXIT.rows : EXIT.done;
}
