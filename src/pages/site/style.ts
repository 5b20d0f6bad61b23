import { STYLE as SHARED_STYLE } from '../style.ts';

/** What only the site has: movements, races, and how it is printed. */
const SITE_STYLE = `
.move { font-variant-numeric: tabular-nums; white-space: nowrap; }
.move.up { color: var(--good); font-weight: 600; }
.move.down { color: var(--bad); }
.move.same { color: var(--dim); }
.member { color: var(--dim); font-size: .88rem; display: block; }
.names { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; }
.winner { border-left: .35rem solid var(--accent); }
.big-names a { font-size: 1.35rem; font-weight: 700; overflow-wrap: anywhere; }
.tile small { margin-left: 0; display: block; }
.tile .member { font-weight: 400; letter-spacing: 0; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(9.4rem, 1fr)); }
td:not(.num):has(> a:not(.nowrap)) { min-width: 6.5rem; overflow-wrap: anywhere; }
.tile .move { font-size: .9rem; }
.race { max-width: 40rem; margin: 0 auto; }
.race .line { stroke-width: 1.8; }
.race .lead-out { fill: none; stroke-width: .8; stroke-dasharray: 1 3; opacity: .7; }
.race .place { font-weight: 700; fill: var(--text); }
.race .name { fill: var(--text); }
.racer:hover .line, .racer:focus-visible .line { stroke-width: 4; }
.racer:hover text, .racer:focus-visible text { text-decoration: underline; }
.hue-0 { --hue: #0b6e42; } .hue-1 { --hue: #1d4ed8; } .hue-2 { --hue: #b45309; } .hue-3 { --hue: #9d174d; } .hue-4 { --hue: #475569; }
@media (prefers-color-scheme: dark) { .hue-0 { --hue: #5fd39a; } .hue-1 { --hue: #93b4ff; } .hue-2 { --hue: #f0bd57; } .hue-3 { --hue: #f9a8d4; } .hue-4 { --hue: #b6c2cf; } }
.race .line, .race .dot, .race .lead-out { stroke: var(--hue); }
.race .dot { fill: var(--hue); }
.dash-1 .line { stroke-dasharray: 7 3; } .dash-2 .line { stroke-dasharray: 2 3; } .dash-3 .line { stroke-dasharray: 9 3 2 3; }
@media (max-width: 46rem) { .wide { display: none; } }
@media print {
  :root { font-size: 9.5pt; --page: #fff; --card: #fff; --line: #bbb; --soft: #f2f2f2; --text: #000; --dim: #333; --accent: #000; --accent-soft: #eee; --good: #000; --bad: #000; --shadow: none; }
  body { font-size: 1rem; }
  main { max-width: none; padding: 0; }
  .card { break-inside: avoid; box-shadow: none; }
  .card:has(tr:nth-child(12)) { break-inside: auto; }
  .race { max-height: 75vh; }
  tr, figure, .tile { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; background: none; }
  .skip { display: none; }
  a { color: inherit; text-decoration: none; }
}
`;

/** The style sheet of the site. */
export const STYLE = SHARED_STYLE + SITE_STYLE;
