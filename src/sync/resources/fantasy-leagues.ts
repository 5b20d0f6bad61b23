import { isOpenIntent } from '../../plan/intent-lifecycle.ts';
import { renderCountOf } from '../../model/count.ts';
import type { StoppedError } from '../../model/error.ts';
import { quotaUsed } from '../../model/quota.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import { known } from '../../plan/known-records.ts';
import { newestWrite } from '../evidence/last-write.ts';
import { fromSnapshots, hasUnknownKeys, noMemory, withUnanswered } from '../evidence/memory.ts';
import { appliedSince, writesBeside } from '../evidence/pre-image.ts';
import { readEvidence, type Evidence } from '../../plan/reconcile/evidence.ts';
import type { Comparison, PushTask, ReadingPorts, ReadTask } from '../ports.ts';
import { readOne } from '../pulling/read.ts';
import { NO_EVIDENCE, nothing } from './look-back.ts';
import { asSpelt, oneByOne, orMissing } from './read-actual.ts';
import {
  PLAIN,
  type ComparisonAsked,
  type ActualReading,
  type LookBack,
  type PushStrategy,
} from './strategy.ts';

/** What the account counts beside what this state created. */
async function takeEvidence({ ports, account, mapping, used }: PushTask): Promise<Evidence | undefined> {
  if (used === undefined) return undefined;
  const known = await ports.store.countSnapshots(account, mapping.resource);
  return { atMs: ports.clock.now(), used, known };
}

/** The service cannot list its fantasy leagues: what this state created is all that can be known. */
async function compare(asked: ComparisonAsked): Promise<Comparison> {
  const { ports, mapping, rows, record } = asked;
  const comparison = await fromSnapshots(asked, 'compared with the fantasy leagues that this state created');
  const others = (quotaUsed(record, 'fantasy_leagues') ?? 0) - comparison.known;
  if (others > 0 && (await hasUnknownKeys(mapping, rows, comparison))) {
    const are = renderCountOf(others, 'fantasy league');
    const message = `${mapping.name}: the account has ${are} that this state did not create, and the service cannot list them: check that no row names one of these`;
    ports.emit({ kind: 'warning', message });
  }
  return withUnanswered(asked, comparison);
}

/** No list shows fantasy leagues: those that the account counts beyond what this state explains may be the ones that are to be sent. */
async function checkMemory(task: ReadTask, _rows: RunRows, used?: number): Promise<StoppedError | undefined> {
  const { ports, mapping, account } = task;
  const last = await newestWrite(task, ({ used: counted, known }) =>
    counted === undefined || known === undefined ? undefined : { others: Math.max(0, counted - known) },
  );
  if (last === undefined || used === undefined) return undefined;
  const later = await writesBeside(task, last.intent, last.evidence.atMs);
  // Of a raw call nothing but the write itself is remembered.
  const unnamed = [last.intent, ...later].filter(
    (write) => isOpenIntent(write) || (write.result === 'applied' && write.keys.length === 0),
  );
  const known = await ports.store.countSnapshots(account, mapping.resource);
  const more = used - last.found.others - known - unnamed.length;
  if (more <= 0) return undefined;
  const are = renderCountOf(more, 'fantasy league');
  return noMemory(
    `${mapping.name}: the account counts ${are} more than this state remembers, and the service cannot list them: the state file is older than the last push, or somebody else has created them`,
    (add) => `restore the newest state file, or check that no row names one of these and ${add} --adopt`,
  );
}

/** Fantasy leagues: nothing lists them. The account's counter tells at best that there is one more, and never which id it has. */
const lookBack: LookBack = async (task, open) => {
  const used = quotaUsed(await task.ports.service.account(), 'fantasy_leagues');
  const [first] = open;
  const evidence = first && readEvidence(first.intent);
  if (used === undefined || first === undefined || evidence?.used === undefined)
    return nothing('unclear', NO_EVIDENCE);
  const applied = await appliedSince(task, first.intent);
  const more = used - evidence.used - applied.length;
  if (more === 0) return nothing('unseen', { code: 'fantasy-leagues-not-counted' });
  const intents = open.map(({ intent }) => intent.id);
  return nothing(
    'unclear',
    more === open.length
      ? { code: 'fantasy-leagues-counted', intents }
      : { code: 'fantasy-leagues-more', more, open: open.length },
  );
};

function readLeagues(ports: ReadingPorts, requests: number): ActualReading {
  const read = oneByOne(ports, async (row) => {
    const { id, key, fields } = row;
    if (id === null || key === null) return { kind: 'unreadable', reason: 'its id is not known' };
    const league = await orMissing(() => readOne('get-fantasy-league', id, ports));
    if (league === undefined) return { kind: 'missing' };
    const { name, leagues } = league;
    const ids = leagues?.map((each) => each.id) ?? [];
    const wanted = fields?.league_id;
    const shown = typeof wanted === 'number' && ids.includes(wanted) ? wanted : ids[0];
    const actual = {
      ...(typeof name === 'string' && { name: name.normalize('NFC') }),
      ...(shown !== undefined && { league_id: shown }),
    };
    return { kind: 'record', record: asSpelt(row, known(key, id, null, actual), 'fantasy_leagues') };
  });
  return { requests, how: 'each fantasy league by its id', read };
}

export const fantasyLeagues: PushStrategy = {
  ...PLAIN,
  takeEvidence,
  checkMemory,
  compare,
  lookBack,
  unitOf: (key) => key,
  planActualReading: ({ ports }, { rows }) => readLeagues(ports, rows),
};
