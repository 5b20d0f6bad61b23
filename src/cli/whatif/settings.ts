import { resolve } from 'node:path';
import { pushTarget } from '../../contract/index.ts';
import { shownText } from '../../model/tables/cell.ts';
import { ConfigError, UsageError } from '../../model/error.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { TableKind } from '../../model/tables/table.ts';
import { settingKind, type Settings } from '../../rules/points.ts';

const { fantasy_league_id: LEAGUE, ...FIELDS } = pushTarget('points_config')?.fields ?? {};

const plain = (text: string): string => text.trim().toLowerCase().replaceAll('_', ' ');
/** Settings by their own name and by their label, as tables write them. */
const BY_WORD = new Map(
  Object.entries(FIELDS).flatMap(([name, { label }]) => [
    [plain(name), name],
    [plain(label), name],
  ]),
);
/** What tables of settings call their league, which is no setting. */
const OF_LEAGUE = new Set(['fantasy league id', plain(LEAGUE?.label ?? '')]);

/** The settings of `--set name=value`. Errors: UsageError `usage.setting`. */
export function readPairs(pairs: Readonly<Record<string, string>>): Settings {
  return Object.fromEntries(
    Object.entries(pairs).map(([written, text]) => {
      const name = BY_WORD.get(plain(written));
      if (name === undefined) {
        const near = didYouMean(written, Object.keys(FIELDS));
        throw new UsageError('usage.setting', `no setting of points is called "${written}"${near}`);
      }
      return [name, numberOf(name, text, (problem) => new UsageError('usage.setting', problem))];
    }),
  );
}

/** The settings of a CSV table: a setting and its value in each row, or one row with a column for each. Errors: ConfigError `whatif.table`, `source.*`. */
export async function readTable(path: string, cwd: string, csv: TableKind): Promise<Settings> {
  const location = { kind: 'csv', path: resolve(cwd, path) } as const;
  const source = { origin: path, headerRow: 1, delimiter: 'auto', encoding: 'auto' };
  const table = await csv.open(location, source);
  try {
    const rows: (readonly string[])[] = [];
    for await (const batch of table.batches()) rows.push(...batch.map(({ cells }) => cells.map(shownText)));
    const refused = (problem: string): ConfigError =>
      new ConfigError('whatif.table', `${path}: ${problem}`, { file: path });
    const found = settingsIn(table.header, rows, refused);
    if (found.length > 0)
      return Object.fromEntries(found.map(([name, text]) => [name, numberOf(name, text, refused)]));
  } finally {
    await table.close();
  }
  throw new ConfigError('whatif.table', `${path} names no setting of points`, {
    file: path,
    next: 'write a setting and its value in each row, as in points-config.csv',
  });
}

function settingsIn(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  refused: (problem: string) => Error,
): readonly (readonly [name: string, text: string])[] {
  const filled = ([, text]: readonly [string, string]): boolean => text.trim() !== '';
  const isNumber = (cell = ''): boolean => /^\s*[-+]?\d/.test(cell);
  const noSetting = (word: string): Error =>
    refused(`no setting of points is called "${word}"${didYouMean(word, Object.keys(FIELDS))}`);
  const across = header.map((word) => BY_WORD.get(plain(word)));
  if (across.some((name) => name !== undefined)) {
    const isFilled = (cells: readonly string[]): boolean =>
      across.some((name, at) => name !== undefined && (cells[at] ?? '').trim() !== '');
    const [values = [], another] = rows.filter(isFilled);
    if (another !== undefined) throw refused('two rows have settings; leave the one to preview');
    return across
      .flatMap((name, at): (readonly [string, string])[] => {
        const word = header[at] ?? '';
        if (name === undefined && isNumber(values[at]) && !OF_LEAGUE.has(plain(word))) throw noSetting(word);
        return name === undefined ? [] : [[name, values[at] ?? '']];
      })
      .filter(filled);
  }
  const named = rows.flatMap((cells): (readonly [name: string, cells: readonly string[], at: number])[] => {
    const at = cells.findIndex((cell) => BY_WORD.has(plain(cell)));
    const name = BY_WORD.get(plain(cells[at] ?? ''));
    return name === undefined ? [] : [[name, cells, at]];
  });
  const [, , nameAt = 0] = named[0] ?? [];
  const values = named.map(([, cells, at]) => cells.findIndex((cell, index) => index > at && isNumber(cell)));
  // What stands where other settings have their values is no note.
  const valueAt = values.find((at) => at !== -1) ?? nameAt + 1;
  const unknown = rows.find(
    (cells) =>
      isNumber(cells[valueAt]) &&
      !cells.some((cell) => BY_WORD.has(plain(cell))) &&
      !OF_LEAGUE.has(plain(cells[nameAt] ?? '')),
  );
  if (named.length > 0 && unknown !== undefined) throw noSetting(unknown[nameAt] ?? '');
  return named
    .map(([name, cells], at): readonly [string, string] => {
      const own = values[at] ?? -1;
      return [name, cells[own === -1 ? valueAt : own] ?? ''];
    })
    .filter(filled);
}

/** A value as the interface allows it. */
function numberOf(name: string, text: string, problem: (message: string) => Error): number {
  const value = Number(text.trim());
  if (text.trim() !== '' && FIELDS[name]?.schema.safeParse(value).success === true) return value;
  throw problem(`"${text}" is no value of ${name}`);
}

/** Settings that are changed and that nothing the service shows counts. Errors: UsageError `whatif.unseen`. */
export function refuseUnseen(over: Settings, inForce: Settings): void {
  const unseen = Object.keys(over).filter(
    (name) => settingKind(name) === 'unseen' && over[name] !== inForce[name],
  );
  if (unseen.length === 0) return;
  throw new UsageError(
    'whatif.unseen',
    `no field of the service counts what ${unseen.join(', ')} ${unseen.length === 1 ? 'is' : 'are'} for, so nobody can say what another value would make`,
    { next: 'leave it out' },
  );
}
