import { squadListRecord, squadRecord } from '../contract/resources/squads.ts';
import type { Report, ReportOptions } from './report.ts';
import { recordReport } from './report.ts';

/** One row a squad: the list element, or with `detail` the squad with rank and finance (section 2.5). */
export const squads = ({ detail }: ReportOptions): Report =>
  recordReport(detail ? squadRecord : squadListRecord);
