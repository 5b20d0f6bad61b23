/** The colours of the shirts, body and trim, one for each club of the season; the last is that of goalkeepers. */
export const KITS: readonly (readonly [body: string, trim: string])[] = [
  ['#7ec8f2', '#0f3d66'],
  ['#c8102e', '#ffffff'],
  ['#111827', '#f5c518'],
  ['#0057b8', '#ffffff'],
  ['#6d1f7c', '#f2c9ff'],
  ['#ffffff', '#c8102e'],
  ['#006847', '#ffffff'],
  ['#ffffff', '#1f2937'],
  ['#f97316', '#111827'],
  ['#7a0019', '#9ad4f0'],
  ['#14532d', '#f5c518'],
  ['#1e3a8a', '#f97316'],
  ['#facc15', '#111827'],
  ['#e11d74', '#ffffff'],
  ['#0e7490', '#fde68a'],
  ['#dc2626', '#111827'],
  ['#4d7c0f', '#ffffff'],
  ['#f2d5a0', '#7a3b12'],
  ['#374151', '#5eead4'],
  ['#ffffff', '#0057b8'],
];
const KEEPER = ['#b7f34d', '#16211a'] as const;

const kit = (name: string, [body, trim]: readonly [string, string]): string =>
  `.${name} .body { fill: ${body}; } .${name} .trim { fill: ${trim}; }\n`;

/** Pitch, shirts and matches. */
export const PITCH_STYLE = `
.shirt { width: 1.4rem; height: auto; flex: none; display: inline-block; vertical-align: -.3em; }
.shirt .body { stroke: rgb(0 0 0 / 35%); stroke-width: 1; }
@media (prefers-color-scheme: dark) { .shirt .body { stroke: rgb(255 255 255 / 40%); } }
${KITS.map((colours, index) => kit(`kit-${index + 1}`, colours)).join('')}${kit('keeper', KEEPER)}
.club { vertical-align: middle; display: inline-flex; gap: .55rem; align-items: center; }
.player-head { display: flex; gap: 1rem; align-items: center; }
.player-head .shirt { width: 3.6rem; }
.lineup { display: grid; grid-template-columns: minmax(0, 1fr) 15rem; gap: 1.4rem; }
@media (max-width: 56rem) { .lineup { grid-template-columns: minmax(0, 1fr); } }
.lineup-side { display: grid; gap: .6rem; align-content: start; }
.pitch-frame { display: grid; gap: .6rem; min-width: 0; }
.pitch-frame figcaption { color: var(--dim); font-size: .9rem; }
.pitch { position: relative; display: grid; gap: 1.1rem; padding: 1.5rem .6rem 1.8rem; border-radius: 12px; overflow: hidden;
  background: repeating-linear-gradient(#2f8f4e 0 3.2rem, #2a8447 3.2rem 6.4rem); }
@media (prefers-color-scheme: dark) { .pitch { background: repeating-linear-gradient(#1d6337 0 3.2rem, #195831 3.2rem 6.4rem); } }
.lines { position: absolute; inset: 0; width: 100%; height: 100%; fill: none; stroke: rgb(255 255 255 / 45%); stroke-width: 2; }
.lines * { vector-effect: non-scaling-stroke; }
.row { position: relative; list-style: none; padding: 0; display: flex; justify-content: space-evenly; gap: .3rem; }
.player { flex: 0 1 8rem; min-width: 0; text-align: center; }
.who { display: grid; justify-items: center; color: inherit; text-decoration: none; }
.shirt-box { position: relative; display: block; width: 3.2rem; }
.shirt-box .shirt { width: 100%; filter: drop-shadow(0 2px 2px rgb(0 0 0 / 30%)); }
.plate { display: block; width: 100%; border-radius: 7px; overflow: hidden; background: var(--card); color: var(--text); box-shadow: 0 1px 3px rgb(0 0 0 / 30%); font-size: .84rem; line-height: 1.35; }
.player-name { display: block; padding: .1rem .3rem; font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.player-score { display: block; padding: .05rem .3rem .1rem; background: var(--accent-soft); color: var(--accent); font-variant-numeric: tabular-nums; }
.unit { font-size: .85em; }
.who[href]:hover .player-name { text-decoration: underline; }
.absent .shirt-box .shirt { opacity: .45; }
.absent .player-score { background: var(--soft); color: var(--dim); }
.mark { display: inline-grid; place-items: center; width: 1.25rem; height: 1.25rem; border-radius: 50%; font-size: .74rem; font-weight: 700; line-height: 1; }
.mark.captain { background: #111827; color: #fff; box-shadow: 0 0 0 1.5px #fff; }
.mark.vice { background: #fff; color: #111827; box-shadow: 0 0 0 1.5px #111827; }
.mark.in { background: #0b6e42; color: #fff; }
.mark.out { background: #b3261e; color: #fff; }
.shirt-box .mark { position: absolute; }
.shirt-box .captain, .shirt-box .vice { top: -.15rem; right: -.45rem; }
.shirt-box .in, .shirt-box .out { top: -.15rem; left: -.45rem; }
.legend li { display: flex; gap: .5rem; align-items: center; font-size: .9rem; }
.bench { background: var(--soft); border-radius: 12px; padding: .8rem .6rem; display: grid; gap: .6rem; }
.bench h3 { text-align: center; }
.bench-place { display: block; color: var(--dim); font-size: .8rem; margin-top: .15rem; }
.in-text { color: var(--good); font-weight: 600; }
.out-text { color: var(--bad); }
.results { list-style: none; padding: 0; }
.results li + li { border-top: 1px solid var(--line); }
.match-line { display: grid; grid-template-columns: minmax(0, 1fr) auto minmax(0, 1fr); gap: .7rem; align-items: center; padding: .3rem 0; font-weight: 400; font-size: 1rem; }
.match .match-line { font-weight: 600; padding: 0; }
.side { display: flex; gap: .5rem; align-items: center; min-width: 0; line-height: 1.2; }
.side bdi { overflow-wrap: anywhere; }
.side.home { justify-content: flex-end; text-align: right; }
.score { font-variant-numeric: tabular-nums; white-space: nowrap; background: var(--soft); border-radius: 8px; padding: .15rem .6rem; text-align: center; }
.score.open { font-size: .82rem; font-weight: 400; color: var(--dim); }
.score.open time { white-space: normal; display: inline-block; }
.matches { display: grid; gap: 1.1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 28rem), 1fr)); align-items: start; }
.kick-off { text-align: center; }
.events { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; font-size: .88rem; border-top: 1px solid var(--line); padding-top: .6rem; }
.event { display: grid; grid-template-columns: 1.2rem 1fr; line-height: 1.4; }
.event a { color: inherit; text-decoration-color: var(--line); }
.signs { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
.sign { font-size: .8em; line-height: 1.8; }
.sign.goal, .sign.assist { color: var(--accent); }
.sign.own, .sign.miss, .sign.red { color: var(--bad); }
.sign.yellow { color: #d9a400; }
.sign.bonus { color: var(--warn); }
.sign.save { color: var(--dim); }
@media (max-width: 34rem) {
  .shirt-box { width: 2.4rem; }
  .plate { font-size: .72rem; }
  .player-name, .player-score { padding-inline: .15rem; }
  .player-name { white-space: normal; line-height: 1.2; }
  .pitch { padding-inline: .25rem; gap: .9rem; }
  .row { gap: .2rem; }
  .match-line, .match .match-line { font-size: .85rem; gap: .4rem; }
  .side { gap: .3rem; }
}
`;
