import { markup, type Markup, type Part } from '../markup.ts';
import { named } from '../parts.ts';
import type { Site, SquadName } from './values.ts';

/** A file of the site: its path below the folder, with slashes, and its text. */
export interface SiteFile {
  readonly path: string;
  readonly text: string;
}

const SECTIONS = [
  ['index.html', 'Table'],
  ['weeks.html', 'Weeks'],
  ['race.html', 'Race'],
  ['groups.html', 'Groups'],
  ['months.html', 'Months'],
] as const;
export type Section = (typeof SECTIONS)[number][0];

/** What one page shows between the head and the foot that all pages have. */
export interface SitePage {
  readonly path: string;
  readonly section: Section | undefined;
  readonly title: string;
  readonly body: Markup;
}

/** The way from the folder of a page to the folder of the site: `../` for each step. */
export const rootOf = (path: string): string => '../'.repeat(path.split('/').length - 1);

/** A whole document. Every link is relative, nothing is fetched from elsewhere, and search engines are told to leave it out. */
export function sitePage(
  { title: league, groups }: Pick<Site, 'title' | 'groups'>,
  { path, section, title, body }: SitePage,
): SiteFile {
  const root = rootOf(path);
  const items = SECTIONS.filter(([target]) => target !== 'groups.html' || groups.length > 0).map(
    ([target, label]) =>
      markup`<li><a href="${root}${target}"${target === section ? markup` aria-current="page"` : null}>${label}</a></li>`,
  );
  const whole = title === league ? title : `${title} · ${league}`;
  const { text } = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex, nofollow"><meta name="referrer" content="no-referrer"><title>${whole}</title><link rel="stylesheet" href="${root}style.css"><link rel="icon" href="${root}icon.svg" type="image/svg+xml"></head>
<body><a class="skip" href="#main">To the content</a>
<header class="top"><a class="brand" href="${root}index.html">${named(league)}</a><nav aria-label="Pages of the site"><ul>${items}</ul></nav></header>
<main id="main" tabindex="-1"><h1>${named(title)}</h1>${body}</main>
</body></html>
`;
  return { path, text };
}

/** The page of a squad. */
export const squadPath = ({ number }: Pick<SquadName, 'number'>): string => `squads/${number}.html`;

/** The page of a week. */
export const weekPath = (week: number): string => `weeks/week-${week}.html`;

/** A squad's name, which leads to its page, and its member where names are displayed. */
export function squadLink(squad: SquadName, root: string): Markup {
  const member: Part =
    squad.member !== undefined && markup` <span class="member">${named(squad.member)}</span>`;
  return markup`<a href="${root}${squadPath(squad)}">${named(squad.name)}</a>${member}`;
}
