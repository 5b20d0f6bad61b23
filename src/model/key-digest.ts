import { hash } from 'node:crypto';
import type { Secret } from './secret.ts';

/** What is kept of a key, to know it again: SHA-256, in hexadecimal digits. */
export const keyDigest = (apiKey: Secret): string => hash('sha256', apiKey.reveal());
