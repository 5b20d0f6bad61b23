import type { RecordOf } from '../../contract/index.ts';
import { markup, type Markup, type Part } from '../../pages/markup.ts';
import { named, time } from '../../pages/parts.ts';
import { shirt } from '../../pages/shirt.ts';

/** A match as the service answers it. */
export type Fixture = NonNullable<RecordOf<'get-fixtures'>['fixtures']>[number];

/** The score of a match, or when it begins. */
function score({ goals, start_date, status }: Fixture): Markup {
  return status === 'finished'
    ? markup`<b class="score">${goals?.home} – ${goals?.away}</b>`
    : markup`<span class="score open">${time(start_date)}</span>`;
}

/** Home, score and away in a line. */
export function matchLine(fixture: Fixture): Markup {
  const { home, away } = fixture.teams ?? {};
  return markup`<span class="side home">${named(home?.name)}${shirt(home?.id ?? 1)}</span>${score(fixture)}<span class="side away">${shirt(away?.id ?? 1)}${named(away?.name)}</span>`;
}

/** Matches, one in a line. */
export function results(fixtures: readonly Fixture[]): Part {
  return markup`<ul class="results">${fixtures.map((fixture) => markup`<li class="match-line">${matchLine(fixture)}</li>`)}</ul>`;
}
