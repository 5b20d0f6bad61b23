import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/model/error.ts';
import { completeSettings, parseSetting } from '../../../src/sandbox/settings.ts';

function failure(text: string): UsageError {
  try {
    parseSetting(text);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

describe('--set switch=value', () => {
  it.each([
    ['per_minute=10', { per_minute: 10 }],
    ['window_seconds=2', { window_seconds: 2 }],
    ['page_size=100', { page_size: 100 }],
    ['quota_users=0', { quota_users: 0 }],
    ['max_batch=0', { max_batch: 0 }],
  ])('%s', (text, expected) => {
    expect(parseSetting(text)).toEqual(expected);
  });

  it.each([
    ['per_minut=10', 'per_minute'],
    ['pagesize=10', 'page_size'],
    ['latency=5', 'latency_ms'],
    ['quota_user=5', 'quota_users'],
    ['constructor=1', 'did you mean'],
    ['per_minute', 'per_minute=600'],
  ])('%s is refused, naming %s', (text, near) => {
    const error = failure(text);
    expect([error.code, error.exitCode]).toEqual(['sandbox.setting', 64]);
    expect(error.next).toContain(near);
  });

  it.each([
    'page_size=0',
    'window_seconds=0',
    'per_day=-1',
    'per_day=1.5',
    'per_day=',
    'per_day=1e3',
    'per_day=99999999999',
  ])('%s is refused', (text) => {
    expect(failure(text).message).toContain('takes a whole number from');
  });

  it('settings of a program are held to the same names, and what is undefined is not given', () => {
    const unknown = (): unknown => completeSettings({ pagesize: 10 } as object);
    expect(unknown).toThrow(expect.objectContaining({ code: 'sandbox.setting', exitCode: 64 }) as Error);
    const unset = { page_size: undefined } as unknown as Parameters<typeof completeSettings>[0];
    expect(completeSettings(unset).page_size).toBe(50);
  });
});
