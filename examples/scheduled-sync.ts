/**
 * Pushes and pulls every mapping of teamsheet.yaml now and every hour, until a signal. A plan that a guard stops is left to a person.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTeamsheet, TeamsheetError } from 'teamsheet';
import type { Teamsheet } from 'teamsheet';

const HOUR_MS = 3_600_000;
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const { signal } = stop;

async function sync(sheet: Teamsheet): Promise<void> {
  // What the last round left, such as rows that the budget had no room for.
  await sheet.resume({ signal, approve: () => true });
  const pushed = await sheet.push({ signal, approve: () => true });
  const pulled = await sheet.pull({ signal });
  console.log(`${new Date().toISOString()} push ${pushed.report.exit_code}, pull ${pulled.report.exit_code}`);
}

await using sheet = await createTeamsheet();
while (!signal.aborted) {
  try {
    await sync(sheet);
  } catch (error) {
    if (!(error instanceof TeamsheetError)) throw error;
    console.error(
      `${error.code}: ${error.message}${error.next === undefined ? '' : ` (next: ${error.next})`}`,
    );
  }
  await sleep(HOUR_MS, undefined, { signal }).catch(() => undefined);
}
