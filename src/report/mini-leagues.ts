import { miniLeagueRecord } from '../contract/resources/mini-leagues.ts';
import type { Report } from './report.ts';
import { recordReport } from './report.ts';

/** One row a mini league (section 2.4). */
export const miniLeagues = (): Report => recordReport(miniLeagueRecord);
