import { fantasyLeagueRecord } from '../contract/resources/fantasy-leagues.ts';
import type { Report } from './report.ts';
import { recordReport } from './report.ts';

/** A fantasy league in one row, with its current and next game week (section 2.3). */
export const fantasyLeagues = (): Report => recordReport(fantasyLeagueRecord);
