import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/runtime/config/config.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

const seasonOf = (season: string) => {
  folder.write('teamsheet.yaml', `version: 1\n${season}`);
  return readConfig({ var: {} }, { cwd: folder.path, env: {} }).season;
};
const DAY_MS = 24 * 60 * 60 * 1000;

describe('season in teamsheet.yaml', () => {
  it('keeps everything for good where it is left out', () => {
    expect(seasonOf('')).toEqual({ keep: true });
    expect(seasonOf('season: {}\n')).toEqual({ keep: true });
  });

  it('takes keep and forget_after', () => {
    expect(seasonOf('season: { keep: false, forget_after: 30d }\n')).toMatchObject({
      keep: false,
      forget_after: 30 * DAY_MS,
    });
    expect((seasonOf('season: { forget_after: 2y }\n').forget_after ?? 0) / DAY_MS).toBeCloseTo(730, -1);
  });

  it.each([
    ['season: { keep: maybe }', 'season.keep'],
    ['season: { forget_after: soon }', 'season.forget_after'],
    ['season: { kept: true }', 'kept'],
    ['season: { groups: { csv: groups.csv } }', 'season.groups'],
  ])('is refused where it cannot be meant: %s', (yaml, place) => {
    expect(() => seasonOf(`${yaml}\n`)).toThrow(place);
  });
});
