import { userRecord } from '../contract/resources/users.ts';
import type { Report } from './report.ts';
import { recordReport } from './report.ts';

/** One row a user (section 2.2). */
export const users = (): Report => recordReport(userRecord);
