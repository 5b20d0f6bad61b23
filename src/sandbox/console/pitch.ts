import type { RecordOf } from '../../contract/index.ts';
import { markup, type Markup, type Part } from './markup.ts';
import { count, named } from './parts.ts';
import { shirt } from './shirt.ts';

type Lineup = NonNullable<RecordOf<'get-lineup'>['squad']>;
type Entry = NonNullable<Lineup['starting_xi']>[number];

/** What is shown on a pitch beside the line-up itself. */
export interface PitchNotes {
  /** The ids of the players who came in or went out by an automatic substitution. */
  readonly cameIn: ReadonlySet<number>;
  readonly wentOut: ReadonlySet<number>;
  readonly minutes: ReadonlyMap<number, number>;
  /** Whether the week has been played: points are shown then. */
  readonly isPlayed: boolean;
  /** What each player is called there, by id. */
  readonly names: ReadonlyMap<number, string>;
  readonly href: (playerId: number) => string;
}

const ROWS = ['GK', 'DEF', 'MID', 'FWD'];

/** A starting eleven in its formation on a football pitch, and the bench in its order below. */
export function pitch({ starting_xi, bench }: Lineup, notes: PitchNotes): Markup {
  const starters = starting_xi ?? [];
  const rows = ROWS.map((position) => starters.filter((entry) => positionOf(entry) === position));
  const formation = rows.slice(1).map((row) => row.length);
  return markup`<figure class="pitch-frame">
    <figcaption>Formation <b>${formation.join('–')}</b></figcaption>
    <div class="pitch">${LINES}${rows
      .filter((row) => row.length > 0)
      .map((row) => markup`<ul class="row">${row.map((entry) => player(entry, notes, null))}</ul>`)}</div>
    <div class="bench"><h3>Bench</h3><ol class="row">${(bench ?? []).map((entry, index) => player(entry, notes, index + 1))}</ol></div>
  </figure>`;
}

const positionOf = (entry: Entry): string => entry.position?.abbrevation ?? '';

function player(entry: Entry, notes: PitchNotes, benchPlace: number | null): Markup {
  const id = Number(entry.player?.id);
  const full = `${entry.player?.first_name ?? ''} ${entry.player?.last_name ?? ''}`.trim();
  const minutes = notes.minutes.get(id) ?? 0;
  const marks: readonly Part[] = [
    entry.is_captain === true && markup`<span class="mark captain" title="Captain">C</span>`,
    entry.is_vice_captain === true && markup`<span class="mark vice" title="Vice-captain">V</span>`,
    notes.cameIn.has(id) && markup`<span class="mark in" title="Came in by substitution">▲</span>`,
    notes.wentOut.has(id) && markup`<span class="mark out" title="Went out by substitution">▼</span>`,
  ];
  const score = notes.isPlayed
    ? markup`<b>${count(entry.points)}</b> <span class="unit">pts</span>`
    : markup`<span class="unit">${positionOf(entry)}</span>`;
  const absent = notes.isPlayed && minutes === 0;
  return markup`<li class="player${absent ? ' absent' : null}">
    <a href="${notes.href(id)}" title="${full}, ${entry.team?.name}, ${entry.position?.position}${notes.isPlayed ? `, ${minutes} minutes` : null}">
    <span class="shirt-box">${shirt(entry.team?.id ?? 1, positionOf(entry) === 'GK')}${marks}</span>
    <span class="plate"><span class="player-name">${named(notes.names.get(id))}</span><span class="player-score">${score}</span></span></a>
    ${benchPlace === null ? null : markup`<span class="bench-place">${benchPlace}. ${positionOf(entry)}</span>`}</li>`;
}

/** The markings of half a pitch, the goal above. */
const LINES = markup`<svg class="lines" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
  <rect x="2" y="1.5" width="96" height="97" /><rect x="22" y="1.5" width="56" height="17" /><rect x="36" y="1.5" width="28" height="7" />
  <path d="M38 18.5a13 8 0 0 0 24 0" /><path d="M2 98.5H98" /><path d="M34 98.5a16 12 0 0 1 32 0" />
</svg>`;
