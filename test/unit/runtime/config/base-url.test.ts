import { describe, expect, it } from 'vitest';
import { isLoopback, parseBaseUrl } from '../../../../src/runtime/config/base-url.ts';
import { ConfigError } from '../../../../src/model/error.ts';

describe('parseBaseUrl', () => {
  it.each([
    ['https://service.example', 'https://service.example'],
    ['https://service.example/', 'https://service.example'],
    ['https://service.example/a/b/', 'https://service.example/a/b'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
    ['http://localhost:8787/x', 'http://localhost:8787/x'],
    ['http://[::1]:1', 'http://[::1]:1'],
  ])('takes %s', (text, expected) => {
    expect(parseBaseUrl(text)).toBe(expected);
  });

  it.each([
    ['', 'base_url.invalid'],
    ['service.example', 'base_url.invalid'],
    ['http://service.example', 'base_url.insecure'],
    ['ftp://service.example', 'base_url.insecure'],
    ['http://127.0.0.1.evil.example', 'base_url.insecure'],
    ['https://user:secret@service.example', 'base_url.user'],
    ['https://service.example?key=secret', 'base_url.query'],
    ['https://service.example#secret', 'base_url.query'],
    ['https://service.example/v1', 'base_url.version'],
    ['https://service.example/a/V1/', 'base_url.version'],
  ])('refuses %s with %s', (text, code) => {
    const refused = (): string => parseBaseUrl(text, { file: 'teamsheet.yaml', line: 4, column: 15 });
    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(
      expect.objectContaining({ code, place: { file: 'teamsheet.yaml', line: 4, column: 15 } }),
    );
    expect(refused).not.toThrow(/secret/);
  });

  it.each([
    ['127.0.0.1:8787', 'http:// is missing; write http://127.0.0.1:8787'],
    ['localhost:8787/x', 'http:// is missing; write http://localhost:8787/x'],
    ['[::1]:1', 'http:// is missing; write http://[::1]:1'],
    ['service.example', 'https:// is missing; write https://service.example'],
    ['service.example:8443/a', 'https:// is missing; write https://service.example:8443/a'],
    ['not an address', 'not an address; write it like https://service.example/path'],
    ['mailto:a@service.example', 'must begin with https://'],
    ['ann:secret@service.example', 'must begin with https://'],
    ['https://service.example/v1', 'leave /v1 out'],
  ])('says what is wrong with %s', (text, said) => {
    expect(() => parseBaseUrl(text)).toThrow(said);
  });
});

it('knows the addresses of this machine', () => {
  expect(['localhost', '127.0.0.1', '127.9.9.9', '[::1]'].every(isLoopback)).toBe(true);
  expect(['10.0.0.1', 'localhost.example', '128.0.0.1', '[::2]'].some(isLoopback)).toBe(false);
});
