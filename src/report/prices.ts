import { priceRecord } from '../contract/resources/prices.ts';
import type { Report } from './report.ts';
import { recordReport } from './report.ts';

/** The price upload log, one row a record; it does not hold the price (section 2.10). */
export const prices = (): Report => recordReport(priceRecord);
