import { ConfigError, InterruptedError } from '../model/error.ts';
import type { Alert, Letter, SendResult } from '../model/state/alerts.ts';
import type { Clock } from '../model/ports.ts';
import type { Store } from '../model/state/store.ts';
import { alertBody, recapBody, type RecapWords } from '../schedule/alert-body.ts';
import { resultText, testAlert } from '../schedule/alert-texts.ts';
import { newsOf, type Tidings } from '../schedule/alerts.ts';
import { afterTry, lettersFor, REMEMBERED_MS, taken } from '../schedule/outbox.ts';
import {
  addressesOf,
  addressOf,
  recapAddresses,
  type RecapAddress,
  type AlertAddress,
  type AlertConfig,
  type Webhook,
} from './config/alert-addresses.ts';
import { readOptionalText } from './config/env-file.ts';
import { sendGuarded, type GuardedRequest, type Resolve } from './guarded-request.ts';

/** What alerts are told with. */
export interface AlertDesk {
  readonly config: AlertConfig;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** `isLasting`: it stays so until somebody corrects it. */
  readonly warn: (message: string, isLasting?: boolean) => void;
  /** In place of the system's names. */
  readonly resolve?: Resolve | undefined;
}

/** The same beside an open state. */
export interface AlertOffice extends AlertDesk {
  readonly store: Pick<Store, 'alerts'>;
}

/** No try begins later than this after the first; what is left goes out with the next command that sends. */
const SENDING_MS = 15_000;

/**
 * Keeps what a moment changed of the states of mappings, puts its alerts into the outbox, both at once, and sends what waits there. It takes at most about 25 s,
 * and what cannot be sent is a warning; a signal ends it early. Errors: those of the store.
 */
export async function tellAlerts(office: AlertOffice, tidings: Tidings): Promise<void> {
  const { store, config, clock } = office;
  const nowMs = clock.now();
  const { webhooks } = addressesOf(config);
  await store.alerts.change((states) => {
    const news = newsOf(states, tidings, nowMs);
    const letters = lettersFor(news.alerts, webhooks, nowMs);
    return { states: news.states, letters, forgetBeforeMs: nowMs - REMEMBERED_MS };
  });
  await sendWaiting(office, SENDING_MS);
}

/** What is posted of a week: its files without their endings, and what the letter is known by. */
export interface Recap extends Pick<Alert, 'environment' | 'league'> {
  readonly address: RecapAddress;
  readonly week: number;
  readonly gameWeekId: string;
  readonly path: string;
}

/** Posts the recap of a week, once for each address: it goes through the outbox as alerts do. Answers whether it was sent now or before. Errors: those of the store. */
export async function postRecap(office: AlertOffice, recap: Recap): Promise<boolean> {
  const { store, clock } = office;
  const { environment, league, week, gameWeekId, path } = recap;
  const nowMs = clock.now();
  const { to } = recap.address;
  const alert: Alert = {
    about: JSON.stringify(['recap', environment, league, gameWeekId]),
    ...{ event: 'recap', environment, league, mapping: null, sinceMs: nowMs, run: null, exitCode: null },
    ...{ counts: { week }, message: path, next: null },
  };
  const [letter] = lettersFor([alert], [{ to, on: new Set(['recap']) }], nowMs);
  if (letter === undefined) return false;
  const letters = [letter];
  await store.alerts.change(() => ({ states: [], letters, forgetBeforeMs: nowMs - REMEMBERED_MS }));
  await sendWaiting(office, 0);
  return !(await store.alerts.waiting()).some(({ id }) => id === letter.id);
}

/** Sends the letters that are due, those of one address one after the other, and for `forMs` those that come to be due. Errors: those of the store. */
export async function sendWaiting(office: AlertOffice, forMs: number): Promise<void> {
  const { store, clock, signal } = office;
  const endMs = clock.monotonic() + forMs;
  try {
    for (;;) {
      const queues = queuesOf(await store.alerts.waiting());
      await Promise.all(queues.map((queue) => sendQueue(queue, office)));
      const first = queuesOf(await store.alerts.waiting()).flatMap((queue) => queue.slice(0, 1));
      const waitMs = Math.max(0, Math.min(...first.map(({ nextTryMs }) => nextTryMs)) - clock.now());
      if (clock.monotonic() + waitMs > endMs) return;
      await clock.sleep(waitMs, signal);
    }
  } catch (error) {
    // Letters wait for the next command.
    if (!(error instanceof InterruptedError)) throw error;
  }
}

const queuesOf = (letters: readonly Letter[]): readonly (readonly Letter[])[] => [
  ...Map.groupBy(letters, ({ to }) => to).values(),
];

/** Alerts come in their order, so that none overtakes one that is tried again. */
async function sendQueue(queue: readonly Letter[], office: AlertOffice): Promise<void> {
  const { store, clock, warn } = office;
  for (const { id, to, alert } of queue) {
    const mine = await store.alerts.changeLetter(id, (letter) => taken(letter, clock.now()));
    if (mine === undefined) return;
    const result = await sendTo(to, alert, office);
    const after = await store.alerts.changeLetter(id, (letter) => afterTry(letter, result, clock.now()));
    if (result.ok) continue;
    const isOver = after?.end === 'given_up';
    const then = isOver ? 'given up after a day' : 'it is tried again';
    warn(`alert "${alert.event}" to ${to}: ${resultText(result)}; ${then}`);
    if (!isOver) return;
  }
}

const GONE: SendResult = { ok: false, status: null, fault: 'gone' };

async function sendTo(to: string, alert: Alert, desk: AlertDesk): Promise<SendResult> {
  if (alert.event === 'recap') return sendRecap(to, alert, desk);
  const webhook = addressesOf(desk.config).webhooks.find((each) => each.to === to);
  return webhook === undefined ? GONE : post(webhook, alert, desk);
}

/** A recap as its files say it now; one whose files are gone is not sent. */
async function sendRecap(to: string, alert: Alert, desk: AlertDesk): Promise<SendResult> {
  const address = recapAddresses(desk.config).find((each) => each.to === to);
  const words = wordsAt(alert.message);
  if (address === undefined || words === undefined) return GONE;
  return deliver(address, { method: 'POST', body: recapBody(alert, words, address.shape) }, desk);
}

function wordsAt(path: string): RecapWords | undefined {
  try {
    const [markdown, text] = ['md', 'txt'].map((ending) =>
      readOptionalText(`${path}.${ending}`, 'config.unreadable'),
    );
    return markdown === undefined || text === undefined ? undefined : { markdown, text };
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

const post = (webhook: Webhook, alert: Alert, desk: AlertDesk): Promise<SendResult> =>
  deliver(webhook, { method: 'POST', body: alertBody(alert, webhook.shape) }, desk);

async function deliver(
  { to, source, allowPrivate }: AlertAddress,
  request: Pick<GuardedRequest, 'method' | 'below' | 'body'>,
  desk: AlertDesk,
): Promise<SendResult> {
  const found = addressOf(source, desk.config);
  if ('fault' in found) return { ok: false, status: null, fault: found.fault };
  for (const warning of found.warnings) desk.warn(`${to}: ${warning}`, true);
  return sendGuarded({ ...request, address: found.address, allowPrivate }, desk);
}

const BELOW = { start: '/start', success: undefined, fail: '/fail' } as const;

/** Tells the dead man's switches that a run begins, or how it ended. What does not answer is a warning: the switch itself says so to its people. */
export async function pingAll(moment: keyof typeof BELOW, desk: AlertDesk): Promise<void> {
  const { pings } = addressesOf(desk.config);
  try {
    await Promise.all(
      pings.map(async (ping) => {
        const result = await deliver(ping, { method: 'GET', below: BELOW[moment] }, desk);
        if (!result.ok) desk.warn(`${ping.to} (${moment}): ${resultText(result)}`);
      }),
    );
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
  }
}

/** What an address answered to a test. */
export interface TestResult extends SendResult {
  readonly to: string;
}

/** Sends one test to each webhook, and a success to each dead man's switch. Errors: InterruptedError. */
export async function testAddresses(environment: string, desk: AlertDesk): Promise<readonly TestResult[]> {
  const { webhooks, pings } = addressesOf(desk.config);
  const alert = testAlert(environment, desk.clock.now());
  return Promise.all([
    ...webhooks.map(async (webhook) => ({ to: webhook.to, ...(await post(webhook, alert, desk)) })),
    ...pings.map(async (ping) => ({ to: ping.to, ...(await deliver(ping, { method: 'GET' }, desk)) })),
  ]);
}
