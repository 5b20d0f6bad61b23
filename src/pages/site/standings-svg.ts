import { markup } from '../markup.ts';
import { count } from '../parts.ts';
import { cut } from './cut.ts';
import type { SiteFile } from './frame.ts';
import { weekOf } from './table-pages.ts';
import type { Site } from './values.ts';
import { plainMovement, STATE_WORDS } from './words.ts';

const MOST = 20;
const WIDTH = 640;
const HEAD = 96;
const ROW = 32;
const TITLE_COLUMNS = 34;
const NAME_COLUMNS = 32;

const SVG_STYLE = `
text { font: 16px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; fill: #16211a; font-variant-numeric: tabular-nums; }
.page { fill: #fff; } .band { fill: #eef2ec; } .rule { stroke: #0b6e42; stroke-width: 3; }
.title { font-size: 24px; font-weight: 700; } .dim { fill: #55635a; font-size: 14px; } .bold { font-weight: 700; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6ede8; } .page { fill: #17201b; } .band { fill: #1e2923; } .rule { stroke: #5fd39a; } .dim { fill: #9fb0a5; }
}
`;

/** The first twenty as a picture that stands by itself. */
export function standingsSvg({ title, squads, weeks }: Site): SiteFile {
  const week = weeks.at(-1);
  const rows = squads.slice(0, MOST).map((squad, index) => {
    const now = weekOf(squad, week?.number);
    const y = HEAD + index * ROW;
    const baseline = y + 21;
    return markup`${index % 2 === 0 ? markup`<rect class="band" x="16" y="${y}" width="${WIDTH - 32}" height="${ROW}" rx="6" />` : null}
<text class="bold" x="56" y="${baseline}" text-anchor="end">${count(now?.rank)}</text><text class="dim" x="72" y="${baseline}">${plainMovement(now?.rank, now?.previousRank)}</text><text x="124" y="${baseline}">${cut(squad.name, NAME_COLUMNS)}</text><text class="dim" x="530" y="${baseline}" text-anchor="end">${count(now?.points)}</text><text class="bold" x="608" y="${baseline}" text-anchor="end">${count(now?.total)}</text>`;
  });
  const height = HEAD + rows.length * ROW + 20;
  const said =
    week === undefined
      ? 'before the first game week'
      : `after game week ${week.number}, ${STATE_WORDS[week.state].short}`;
  const { text } =
    markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="The table of ${title}"><style>${SVG_STYLE}</style>
<rect class="page" width="${WIDTH}" height="${height}" rx="14" /><path class="rule" d="M24 24V66" /><text class="title" x="40" y="44">${cut(title, TITLE_COLUMNS)}</text><text class="dim" x="40" y="66">Table ${said}</text>
<text class="dim" x="530" y="${HEAD - 8}" text-anchor="end">Week</text><text class="dim" x="608" y="${HEAD - 8}" text-anchor="end">Total</text>
${rows}</svg>
`;
  return { path: 'standings.svg', text };
}
