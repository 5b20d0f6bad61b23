import { squads as plan } from '../../plan/resources/squads.ts';
import { listedEvidence } from '../evidence/pre-image.ts';
import { PLAIN, type PushStrategy } from './strategy.ts';

export const squads: PushStrategy = { ...PLAIN, listed: plan.listed, takeEvidence: listedEvidence };
