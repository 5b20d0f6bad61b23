import { accountRecord } from '../contract/resources/account.ts';
import type { Report } from './report.ts';
import { recordReport } from './report.ts';

/** The account: tier, both rate windows, pricing and feature quotas, in one row (section 2.1). */
export const account = (): Report => recordReport(accountRecord);
