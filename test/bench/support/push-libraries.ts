/**
 * What people would write instead of a push: every row is checked by zod and posted in batches, four requests at a time, each again when it fails. It
 * remembers nothing, so that a lost answer makes its users twice, and the next run makes all of them again.
 */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import * as z from 'zod';

const [file = '', baseUrl = '', size = '1000'] = process.argv.slice(2);
const IN_FLIGHT = 4;

const userRow = z.object({
  Member: z.string().trim().min(1).max(255),
  Name: z.string().trim().min(1).max(50),
  Active: z.stringbool(),
});
const created = z.object({
  statusCode: z.literal(201),
  data: z.array(z.object({ id: z.uuid(), external_id: z.string() })),
});

async function post(rows: readonly z.infer<typeof userRow>[]): Promise<void> {
  const users = rows.map(({ Member, Name }) => ({ external_id: Member, display_name: Name }));
  const response = await fetch(`${baseUrl}/v1/user`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'bench' },
    body: JSON.stringify({ users }),
  });
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  const { data } = created.parse(await response.json());
  if (data.length !== rows.length) throw new Error(`${data.length} of ${rows.length} users came`);
}

const limit = pLimit(IN_FLIGHT);
const running = new Set<Promise<void>>();
async function queue(rows: readonly z.infer<typeof userRow>[]): Promise<void> {
  const sent = limit(() => pRetry(() => post(rows), { retries: 3 }));
  running.add(sent);
  void sent.then(() => running.delete(sent));
  if (limit.pendingCount >= IN_FLIGHT) await Promise.race(running);
}

let batch: z.infer<typeof userRow>[] = [];
for await (const row of createReadStream(file).pipe(parse({ columns: true }))) {
  batch.push(userRow.parse(row));
  if (batch.length < Number(size)) continue;
  await queue(batch);
  batch = [];
}
if (batch.length > 0) await queue(batch);
await Promise.all(running);
