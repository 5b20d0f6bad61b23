import { expect, it } from 'vitest';
import { checkOrigin, rememberOrigin } from '../../../../src/runtime/config/key-origin.ts';
import { Secret } from '../../../../src/model/secret.ts';

function memory() {
  const origins = new Map<string, string>();
  return {
    origins,
    keyOrigin: (digest: string) => Promise.resolve(origins.get(digest)),
    setKeyOrigin: (digest: string, origin: string) => {
      origins.set(digest, origin);
      return Promise.resolve();
    },
  };
}

const use = (baseUrl: string, key = 'key-1') => ({ baseUrl, apiKey: new Secret(key) });

it('lets a key go where it went before, whatever the path', async () => {
  const store = memory();
  await checkOrigin(use('https://one.example/a'), store, false);
  await rememberOrigin(use('https://one.example/a'), store);
  await expect(checkOrigin(use('https://one.example/b'), store, false)).resolves.toBeUndefined();
});

it('stops a key that would go elsewhere, until that is trusted', async () => {
  const store = memory();
  await rememberOrigin(use('https://one.example'), store);
  await expect(checkOrigin(use('https://two.example'), store, false)).rejects.toMatchObject({
    code: 'origin.changed',
    exitCode: 6,
    next: expect.stringContaining('--trust-origin') as string,
  });
  await expect(checkOrigin(use('https://two.example', 'key-2'), store, false)).resolves.toBeUndefined();
  await expect(checkOrigin(use('https://two.example'), store, true)).resolves.toBeUndefined();
  await rememberOrigin(use('https://two.example'), store);
  await expect(checkOrigin(use('https://one.example'), store, false)).rejects.toThrow('https://two.example');
});

it('exempts this machine, and keeps nothing of the key but a digest', async () => {
  const store = memory();
  await rememberOrigin(use('https://one.example'), store);
  await expect(checkOrigin(use('http://127.0.0.1:8787'), store, false)).resolves.toBeUndefined();
  await rememberOrigin(use('http://127.0.0.1:8787'), store);
  expect([...store.origins.values()]).toEqual(['https://one.example']);
  expect(JSON.stringify([...store.origins])).not.toContain('key-1');
});
