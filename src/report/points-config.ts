import { pointsConfigRecord } from '../contract/resources/points-config.ts';
import type { Report } from './report.ts';
import { recordReport } from './report.ts';

/** The points configuration of a fantasy league in one row (section 2.9). */
export const pointsConfig = (): Report => recordReport(pointsConfigRecord);
