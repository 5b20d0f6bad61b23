import { markup, type Markup, type Part } from './markup.ts';
import { count, named } from './parts.ts';
import { shirt } from './shirt.ts';

/** A player as he stands on a pitch or on its bench. */
export interface PitchPlayer {
  /** What he is called where there is little room: the last name, mostly. */
  readonly name: string;
  readonly fullName: string;
  readonly club: string;
  readonly clubId: number;
  readonly isKeeper: boolean;
  /** In one word, such as `DEF`, and at length. */
  readonly position: string;
  readonly positionName: string;
  /** Undefined where they are not known. */
  readonly points: number | undefined;
  readonly minutes: number | undefined;
  readonly isCaptain: boolean;
  readonly isViceCaptain: boolean;
  /** By an automatic substitution. */
  readonly cameIn: boolean;
  readonly wentOut: boolean;
  /** The page of the player, where there is one. */
  readonly href?: string | undefined;
}

/** A line-up of one game week. */
export interface PitchLineup {
  /** The eleven in lines, the goalkeeper's first. */
  readonly lines: readonly (readonly PitchPlayer[])[];
  /** In the order of the bench. */
  readonly bench: readonly PitchPlayer[];
  /** Whether the week has been played: points are shown then. */
  readonly isPlayed: boolean;
}

/** A starting eleven in its formation on a football pitch, and the bench in its order below. */
export function pitch({ lines, bench, isPlayed }: PitchLineup): Markup {
  const formation = lines.slice(1).map((line) => line.length);
  return markup`<figure class="pitch-frame">
    <figcaption>Formation <b>${formation.join('–')}</b></figcaption>
    <div class="pitch">${LINES}${lines
      .filter((line) => line.length > 0)
      .map((line) => markup`<ul class="row">${line.map((each) => player(each, isPlayed, null))}</ul>`)}</div>
    <div class="bench"><h3>Bench</h3><ol class="row">${bench.map((each, index) => player(each, isPlayed, index + 1))}</ol></div>
  </figure>`;
}

function player(one: PitchPlayer, isPlayed: boolean, benchPlace: number | null): Markup {
  const marks: readonly Part[] = [
    one.isCaptain && markup`<span class="mark captain" title="Captain">C</span>`,
    one.isViceCaptain && markup`<span class="mark vice" title="Vice-captain">V</span>`,
    one.cameIn && markup`<span class="mark in" title="Came in by substitution">▲</span>`,
    one.wentOut && markup`<span class="mark out" title="Went out by substitution">▼</span>`,
  ];
  const score = isPlayed
    ? markup`<b>${count(one.points)}</b> <span class="unit">${one.points === 1 ? 'pt' : 'pts'}</span>`
    : markup`<span class="unit">${one.position}</span>`;
  const absent = isPlayed && one.minutes === 0;
  const minutes = isPlayed && one.minutes !== undefined && markup`, ${one.minutes} minutes`;
  const title = markup`${one.fullName}, ${one.club}, ${one.positionName}${minutes}`;
  const inside = markup`<span class="shirt-box">${shirt(one.clubId, one.isKeeper)}${marks}</span>
    <span class="plate"><span class="player-name">${named(one.name)}</span><span class="player-score">${score}</span></span>`;
  const shown =
    one.href === undefined
      ? markup`<span class="who" title="${title}">${inside}</span>`
      : markup`<a class="who" href="${one.href}" title="${title}">${inside}</a>`;
  return markup`<li class="player${absent ? ' absent' : null}">${shown}
    ${benchPlace === null ? null : markup`<span class="bench-place">${benchPlace}. ${one.position}</span>`}</li>`;
}

/** The markings of half a pitch, the goal above. */
const LINES = markup`<svg class="lines" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
  <rect x="2" y="1.5" width="96" height="97" /><rect x="22" y="1.5" width="56" height="17" /><rect x="36" y="1.5" width="28" height="7" />
  <path d="M38 18.5a13 8 0 0 0 24 0" /><path d="M2 98.5H98" /><path d="M34 98.5a16 12 0 0 1 32 0" />
</svg>`;
