import { afterAll, beforeAll, expect } from 'vitest';
import { startFakeGoogle, type FakeGoogle } from './fake-google.ts';

/** One fake for all tests of a file; none of their calls may be one that Google does not describe. */
export function googleOfFile(): FakeGoogle {
  let google: FakeGoogle;
  beforeAll(async () => {
    google = await startFakeGoogle();
  });
  afterAll(async () => {
    expect(google.problems).toEqual([]);
    await google.close();
  });
  return new Proxy({} as FakeGoogle, { get: (_, name): unknown => Reflect.get(google, name) });
}
