import type { Notice } from './guard.ts';
import { markup, type Markup } from '../../pages/markup.ts';
import { STYLE_PATH } from './style.ts';
import { link, type Page, type Visit } from './visit.ts';

const SECTIONS = [
  ['', 'Overview'],
  ['leagues', 'Leagues'],
  ['users', 'Users'],
  ['squads', 'Squads'],
  ['fixtures', 'Fixtures'],
  ['players', 'Players'],
  ['mini-leagues', 'Mini leagues'],
  ['prices', 'Prices'],
  ['substitutions', 'Substitutions'],
  ['activity', 'Activity'],
] as const;

interface Frame {
  readonly visit: Visit;
  /** The part of the console that the page belongs to. */
  readonly section: string;
  readonly notice: Notice | undefined;
}

/** A whole document. */
export function frame({ title, body }: Page, { visit, section, notice }: Frame): string {
  const item = (href: string, label: string, isHere: boolean): Markup =>
    markup`<li><a href="${href}"${isHere ? markup` aria-current="page"` : null}>${label}</a></li>`;
  const items = [
    ...SECTIONS.map(([path, label]) => item(link(visit, path), label, path === section)),
    item('/docs', 'Operations', section === 'docs'),
  ];
  const told =
    notice === undefined
      ? null
      : markup`<p class="notice ${notice.isGood ? 'good' : 'bad'}" role="status">${notice.text}</p>`;
  const content = markup`<body><a class="skip" href="#main">To the content</a>
    <header class="top"><a class="brand" href="/">teamsheet <span>sandbox</span></a>${accountLinks(visit)}<nav aria-label="Menu"><ul>${items}</ul></nav></header>
    <main id="main" tabindex="-1">${told}${operatorBar(visit)}<h1><bdi>${title}</bdi></h1>${body}</main>
    <footer><p>A fictional season on this machine. <a href="/openapi.json">OpenAPI</a></p></footer></body>`;
  return bare(title, content);
}

/** A document with nothing around what it says. */
export function bare(title: string, body: Markup): string {
  return markup`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} · teamsheet sandbox</title><link rel="stylesheet" href="${STYLE_PATH}"><link rel="icon" href="/console/icon.svg" type="image/svg+xml"></head>${body}</html>`
    .text;
}

function accountLinks(visit: Visit): Markup | null {
  if (visit.accounts === 1) return null;
  const links = Array.from({ length: visit.accounts }, (_, index) => index + 1).map(
    (account) =>
      markup`<li><a href="${link({ account }, '')}"${account === visit.account ? markup` aria-current="true"` : null}>Account ${account}</a></li>`,
  );
  return markup`<nav class="accounts" aria-label="Accounts"><ul>${links}</ul></nav>`;
}

/** What the operator may do on every page, or where to sign in. */
function operatorBar(visit: Visit): Markup {
  if (!visit.isOperator) {
    return markup`<details class="operator"><summary>Read-only. Sign in to play weeks and move the clock</summary>
      <form method="post" action="/console/session"><label>Control key <input type="password" name="key" required autocomplete="off" spellcheck="false"></label><button class="main">Sign in</button></form>
      <p class="note">The key stands as <code>control_key</code> in the line that <code>teamsheet sandbox</code> prints.</p></details>`;
  }
  return markup`<div class="operator signed" role="group" aria-label="Operator's controls">
    <form method="post" action="${link(visit, 'play-next-week')}"><button class="main">Play next game week</button></form>
    <form method="post" action="${link(visit, 'clock')}"><label>Advance by <input name="advance" value="1d" size="5" required pattern="[0-9]{1,12}(ms|s|m|h|d)" title="a number with ms, s, m, h or d" spellcheck="false"></label><button>Advance clock</button></form>
    <a class="button" href="${link(visit, 'reset')}">Reset…</a>
    <form method="post" action="/console/session/end"><button class="quiet">Sign out</button></form></div>`;
}

/** The page that asks before everything is made new. */
export function resetPage(visit: Visit): Page {
  return {
    title: 'Reset the sandbox?',
    body: markup`<section class="card danger"><p>All users, squads, leagues, prices and effects of account ${visit.account} go, and the season begins again where its seed
      begins. Keys and settings stay. This cannot be undone.</p>
      <div class="actions"><form method="post" action="${link(visit, 'reset')}"><button class="danger">Reset everything</button></form><a class="button" href="${link(visit, '')}">Keep it</a></div></section>`,
  };
}
