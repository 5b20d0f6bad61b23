import { auth, sheets } from 'googleapis/build/src/apis/sheets/index.js';
import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { FakeGoogle } from './fake-google.ts';

/** Google's own client, spoken to a fake, with a token of the given scope or with the token itself; it never tries again. */
export function googleClient(
  google: FakeGoogle,
  { scope, token = google.accessToken(scope) }: { readonly scope?: string; readonly token?: string } = {},
): sheets_v4.Sheets {
  const client = new auth.OAuth2();
  client.setCredentials({ access_token: token });
  return sheets({ version: 'v4', auth: client, rootUrl: google.rootUrl, retry: false });
}

/** What a refused call says; undefined when it was not refused. */
export async function refusalOf(call: Promise<unknown>): Promise<
  | {
      readonly code: number;
      readonly message: string;
      readonly status: string;
      readonly details?: readonly object[];
    }
  | undefined
> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const { response } = error as {
      response?: { data: { error: { code: number; message: string; status: string } } };
    };
    if (response === undefined) throw error;
    return response.data.error;
  }
}
