import { renderCount, renderCountOf } from '../../model/count.ts';
import type { Emit, RunEvent } from '../../model/event.ts';
import type { Clock } from '../../model/ports.ts';
import type { Screen } from '../screen.ts';
import { cutText, renderDuration, safeText } from './text.ts';

type Progress = Extract<RunEvent, { kind: 'progress' }>;
type Pause = Extract<RunEvent, { kind: 'pause' }>;

/** A redrawn line changes at most this often; a plain line is said at most this often. */
const REDRAW_MS = 100;
const PLAIN_MS = 5_000;
/** The rate is that of the last seconds, so that a pause for the budget does not spoil it. */
const RATE_WINDOW_MS = 20_000;
/** A rate is shown once it was seen for this long. */
const RATE_AFTER_MS = 3_000;
/** What takes less is over before it is read. */
const LEAST_LEFT_S = 10;

/** Shows what library code tells: one line that is redrawn on a terminal, plain lines elsewhere. `stop` clears the line and its timer. */
export interface Reporter {
  readonly emit: Emit;
  readonly stop: () => void;
}

/** A reporter on a screen; only `clock.monotonic` is read. */
export function createReporter(screen: Screen, clock: Pick<Clock, 'monotonic'>): Reporter {
  const show = screen.live ? liveLine(screen, clock) : plainLines(screen, clock);
  return {
    stop: () => show.stop(),
    emit: (event) => {
      tellEvent(event, screen, show);
    },
  };
}

function tellEvent(event: RunEvent, screen: Screen, show: Show): void {
  switch (event.kind) {
    case 'warning':
      screen.warn(event.message);
      break;
    case 'note':
      screen.say(safeText(event.message));
      break;
    case 'outcome':
      if (screen.verbose) screen.tell(safeText(renderOutcome(event)));
      break;
    case 'retry':
      screen.say(
        safeText(
          `${event.operation}: ${event.reason}; attempt ${event.attempt + 1} in ${renderDuration(event.waitMs)}`,
        ),
      );
      break;
    case 'reading':
      show.reading(`${event.mapping}: ${renderCountOf(event.done, 'row')} read`);
      break;
    case 'progress':
      show.progress(event);
      break;
    case 'pause':
      show.pause(event);
      break;
  }
}

function renderOutcome({
  mapping,
  rowNumber,
  outcome,
  message,
}: Extract<RunEvent, { kind: 'outcome' }>): string {
  return `${mapping} row ${rowNumber}: ${outcome}${message === '' ? '' : `, ${message}`}`;
}

interface Show {
  reading(text: string): void;
  progress(event: Progress): void;
  pause(event: Pause): void;
  stop(): void;
}

function liveLine(screen: Screen, clock: Pick<Clock, 'monotonic'>): Show {
  let timer: NodeJS.Timeout | undefined;
  let line = '';
  let pauseEndsMs = 0;
  let reason = '';
  const rate = createRate(clock);
  const draw = (): void => {
    const left = pauseEndsMs - clock.monotonic();
    const paused =
      left > 0 ? `${line === '' ? '' : `${line} · `}pause ${renderSeconds(left)}: ${reason}` : line;
    // A terminal writes ^C behind the line.
    screen.redraw(cutText(safeText(paused), screen.columns - 3));
  };
  const start = (): void => {
    timer ??= setInterval(draw, REDRAW_MS).unref();
  };
  const set = (text: string): void => {
    line = text;
    start();
  };
  return {
    reading: set,
    progress: (event) => {
      const bar = event.total === undefined ? '' : `${renderBar(event.done, event.total)} `;
      set(`${bar}${renderProgress(event, rate(event))}`);
    },
    pause: (event) => {
      pauseEndsMs = clock.monotonic() + event.seconds * 1000;
      reason = event.reason;
      start();
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
      line = '';
      screen.redraw(undefined);
    },
  };
}

function plainLines(screen: Screen, clock: Pick<Clock, 'monotonic'>): Show {
  let lastMs = clock.monotonic();
  const rate = createRate(clock);
  const sometimes = (text: () => string): void => {
    if (!screen.progress || clock.monotonic() - lastMs < PLAIN_MS) return;
    lastMs = clock.monotonic();
    screen.say(safeText(text()));
  };
  return {
    reading: (text) => sometimes(() => text),
    progress: (event) => {
      const perSecond = rate(event);
      // That a request has gone out is worth a line only where the line is redrawn.
      if (event.done > 0) sometimes(() => renderProgress(event, perSecond));
    },
    pause: ({ seconds, reason }) =>
      screen.say(safeText(`pause of ${renderDuration(seconds * 1000)}: ${reason}`)),
    stop: () => undefined,
  };
}

/** Units a second over the last seconds, per mapping and unit; undefined until enough was seen to go by. */
function createRate(clock: Pick<Clock, 'monotonic'>): (event: Progress) => number | undefined {
  let of = '';
  let startedAtMs = 0;
  let seen: { readonly atMs: number; readonly done: number }[] = [];
  return ({ mapping, unit, done }) => {
    const atMs = clock.monotonic();
    // A list that is read again begins again.
    if (of !== `${mapping} ${unit}` || done < (seen.at(-1)?.done ?? 0)) [seen, startedAtMs] = [[], atMs];
    of = `${mapping} ${unit}`;
    seen = [...seen.filter((sample) => atMs - sample.atMs <= RATE_WINDOW_MS), { atMs, done }];
    if (atMs - startedAtMs < RATE_AFTER_MS) return undefined;
    const [first] = seen;
    const elapsedMs = atMs - (first?.atMs ?? atMs);
    return elapsedMs === 0 ? undefined : ((done - (first?.done ?? done)) / elapsedMs) * 1000;
  };
}

/** `users: 1,200/5,000 rows · 240/s · about 15 s left`; without a total that is known, `users: 1,200 rows · 240/s`. */
function renderProgress({ mapping, done, total, unit }: Progress, perSecond: number | undefined): string {
  const of = total === undefined ? '' : `/${renderCount(total)}`;
  const noun = (total ?? done) === 1 ? unit.replace(/s\b/, '') : unit;
  const parts = [`${mapping}: ${renderCount(done)}${of} ${noun}`];
  if (perSecond !== undefined && perSecond > 0) {
    parts.push(`${perSecond < 10 ? perSecond.toFixed(1) : renderCount(Math.round(perSecond))}/s`);
    const leftSeconds = ((total ?? 0) - done) / perSecond;
    if (leftSeconds >= LEAST_LEFT_S) parts.push(`about ${renderLeft(leftSeconds)} left`);
  }
  return parts.join(' · ');
}

/** No more exactly than anybody can know it: steps of 5 s, from a minute on half minutes, from ten on minutes. */
function renderLeft(seconds: number): string {
  const step = seconds < 57.5 ? 5 : seconds < 600 ? 30 : 60;
  return renderDuration(Math.max(10, Math.round(seconds / step) * step) * 1000);
}

const BAR_WIDTH = 20;

/** `████████░░░░`: how much of a whole is done. */
export function renderBar(done: number, total: number, width = BAR_WIDTH): string {
  const share = total <= 0 ? 0 : Math.min(1, Math.max(0, done / total));
  const full = Math.round(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

function renderSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60
    ? `${seconds} s`
    : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
