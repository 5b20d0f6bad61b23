import { ICON } from '../style.ts';
import type { SiteFile } from './frame.ts';
import { groupPages, monthsPage } from './group-pages.ts';
import { racePage } from './race.ts';
import { recapFiles } from './recap.ts';
import { squadPage } from './squad-page.ts';
import { standingsSvg } from './standings-svg.ts';
import { STYLE } from './style.ts';
import { tablePages } from './table-pages.ts';
import type { Site } from './values.ts';
import { weekPages, weeksPage } from './week-pages.ts';

/**
 * The files of a league's site, one after the other. Equal values make equal files: no time of publishing stands in them, and the pages of a week show nothing of
 * later ones.
 */
export function* siteFiles(site: Site): Generator<SiteFile> {
  yield { path: 'style.css', text: STYLE };
  yield { path: 'icon.svg', text: ICON };
  yield { path: 'robots.txt', text: 'User-agent: *\nDisallow: /\n' };
  yield* tablePages(site);
  yield weeksPage(site);
  yield racePage(site);
  yield monthsPage(site);
  yield* groupPages(site);
  yield standingsSvg(site);
  for (const week of site.weeks) {
    yield* weekPages(site, week);
    yield* recapFiles(site.title, week);
  }
  for (const squad of site.squads) yield squadPage(site, squad);
}
