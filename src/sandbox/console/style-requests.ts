/** Requests: those that came, and examples of those that may. */
export const REQUESTS_STYLE = `
.requests { list-style: none; padding: 0; }
.requests > li { border-top: 1px solid var(--line); }
.requests > li:first-child { border-top: 0; }
.requests summary { display: flex; flex-wrap: wrap; gap: .15rem .6rem; align-items: baseline; padding: .45rem 0; color: var(--text); font-weight: 400; }
.requests summary::before { content: "▸"; color: var(--dim); flex: none; }
.requests details[open] > summary::before { content: "▾"; }
.requests details[open] > summary { margin-bottom: 0; }
.requests ol { gap: .9rem; padding: .2rem 0 1rem 1.2rem; }
.requests ol > li { display: grid; gap: .25rem; grid-template-columns: minmax(0, 1fr); }
@media (max-width: 34rem) { .requests .operation { display: none; } }
.operations ul { display: block; columns: 3 14rem; line-height: 1.9; }
section[id] { scroll-margin-top: 1rem; }
.method { font-weight: 700; font-size: .85em; min-width: 3.2em; }
.times { font-variant-numeric: tabular-nums; }
.ms { margin-left: auto; font-variant-numeric: tabular-nums; }
pre { margin: 0; padding: .6rem .8rem; background: var(--soft); border-radius: 8px; font: .82rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 22rem; overflow-y: auto; }
`;
