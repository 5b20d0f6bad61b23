import { markup, type Markup } from '../markup.ts';
import { named } from '../parts.ts';
import type { Health } from '../../model/state/alerts.ts';
import type { MappingName } from './values.ts';

/** What times are shown by. */
export interface Watch {
  /** IANA. */
  readonly timezone: string;
  readonly nowMs: number;
}

/** A time to the minute in the configuration's time zone: `Mon 23 Nov 15:39`, with the year where it is not this one. */
export function momentText(ms: number, { timezone, nowMs }: Watch): string {
  const partsOf = (at: number): Readonly<Partial<Record<string, string>>> =>
    Object.fromEntries(
      formatIn(timezone)
        .formatToParts(at)
        .map(({ type, value }) => [type, value]),
    );
  const { weekday, day, month, year, hour, minute } = partsOf(ms);
  const isThisYear = year === partsOf(nowMs)['year'];
  return `${weekday} ${day} ${month}${isThisYear ? '' : ` ${year}`} ${hour}:${minute}`;
}

/** The same, readable for programs too; a dash where there is none. */
export function moment(ms: number | null | undefined, watch: Watch): Markup {
  if (ms === null || ms === undefined || Number.isNaN(ms)) return markup`–`;
  return markup`<time datetime="${new Date(ms).toISOString()}">${momentText(ms, watch)}</time>`;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();
/** Making one costs more than all else of a page. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  FORMATS.set(timeZone, made);
  return made;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `2 h`, `12 s`: a duration in its largest unit. */
export function roughly(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['ms', 1];
  return `${Math.max(0, Math.round(ms / size))} ${unit}`;
}

/** `in 2 h`, `5 min ago`. */
export function fromNow(ms: number, { nowMs }: Watch): string {
  return ms >= nowMs ? `in ${roughly(ms - nowMs)}` : `${roughly(nowMs - ms)} ago`;
}

const HEALTH: Readonly<Record<Health, readonly [kind: string, word: string]>> = {
  ok: ['good', 'ok'],
  degraded: ['warn', 'degraded'],
  failing: ['bad', 'failing'],
};

/** The state of a mapping, in a word and a colour. */
export function healthBadge(health: Health | undefined): Markup {
  if (health === undefined) return markup`<span class="badge">no run kept</span>`;
  const [kind, word] = HEALTH[health];
  return markup`<span class="badge ${kind}">${word}</span>`;
}

/** A mapping, and its league where the folder has several. */
export function mappingText({ mapping, league }: MappingName): Markup {
  return markup`${named(mapping)}${league === undefined ? null : markup` <span class="badge">${named(league)}</span>`}`;
}

/** A command that a person types. */
export const typed = (command: string): Markup => markup`<code>teamsheet ${command}</code>`;
