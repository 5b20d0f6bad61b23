import { markup, type Markup } from './markup.ts';
import { count } from './parts.ts';
import { rankAxis } from './rank-axis.ts';

/** A value of a game week. */
export interface WeekValue {
  readonly week: number;
  readonly value: number;
}

const WIDTH = 400;
const HEIGHT = 170;
const LEFT = 34;
const RIGHT = 8;
const TOP = 14;
const BOTTOM = 22;
const INNER_WIDTH = WIDTH - LEFT - RIGHT;
const INNER_HEIGHT = HEIGHT - TOP - BOTTOM;

/** Points as columns, one for each week; the highest carries its value. */
export function pointsChart(values: readonly WeekValue[]): Markup {
  const most = Math.max(1, ...values.map(({ value }) => value));
  const least = Math.min(0, ...values.map(({ value }) => value));
  const y = (value: number): number => TOP + (INNER_HEIGHT * (most - value)) / (most - least);
  const step = INNER_WIDTH / Math.max(1, values.length);
  const width = Math.min(34, step * 0.72);
  const x = (index: number): number => LEFT + (index + 0.5) * step;
  const columns = values.map(({ week, value }, index) => {
    const left = x(index) - width / 2;
    const top = Math.min(y(value), y(0));
    const height = Math.max(1, Math.abs(y(value) - y(0)));
    return markup`<rect class="column" x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="1.5"><title>Game week ${week}: ${count(value)}</title></rect>`;
  });
  return frame('Points by game week', [guide(y(most), most), guide(y(0), 0)], columns, weekLabels(values, x));
}

/** A line of ranks in a league of `squads`, the first rank above. */
export function rankChart(values: readonly WeekValue[], squads: number): Markup {
  const { best, worst, ticks } = rankAxis(
    values.map(({ value }) => value),
    squads,
  );
  const y = (value: number): number =>
    TOP + (best === worst ? INNER_HEIGHT / 2 : (INNER_HEIGHT * (value - best)) / (worst - best));
  const x = (index: number): number =>
    LEFT + (values.length < 2 ? INNER_WIDTH / 2 : 8 + ((INNER_WIDTH - 16) * index) / (values.length - 1));
  const points = values.map(({ value }, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  const dots = values.map(
    ({ week, value }, index) =>
      markup`<circle class="dot" cx="${x(index).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3"><title>Game week ${week}: rank ${count(value)}</title></circle>`,
  );
  const line = markup`<polyline class="line" points="${points.join(' ')}" />`;
  return frame(
    'Rank by game week',
    ticks.map((rank) => guide(y(rank), rank)),
    [line, dots],
    weekLabels(values, x),
  );
}

function guide(y: number, value: number): Markup {
  return markup`<path class="guide" d="M${LEFT} ${y.toFixed(1)}H${WIDTH - RIGHT}" /><text x="${LEFT - 6}" y="${(y + 4).toFixed(1)}" text-anchor="end">${count(value)}</text>`;
}

/** Not more of them than fit beside each other. */
function weekLabels(values: readonly WeekValue[], x: (index: number) => number): readonly (Markup | null)[] {
  const every = Math.ceil(values.length / 12);
  return values.map(({ week }, index) =>
    index % every === 0
      ? markup`<text x="${x(index).toFixed(1)}" y="${HEIGHT - 6}" text-anchor="middle">${week}</text>`
      : null,
  );
}

function frame(label: string, ...parts: readonly (readonly (Markup | null | readonly Markup[])[])[]): Markup {
  return markup`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${parts}</svg>`;
}
