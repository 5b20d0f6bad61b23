import { miniLeagues as plan } from '../../plan/resources/mini-leagues.ts';
import { listedEvidence } from '../evidence/pre-image.ts';
import { PLAIN, type PushStrategy } from './strategy.ts';

export const miniLeagues: PushStrategy = { ...PLAIN, listed: plan.listed, takeEvidence: listedEvidence };
