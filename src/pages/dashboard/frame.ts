import { markup, type Markup, type Part } from '../markup.ts';
import { named } from '../parts.ts';
import { STYLE } from '../style.ts';
import type { Watch } from './words.ts';

const SECTIONS = [
  ['/', 'Overview'],
  ['/runs', 'Runs'],
  ['/budget', 'Budget'],
  ['/weeks', 'Weeks'],
  ['/alerts', 'Alerts'],
  ['/cases', 'Open cases'],
] as const;
export type Section = (typeof SECTIONS)[number][0];

/** What one page shows between the head and the foot that all pages have. */
export interface DashboardPage {
  readonly section: Section;
  readonly title: string;
  readonly body: Markup;
}

/** Where the folder and its time stand on every page. */
export interface Whose extends Watch {
  /** The folder of the configuration, as people know it. */
  readonly folder: string;
  /** What is shown of the time of the page. */
  readonly shownAt: Markup;
}

/** The style sheet of the dashboard. */
export const DASHBOARD_STYLE = `${STYLE}
.badge.warn { background: color-mix(in srgb, var(--warn-fill) 22%, var(--card)); color: var(--warn); }
.notice.warn { background: color-mix(in srgb, var(--warn-fill) 18%, var(--card)); color: var(--warn); }
.notice a { color: inherit; }
.head-row { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: baseline; }
.choices { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem; }
.choices a { display: block; padding: .25rem .7rem; border: 1px solid var(--line); border-radius: 99px; text-decoration: none; font-size: .9rem; }
.choices a[aria-current] { background: var(--accent-soft); border-color: transparent; font-weight: 600; }
.counts { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .15rem .9rem; font-variant-numeric: tabular-nums; font-size: .93rem; }
.counts .bad b { color: var(--bad); }
.counts .warn b { color: var(--warn); }
.rows { list-style: none; padding: 0; display: grid; gap: 0; }
.rows > li { border-top: 1px solid var(--line); padding: .6rem 0; display: grid; gap: .2rem; min-width: 0; overflow-wrap: anywhere; }
.rows > li:first-child { border-top: 0; }
.rows .chips li { white-space: normal; }
.said { white-space: pre-line; }
@media (max-width: 46rem) {
  .wide { display: none; }
  table:has(.below), table:has(.below) tbody { display: block; }
  table:has(.below) thead { position: absolute; clip-path: inset(50%); }
  table:has(.below) tr { display: flex; flex-wrap: wrap; gap: .2rem .9rem; align-items: center; padding: .6rem 0; }
  table:has(.below) tr + tr { border-top: 1px solid var(--line); }
  table:has(.below) td { border: 0; padding: 0; max-width: none; min-width: 0; }
  table:has(.below) td:first-child { flex: 1; }
  table:has(.below) td.below { position: relative; flex: 1 0 100%; padding-left: 8.5rem; }
  table:has(.below) td.below:empty { display: none; }
  .below::before { content: attr(data-head); position: absolute; left: 0; color: var(--dim); font-size: .88rem; }
}
`;

/** A whole document of the dashboard. */
export function dashboardDocument(
  { section, title, body }: DashboardPage,
  { folder, timezone, shownAt }: Whose,
): string {
  const items = SECTIONS.map(
    ([href, label]) =>
      markup`<li><a href="${href}"${href === section ? markup` aria-current="page"` : null}>${label}</a></li>`,
  );
  return documentOf(
    title,
    markup`<body><a class="skip" href="#main">To the content</a>
    <header class="top"><a class="brand" href="/">teamsheet</a><nav aria-label="Menu"><ul>${items}</ul></nav></header>
    <main id="main" tabindex="-1"><h1>${named(title)}</h1>${body}</main>
    <footer><p>${named(folder)}, as its state was at ${shownAt} (${timezone}). Load the page again for what is new.</p></footer></body>`,
  );
}

/** A document with nothing around what it says, such as that there is no such page. */
export function loneDocument(status: number, heading: string, ...said: readonly Part[]): string {
  return documentOf(
    heading,
    markup`<body><main id="main" class="lonely"><p class="big">${status}</p><h1>${heading}</h1>${said.filter((each) => each !== undefined).map((each) => markup`<p>${each}</p>`)}</main></body>`,
  );
}

function documentOf(title: string, body: Markup): string {
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} · teamsheet</title><link rel="stylesheet" href="/style.css"><link rel="icon" href="/icon.svg" type="image/svg+xml"></head>
${body}</html>
`.text;
}
