/** The sections of the guide that errors lead to, by what they are about. */
const SECTIONS = {
  api: 'enable-the-google-sheets-api',
  key: 'with-a-service-account',
  login: 'with-your-own-account',
  ambient: 'with-credentials-of-the-machine',
  share: 'share-the-spreadsheet',
  id: 'name-the-spreadsheet-and-its-tabs',
  limits: 'limits-and-quotas',
  network: 'when-google-does-not-answer',
} as const;
export type Step = keyof typeof SECTIONS;

/** `docs/connect-google-sheets.md#share-the-spreadsheet`: where the guide says how to correct it. */
export function stepLink(step: Step): string {
  return `docs/connect-google-sheets.md#${SECTIONS[step]}`;
}
