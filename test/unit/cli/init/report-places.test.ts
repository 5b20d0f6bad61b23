import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { REPORT_KINDS } from '../../../../src/cli/init/report-places.ts';

it('offers every report that is shipped', () => {
  const texts = globSync(['mappings/*.yaml', 'templates/tabs/*.yaml']).map((file) =>
    readFileSync(file, 'utf8'),
  );
  const kinds = texts.flatMap((text) =>
    [...text.matchAll(/^ *name: (.+)-(?:report|workbook|tab)$/gm)].map(([, kind]) => kind),
  );
  expect(kinds.length).toBeGreaterThan(10);
  expect(kinds.filter((kind = '') => !REPORT_KINDS.includes(kind))).toEqual([]);
});
