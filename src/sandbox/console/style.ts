import { hash } from 'node:crypto';
import { STYLE as SHARED_STYLE } from '../../pages/style.ts';
import { REQUESTS_STYLE } from './style-requests.ts';

/** The bar of the operator, and the season on its overview. */
const OWN_STYLE = `
.accounts { border: 1px solid var(--line); border-radius: 10px; padding: .1rem; }
.season { grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); align-items: center; gap: 1rem 2rem; }
.season-clock p:last-child { color: var(--accent); font-weight: 600; }
.season-clock .big { font-size: 2.3rem; }
.season-clock h2 { color: var(--dim); font-weight: 500; font-size: 1rem; }
.season-weeks { grid-column: span 2; display: grid; gap: .5rem; min-width: 0; }
.weeks-bar { width: 100%; height: auto; display: block; }
.weeks-bar .played { fill: var(--accent); }
.weeks-bar .now { fill: var(--warn-fill); }
.weeks-bar .open { fill: var(--line); }
@media (max-width: 46rem) { .season-weeks { grid-column: auto; } }
.operator { font-size: .93rem; border: 1px dashed var(--line); border-radius: 12px; padding: .45rem .9rem; }
.operator summary { cursor: pointer; color: var(--dim); }
.operator[open] { padding-bottom: .9rem; }
.operator[open] form { margin: .6rem 0 .4rem; }
.operator.signed { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; border-style: solid; background: var(--card); padding: .7rem .9rem; }
.operator.signed form:last-child { margin-left: auto; }
.operator.signed input { width: 5rem; }
.operator.signed form { flex-wrap: nowrap; }
.operator label { display: flex; white-space: nowrap; align-items: center; gap: .5rem; }
.weeks { align-items: center; }
@media (max-width: 34rem) { .operator.signed form:last-child { margin-left: 0; } }
@media print { .operator { display: none; } }
`;

/** The style sheet of the console. */
export const STYLE = SHARED_STYLE + OWN_STYLE + REQUESTS_STYLE;

/** Its address, which changes with it, so that browsers may keep it. */
export const STYLE_PATH = `/console/style-${hash('sha256', STYLE).slice(0, 12)}.css`;
