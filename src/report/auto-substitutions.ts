import { autoSubstitutionRecord } from '../contract/resources/auto-substitutions.ts';
import type { Report } from './report.ts';
import { recordReport } from './report.ts';

/** The log of automatic substitutions, one row a record (section 2.11). */
export const autoSubstitutions = (): Report => recordReport(autoSubstitutionRecord);
