import { markup, type Markup, type Part } from '../markup.ts';
import { card, count, named, num, table } from '../parts.ts';
import { roundStep } from '../rank-axis.ts';
import { cut } from './cut.ts';
import { sitePage, squadPath, type SiteFile } from './frame.ts';
import type { Site, SiteSquad } from './values.ts';

/** So many squads race. */
const RACERS = 20;
const WIDTH = 420;
const TOP = 14;
const ROW = 25;
const LEFT = 36;
const RIGHT = 142;
/** Ranks after the last place of the race share a band beneath it. */
const BAND = 70;
const NAME_COLUMNS = 15;
/** The room for the number before a name. */
const PLACE = 38;

/** A squad's value in each week of the race; undefined where it is not known. */
interface Racer {
  readonly squad: SiteSquad;
  readonly values: readonly (number | undefined)[];
}

/** How a race is drawn. */
interface Course {
  readonly label: string;
  readonly weeks: readonly number[];
  readonly racers: readonly Racer[];
  readonly height: number;
  readonly y: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
  /** What stands beside the name at the end of a line. */
  readonly end: (racer: Racer) => string;
  readonly said: (value: number) => string;
}

/** The race of ranks and the race of points of the first twenty. */
export function racePage(site: Site): SiteFile {
  const weeks = site.weeks.filter(({ squads }) => squads > 0).map(({ number }) => number);
  const racers = site.squads.slice(0, RACERS);
  const body =
    weeks.length === 0 || racers.length === 0
      ? markup`<p class="empty">No game week has begun yet.</p>`
      : markup`<p class="lead">The first ${racers.length} of the table${weeks.length > 1 ? ` since game week ${weeks[0]}` : null}. Each line ends at its name.</p>
        <div class="columns">${card('Race of ranks', drawn(rankCourse(racers, weeks)))}${card('Race of points', markup`<p class="note">Points behind the leader of each week.</p>`, drawn(pointsCourse(racers, weeks)))}</div>
        ${numbers('Ranks by game week', racers, weeks, 'rank')}${numbers('Totals by game week', racers, weeks, 'total')}`;
  return sitePage(site, { path: 'race.html', section: 'race.html', title: 'The race', body });
}

const valuesOf = (squad: SiteSquad, weeks: readonly number[], of: 'rank' | 'total') =>
  weeks.map((week) => squad.weeks.find((each) => each.week === week)?.[of]);

const known = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined);

function rankCourse(squads: readonly SiteSquad[], weeks: readonly number[]): Course {
  const racers = squads.map((squad) => ({ squad, values: valuesOf(squad, weeks, 'rank') }));
  const ranks = racers.flatMap(({ values }) => known(values));
  const worst = Math.max(1, ...ranks);
  // Of the places beyond the race there may be thousands; they share a band, on a logarithmic scale.
  const linear = Math.min(worst, Math.max(RACERS, squads.length));
  const y = (rank: number): number => {
    const inRace = TOP + (Math.min(rank, linear) - 1) * ROW;
    return rank <= linear ? inRace : inRace + (BAND * Math.log(rank / linear)) / Math.log(worst / linear);
  };
  const all = [...new Set([1, 5, 10, 15, linear, worst])].filter((rank) => rank <= worst);
  return {
    label: 'Ranks by game week, the first above',
    weeks,
    racers,
    height: y(worst) + 34,
    y,
    ticks: all.map((value) => ({ value, label: count(value) })),
    end: ({ values }) => count(values.findLast((value) => value !== undefined)),
    said: (rank) => `rank ${count(rank)}`,
  };
}

function pointsCourse(squads: readonly SiteSquad[], weeks: readonly number[]): Course {
  const totals = squads.map((squad) => valuesOf(squad, weeks, 'total'));
  const lead = weeks.map((_, at) => Math.max(...known(totals.map((values) => values[at]))));
  const racers = squads.map((squad, index) => ({
    squad,
    values: (totals[index] ?? []).map((total, at) =>
      total === undefined ? undefined : (lead[at] ?? total) - total,
    ),
  }));
  const most = Math.max(1, ...racers.flatMap(({ values }) => known(values)));
  const inner = ROW * Math.max(4, squads.length - 1);
  const step = roundStep(most / 5);
  return {
    label: 'Points behind the leader by game week',
    weeks,
    racers,
    height: TOP + inner + 34,
    y: (behind) => TOP + (inner * behind) / most,
    ticks: Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => ({
      value: index * step,
      label: count(0 - index * step),
    })),
    end: ({ squad }) => count(squad.weeks.findLast(({ total }) => total !== undefined)?.total),
    said: (behind) => (behind === 0 ? 'in front' : `${count(behind)} behind`),
  };
}

/** The lines of a race with a name at the end of each; colour and dashes differ, and neither is needed. */
function drawn(course: Course): Markup {
  const { weeks, racers, height, y, ticks, label } = course;
  const x = (at: number): number =>
    weeks.length === 1 ? LEFT + 8 : LEFT + 8 + ((WIDTH - LEFT - RIGHT - 16) * at) / (weeks.length - 1);
  const guides = ticks.map(
    ({ value, label: text }) =>
      markup`<path class="guide" d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - RIGHT}" /><text x="${LEFT - 4}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${text}</text>`,
  );
  const every = Math.ceil(weeks.length / 10);
  const weekLabels = weeks.map((week, at) =>
    at % every === 0
      ? markup`<text x="${x(at).toFixed(1)}" y="${(height - 6).toFixed(1)}" text-anchor="middle">${week}</text>`
      : null,
  );
  const places = spread(
    racers.map(({ values }) => y(values.findLast((value) => value !== undefined) ?? 0)),
    ROW * 0.62,
  );
  const lines = racers.map((racer, index) => line(course, racer, { index, x, labelY: places[index] ?? TOP }));
  const whole = Math.max(height, ...places.map((place) => place + 12));
  return markup`<svg class="chart race" viewBox="0 0 ${WIDTH} ${whole.toFixed(0)}" role="group" aria-label="${label}">${guides}${weekLabels}${lines}</svg>`;
}

interface Placed {
  readonly index: number;
  readonly x: (at: number) => number;
  readonly labelY: number;
}

function line({ y, end, said, weeks }: Course, racer: Racer, { index, x, labelY }: Placed): Markup {
  const points = racer.values.flatMap((value, at) => (value === undefined ? [] : [{ at, value }]));
  const spots = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const last = points.at(-1);
  if (last === undefined) return markup``;
  const endX = WIDTH - RIGHT;
  const lead = markup`<path class="lead-out" d="M${x(last.at).toFixed(1)} ${y(last.value).toFixed(1)}L${endX} ${labelY.toFixed(1)}" />`;
  const history = points.map(({ at, value }) => `week ${weeks[at]}: ${said(value)}`).join(', ');
  return markup`<a class="racer hue-${index % 5} dash-${index % 4}" href="${squadPath(racer.squad)}"><title>${racer.squad.name}: ${history}</title>
    <polyline class="line" points="${spots.join(' ')}" />${lead}<circle class="dot" cx="${x(last.at).toFixed(1)}" cy="${y(last.value).toFixed(1)}" r="3" />
    <text class="place" x="${endX + 4}" y="${(labelY + 4).toFixed(1)}">${end(racer)}</text><text class="name" x="${endX + PLACE}" y="${(labelY + 4).toFixed(1)}">${cut(racer.squad.name, NAME_COLUMNS)}</text></a>`;
}

/** The places, in order, moved down until each has `least` room below the one before; ties keep their order. */
function spread(places: readonly number[], least: number): readonly number[] {
  const order = places
    .map((place, index) => ({ place, index }))
    .toSorted((one, other) => one.place - other.place);
  const moved: number[] = [];
  let next = -Infinity;
  for (const { place, index } of order) {
    next = Math.max(place, next + least);
    moved[index] = next;
  }
  return moved;
}

function numbers(
  caption: string,
  squads: readonly SiteSquad[],
  weeks: readonly number[],
  of: 'rank' | 'total',
): Markup {
  const rows = squads.map((squad): readonly Part[] => [
    named(squad.name),
    ...valuesOf(squad, weeks, of).map((value) => count(value)),
  ]);
  const columns = ['Squad', ...weeks.map((week) => num(String(week)))];
  return markup`<details class="card"><summary>${caption}</summary>${table(caption, columns, rows)}</details>`;
}
