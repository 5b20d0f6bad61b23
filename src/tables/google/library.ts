/** The Sheets part of googleapis, loaded when it is first needed: the whole package costs a second, and most runs read no spreadsheet. */
export const loadLibrary = () => import('./googleapis.ts');
export type Library = Awaited<ReturnType<typeof loadLibrary>>;
export type OAuthClient = InstanceType<Library['auth']['OAuth2']>;
/** What adds a token to requests: ours, or whatever the library finds on a machine. */
export type AuthClient = OAuthClient | Awaited<ReturnType<Library['auth']['getClient']>>;
