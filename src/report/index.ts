import { reportRecord, type ResourceName } from '../contract/index.ts';
import type { RowAsked } from '../contract/resource.ts';
import { fixtures } from './fixtures.ts';
import { lineups } from './lineups.ts';
import { players } from './players.ts';
import { recordReport, type Report } from './report.ts';

/** The reports whose rows are not records. */
const ownReports: ReadonlyMap<ResourceName, (asked: RowAsked) => Report> = new Map([
  ['lineups', lineups],
  ['players', players],
  ['fixtures', fixtures],
]);

/** The report of a resource that can be pulled: one row a record with its scalar leaves as columns, where it has no file of its own. */
export function reportOf(resource: ResourceName, asked: RowAsked): Report {
  return ownReports.get(resource)?.(asked) ?? recordReport(reportRecord(resource, asked));
}
