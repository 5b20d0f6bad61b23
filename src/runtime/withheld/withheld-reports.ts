import type { ReportTab, ReportValue } from '../../model/tables/table.ts';
import type { SyncPorts } from '../../sync/ports.ts';

type Tables = SyncPorts['tables'];
type Rows = AsyncIterable<readonly (readonly ReportValue[])[]>;

/** The same tables; every text of a report passes through `withhold` before it is written. */
export function withheldReports(tables: Tables, withhold: (text: string) => string): Tables {
  const rowsOf = async function* (rows: Rows): Rows {
    for await (const batch of rows)
      yield batch.map((row) => row.map((cell) => (typeof cell === 'string' ? withhold(cell) : cell)));
  };
  const tabOf = ({ table, ...tab }: ReportTab): ReportTab => ({
    ...tab,
    table: { ...table, rows: rowsOf(table.rows) },
  });
  const kindOf = <Kind extends Tables[keyof Tables]>(kind: Kind): Kind => ({
    ...kind,
    write: (tabs: readonly ReportTab[]) => kind.write(tabs.map(tabOf)),
  });
  return { csv: kindOf(tables.csv), xlsx: kindOf(tables.xlsx), sheet: kindOf(tables.sheet) };
}
