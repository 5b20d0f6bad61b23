import { describe, expect, it } from 'vitest';
import { cellPlaces } from '../../../src/serve/cell-places.ts';

type Kept = Parameters<typeof cellPlaces>[1];
type TableLocation = NonNullable<Kept['mapping']>['source']['location'];

const header = Array.from({ length: 30 }, (_, index) => `H${index}`);
const keptIn = (location: TableLocation): Kept => ({
  // Only the source of a mapping is looked at.
  mapping: { source: { location, origin: location.kind === 'sheet' ? 'Users' : 'users.csv' } } as NonNullable<
    Kept['mapping']
  >,
  header,
});
const storeWith = (gid: string | undefined) => ({
  fact: () => Promise.resolve(gid === undefined ? undefined : { value: gid, atMs: 1 }),
});

describe('the places of a row', () => {
  it.each([
    [['H1'], ['B17']],
    [
      ['H0', 'H25', 'H26', 'H0'],
      ['A17', 'Z17', 'AA17'],
    ],
    [['gone'], ['row 17']],
    [[], ['row 17']],
  ])('in a file, of the columns %j, are %j', async (columns, cells) => {
    const places = await cellPlaces(
      storeWith(undefined),
      keptIn({ kind: 'csv', path: '/x/users.csv' }),
      17,
      columns,
    );
    expect(places).toEqual(cells.map((cell) => ({ text: `users.csv ${cell}`, href: undefined })));
  });

  it.each([
    ['77', ['H1'], '#gid=77&range=B17'],
    ['77', [], '#gid=77&range=17:17'],
    [undefined, ['H1'], ''],
  ])('in a Google sheet whose tab is %s are a link', async (gid, columns, end) => {
    const kept = keptIn({ kind: 'sheet', spreadsheet: 'a/b"<c', tab: 'Users' });
    const [place] = await cellPlaces(storeWith(gid), kept, 17, columns);
    expect(place?.href).toBe(`https://docs.google.com/spreadsheets/d/a%2Fb%22%3Cc/edit${end}`);
  });

  it('of a table that is not known are none', async () => {
    expect(await cellPlaces(storeWith('7'), { mapping: undefined, header: [] }, 17, ['H1'])).toEqual([]);
  });
});
