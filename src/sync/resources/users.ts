import { users as plan } from '../../plan/resources/users.ts';
import { listedEvidence } from '../evidence/pre-image.ts';
import { PLAIN, type PushStrategy } from './strategy.ts';

export const users: PushStrategy = { ...PLAIN, listed: plan.listed, takeEvidence: listedEvidence };
