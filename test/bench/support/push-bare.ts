/** The yardstick of a push: csv-parse, and a POST of 1,000 rows after the other. Nothing is checked, nothing is remembered. */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

const [file = '', baseUrl = '', size = '1000'] = process.argv.slice(2);

interface Row {
  readonly Member: string;
  readonly Name: string;
}

async function post(rows: readonly Row[]): Promise<void> {
  const users = rows.map(({ Member, Name }) => ({ external_id: Member, display_name: Name }));
  const response = await fetch(`${baseUrl}/v1/user`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'bench' },
    body: JSON.stringify({ users }),
  });
  await response.text();
}

let batch: Row[] = [];
for await (const row of createReadStream(file).pipe(parse({ columns: true }))) {
  batch.push(row as Row);
  if (batch.length < Number(size)) continue;
  await post(batch);
  batch = [];
}
if (batch.length > 0) await post(batch);
