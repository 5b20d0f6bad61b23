import { PITCH_STYLE } from './style-pitch.ts';

const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f3f5f1; --card: #fff; --line: #dde3da; --soft: #eef2ec; --text: #16211a; --dim: #55635a;
  --accent: #0b6e42; --on-accent: #fff; --accent-soft: #dcefe4;
  --good: #0b6e42; --good-soft: #dcefe4; --warn: #8a5a00; --warn-fill: #d99a1c; --bad: #b3261e; --bad-soft: #fbe4e1;
  --edge: rgb(20 40 28 / 18%); --shadow: 0 1px 2px rgb(20 40 28 / 8%), 0 4px 16px rgb(20 40 28 / 5%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1411; --card: #17201b; --line: #2a362f; --soft: #1e2923; --text: #e6ede8; --dim: #9fb0a5;
    --accent: #5fd39a; --on-accent: #062214; --accent-soft: #17382a;
    --good: #5fd39a; --good-soft: #17382a; --warn: #f0bd57; --warn-fill: #d99a1c; --bad: #ff9a90; --bad-soft: #43201d;
    --edge: rgb(0 0 0 / 60%); --shadow: none;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
a { color: var(--accent); text-underline-offset: 2px; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1, h2, h3, p, dl, dd, ul, ol, figure { margin: 0; }
h1 { font-size: 1.7rem; line-height: 1.2; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; line-height: 1.3; overflow-wrap: anywhere; }
h2 a { color: inherit; text-decoration-color: var(--line); }
h3 { font-size: .78rem; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; color: var(--dim); }
code { font: .88em ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; top: 0; padding: .6rem 1rem; background: var(--card); z-index: 2; }
.skip:focus { left: 0; }
.top { background: var(--card); border-bottom: 1px solid var(--line); padding: .7rem clamp(1rem, 4vw, 2.5rem); display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; align-items: center; }
.brand { font-weight: 700; font-size: 1.05rem; color: var(--text); text-decoration: none; letter-spacing: -.01em; }
.brand span { color: var(--accent); font-weight: 600; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .15rem; }
.top nav a { display: block; padding: .35rem .65rem; border-radius: 8px; text-decoration: none; color: var(--dim); font-size: .93rem; }
.top nav a:hover { background: var(--soft); color: var(--text); }
.top nav a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
main { max-width: 76rem; margin: 0 auto; padding: 1.2rem clamp(1rem, 4vw, 2.5rem) 3rem; display: grid; gap: 1.1rem; grid-template-columns: minmax(0, 1fr); outline: none; }
footer { color: var(--dim); font-size: .88rem; text-align: center; padding: 0 1rem 2rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shadow); padding: 1.1rem 1.25rem; display: grid; gap: .8rem; align-content: start; grid-template-columns: minmax(0, 1fr); }
.columns { display: grid; gap: 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
.columns > .card { min-width: 0; }
.lead { color: var(--dim); overflow-wrap: anywhere; }
.note { color: var(--dim); font-size: .88rem; }
.id { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .78rem; overflow-wrap: anywhere; }
.empty { color: var(--dim); padding: .6rem 0; }
.big { font-size: 1.7rem; font-weight: 700; line-height: 1.15; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.badge { display: inline-block; padding: .05rem .5rem; border-radius: 99px; background: var(--soft); color: var(--dim); font-size: .8rem; font-weight: 600; white-space: nowrap; vertical-align: .08em; }
.badge bdi { white-space: normal; overflow-wrap: anywhere; }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.notice { padding: .7rem 1rem; border-radius: 10px; font-weight: 600; }
.notice.good { background: var(--good-soft); color: var(--good); }
.notice.bad { background: var(--bad-soft); color: var(--bad); }
.plain { list-style: none; padding: 0; display: grid; gap: .3rem; }
.facts { display: grid; }
.facts div { display: flex; justify-content: space-between; gap: 1rem; padding: .4rem 0; border-top: 1px solid var(--line); }
.facts div:first-child { border-top: 0; }
.facts.wide { display: block; columns: 17rem; column-gap: 2.5rem; }
.facts.wide div { break-inside: avoid; border-top: 1px solid var(--line); }
.facts dt { color: var(--dim); }
.facts dd { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.2rem, 1fr)); gap: .7rem; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .65rem .9rem; min-width: 0; }
.tile dt { color: var(--dim); font-size: .82rem; }
.tile dd { font-size: 1.35rem; font-weight: 700; letter-spacing: -.01em; font-variant-numeric: tabular-nums; line-height: 1.25; overflow-wrap: anywhere; }
.words { font-size: .95rem; font-weight: 600; letter-spacing: 0; }
.tile time { white-space: normal; font-size: 1rem; display: block; }
.tile small { font-size: .78rem; font-weight: 400; color: var(--dim); margin-left: .3rem; letter-spacing: 0; }
.scroll { overflow-x: auto; margin: 0 -1.25rem; padding: 0 1.25rem;
  background: linear-gradient(to right, var(--card) 60%, transparent) 0 / 2.5rem 100% no-repeat local, linear-gradient(to left, var(--card) 60%, transparent) 100% / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--edge), transparent) 0 / .8rem 100% no-repeat scroll, linear-gradient(to left, var(--edge), transparent) 100% / .8rem 100% no-repeat scroll; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { text-align: left; padding: .42rem .6rem; vertical-align: middle; }
th:first-child, td:first-child { padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-size: .78rem; font-weight: 600; color: var(--dim); border-bottom: 1px solid var(--line); white-space: nowrap; }
tbody tr + tr td { border-top: 1px solid var(--line); }
tbody tr:hover td { background: var(--soft); }
th.num:first-child { width: 1%; }
.num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
time { white-space: nowrap; }
td:not(.num) { max-width: 24rem; overflow-wrap: break-word; }
.nowrap { white-space: nowrap; }
.bar { display: grid; gap: .2rem; }
.bar-head { display: flex; justify-content: space-between; gap: 1rem; font-size: .93rem; font-variant-numeric: tabular-nums; }
.bar svg { width: 100%; height: .5rem; display: block; border-radius: 99px; }
.bar .track { fill: var(--soft); }
.bar .fill { fill: var(--accent); }
.bar.high .fill { fill: var(--warn-fill); }
.bar.full .fill { fill: var(--bad); }
.bar.full b { color: var(--bad); }
.bar-note { color: var(--dim); font-size: .82rem; }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }
label { display: grid; gap: .15rem; font-size: .82rem; color: var(--dim); }
input, select, button, .button { font: inherit; font-size: .95rem; min-height: 2.5rem; padding: .35rem .8rem; border-radius: 9px; border: 1px solid var(--line); background: var(--card); color: var(--text); max-width: 100%; }
input, select { border-color: color-mix(in srgb, var(--dim) 55%, transparent); }
button, .button { cursor: pointer; font-weight: 600; text-decoration: none; display: inline-flex; align-items: center; }
button:hover, .button:hover { background: var(--soft); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.main:hover, button.danger:hover { filter: brightness(1.1); }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--card); }
button.quiet { border-color: transparent; background: none; color: var(--dim); }
.button.off { visibility: hidden; }
.pager { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; justify-content: center; font-size: .9rem; color: var(--dim); }
.pager .off { display: none; }
.card-head { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: center; }
.card-head p { margin-left: auto; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem; }
summary { cursor: pointer; font-size: .93rem; color: var(--accent); font-weight: 600; }
details[open] > summary { margin-bottom: .6rem; }
.chips { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem; font-size: .82rem; }
.chips li { background: var(--soft); border-radius: 6px; padding: .05rem .4rem; white-space: nowrap; }
.chart { width: 100%; max-width: 34rem; height: auto; display: block; }
.chart text { font-size: 11px; fill: var(--dim); }
.chart .guide { stroke: var(--line); stroke-dasharray: 3 3; fill: none; }
.chart .column { fill: var(--accent); }
.chart .line { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.chart .dot { fill: var(--card); stroke: var(--accent); stroke-width: 2; }
.lonely { text-align: center; padding-top: 12vh; justify-items: center; }
.lonely p:not(:has(code))::first-letter { text-transform: uppercase; }
.lonely .big { font-size: 4rem; color: var(--accent); }
@media (max-width: 34rem) {
  .card { padding: .95rem .9rem; border-radius: 12px; }
  .scroll { margin: 0 -.9rem; padding: 0 .9rem; }
  th, td { padding: .4rem .45rem; }
  td:not(.num) { max-width: 12rem; }
  thead th { white-space: normal; }
  .top { padding-block: .6rem; }
  .top nav a { padding: .3rem .5rem; font-size: .88rem; }
  .top nav ul { margin-left: -.5rem; }
}
@media print {
  .top nav, .pager, footer { display: none; }
  main, .card, .columns { display: block; }
  main > * + *, .card > * + *, .columns > * + * { margin-top: .9rem; }
}
`;

/** The style that all pages share: colours in light and dark, text, frames, tables, charts, forms, shirts and pitches. */
export const STYLE = BASE_STYLE + PITCH_STYLE;

/** The sign of the pages in a browser's tab. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e42"/><path fill="#fff" d="M12 7 6 10l-2 6 4 1.5 1-2V26h14V15.5l1 2 4-1.5-2-6-6-3c-1 2-7 2-8 0Z"/></svg>';
