import { TransportError } from '../../src/client/transport-error.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/model/ports.ts';
import { digestOf } from '../../src/plan/digest.ts';
import type { Dice } from './dice.ts';
import { faultEffect, type Fault } from './faults.ts';
import type { History } from './history.ts';
import type { Life } from './life.ts';
import { askedOf, type Answered, type Asked, type SimulatedService } from './service.ts';
import type { World } from './world.ts';

/** A request of ours as it left a process. */
export interface Sent {
  readonly number: number;
  readonly life: string;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  /** Digest of the body of a write. */
  readonly digest: string | undefined;
  readonly fault: Fault | undefined;
  /** The process was stopped for a while when it was about to send. */
  readonly woken: boolean;
}

/** How much goes wrong on the wire at the moment. */
export interface Weather {
  /** How likely a request meets a fault. */
  readonly rate: number;
  readonly faults: readonly Fault[];
}

export const CALM: Weather = { rate: 0, faults: [] };

interface WireOptions {
  readonly world: World;
  readonly service: SimulatedService;
  readonly history: History;
  readonly dice: Dice;
  readonly latencyMs: number;
  /** Nothing is done later than this after it was sent. */
  readonly latestMs: number;
  /** Called with a request when it leaves. */
  readonly onSend: (sent: Sent) => void;
}

/** The network between the processes and the service. */
export class Wire {
  weather: Weather = CALM;
  readonly sent: Sent[] = [];
  /** When the answers came of the requests that the service answered as it should, by their numbers. */
  readonly answered = new Map<number, number>();
  /** When the last request that left will have reached the service. */
  reachedMs = 0;
  readonly #options: WireOptions;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** The transport of one process. */
  transportOf(life: Life): Transport {
    return (request) =>
      life.step(`wire ${request.method}`, () => {
        request.signal?.throwIfAborted();
        return this.#carry(request, life);
      });
  }

  #carry(request: HttpRequest, life: Life): Promise<HttpResponse> {
    const { world, service, history, dice, latencyMs, latestMs } = this.#options;
    // Writes are few among the reads, and it is they that can be doubled or lost.
    const rate = this.weather.rate * (request.method === 'GET' ? 0.5 : 2);
    const fault = dice.chance(rate) ? dice.pick(this.weather.faults) : undefined;
    const asked = this.#note(request, life, fault);
    const effect = fault === undefined ? undefined : faultEffect(fault, dice);
    if (fault !== undefined) history.count(`${request.method === 'GET' ? 'read' : 'write'} ${fault}`);
    history.note(
      life.name,
      `-> #${asked.request ?? ''}`,
      request.method,
      asked.path + (asked.query.size > 0 ? `?${asked.query.toString()}` : ''),
      request.body ?? '',
      fault === undefined ? '' : `[${fault}]`,
    );
    const thereMs = dice.int(1, latencyMs);
    const backMs = dice.int(1, latencyMs);
    const arriveMs = world.nowMs + thereMs;
    const lateMs = dice.int(thereMs, latestMs);
    const { signal } = request;
    let forget = (): void => undefined;
    const carried = new Promise<HttpResponse>((resolve, reject) => {
      forget = life.listen(signal, () => reject(signal?.reason as Error));
      const answer = (answered: Answered): void => {
        if (effect === undefined && answered.isRefused !== true)
          this.answered.set(asked.request ?? 0, world.nowMs);
        history.note(life.name, `<- #${asked.request ?? ''}`, answered.status, answered.body.slice(0, 300));
        resolve(answered);
      };
      const comeBack = (answered: Answered): void => {
        const back = effect?.back ?? { kind: 'answer' };
        const deliver = (act: () => void): unknown => world.at(world.nowMs + backMs, act, life);
        switch (back.kind) {
          case 'never':
            return;
          case 'error':
            deliver(() => {
              history.note(life.name, `<- #${asked.request ?? ''}`, back.fault);
              reject(new TransportError(back.fault, back.fault));
            });
            return;
          case 'cut':
            deliver(() => answer({ ...answered, body: answered.body.slice(0, answered.body.length / 2) }));
            return;
          case 'says':
            deliver(() => answer({ ...back, headers: { ...service.headers(), ...back.headers } }));
            return;
          case 'answer':
            deliver(() => answer(answered));
        }
      };
      const nothing = { status: 0, body: '', headers: {} };
      const handle = (): Answered => {
        const before = service.records.effects.length;
        const answered = service.answer(asked, effect?.done === 'late');
        for (const each of service.records.effects.slice(before))
          history.note('   service', each.kind, each.resource, each.key, each.id);
        return answered;
      };
      const isLate = effect?.done === 'late';
      const doneMs = isLate ? arriveMs - thereMs + lateMs : arriveMs;
      world.at(arriveMs, () =>
        comeBack(effect === undefined || effect.done === 'at_once' ? handle() : nothing),
      );
      if (isLate) world.at(doneMs, () => void handle());
      this.reachedMs = Math.max(this.reachedMs, doneMs);
    });
    return carried.finally(forget);
  }

  #note(request: HttpRequest, life: Life, fault: Fault | undefined): Asked {
    const asked = askedOf(request, this.sent.length + 1);
    const { method, path, body } = asked;
    const sent: Sent = {
      number: this.sent.length + 1,
      life: life.name,
      atMs: this.#options.world.nowMs,
      method,
      path,
      digest: method === 'GET' ? undefined : digestOf(body),
      fault,
      woken: life.wokenAtMs === this.#options.world.nowMs,
    };
    if (sent.woken && method !== 'GET') this.#options.history.count('sent by a sleeper');
    this.sent.push(sent);
    this.#options.onSend(sent);
    return asked;
  }
}
