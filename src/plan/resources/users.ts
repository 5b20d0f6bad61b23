import type { BodyOf, RecordOf } from '../../contract/index.ts';
import { userRecord, type User } from '../../contract/resources/users.ts';
import type { KnownRecord, RunRow } from '../../model/state/run-rows.ts';
import type { Said } from '../../model/said.ts';
import { LOOSE, speltText } from '../../model/state/spelling.ts';
import { digestFields } from '../digest.ts';
import { knownUser, remembered } from '../known-records.ts';
import { fieldsOf, type Confirmation, type PushRequests } from '../requests.ts';
import type { ResourcePlan } from './resource-plan.ts';

const requests: PushRequests = {
  operation: 'create-users',
  change: { operation: 'update-user', input: (row, id) => ({ body: userChange(row, id) }) },
  parallel: true,
  groupOf: () => '',
  body: (rows) => ({
    users: rows.map((row) => {
      const { external_id, display_name } = fieldsOf(row);
      return { external_id: String(external_id), display_name: String(display_name) };
    }),
  }),
  match: (rows, records) => {
    const answered = records.flatMap((value) => userRecord.safeParse(value).data ?? []);
    const byKey = Map.groupBy(answered, ({ external_id: key }) => key.normalize('NFC'));
    return new Map(
      rows.flatMap((row): [string, Confirmation][] => {
        const found = row.key === null ? undefined : byKey.get(row.key);
        // Of several, the one that is as it was sent is the row's own; what was made last comes last.
        const own = found?.find(({ id }) => id === row.id) ?? found?.findLast((each) => isAsSent(row, each));
        const user = own ?? found?.[0];
        if (row.key === null || user === undefined) return [];
        const disagrees = disagreement(row, found ?? []);
        const record = withSent(row, remembered(knownUser(user)));
        const several = found !== undefined && found.length > 1 && ({ isOneOfSeveral: true } as const);
        return [
          [row.key, { id: user.id, record, ...(disagrees !== undefined && { disagrees }), ...several }],
        ];
      }),
    );
  },
};

/** The body of PATCH /user for one row: only the fields that change. */
function userChange(row: RunRow, id: string): BodyOf<'update-user'> {
  const { display_name, is_active } = fieldsOf(row);
  const changes = (name: string): boolean =>
    row.before === null ? name === 'is_active' : name in row.before;
  return {
    id,
    ...(typeof display_name === 'string' && changes('display_name') ? { display_name } : {}),
    ...(typeof is_active === 'boolean' && changes('is_active') ? { is_active } : {}),
  };
}

/** What was sent stands for what a short answer leaves out; POST /user takes no flag, so a create says nothing of it. */
function withSent(row: RunRow, record: KnownRecord): KnownRecord {
  const { is_active, ...rest } = fieldsOf(row);
  const sent = row.change === 'update' && is_active !== undefined ? { ...rest, is_active } : rest;
  const unsaid = Object.entries(sent).filter(([name]) => !(name in record.digests));
  if (unsaid.length === 0) return record;
  return { ...record, digests: { ...digestFields(Object.fromEntries(unsaid)), ...record.digests } };
}

const isAsSent = (row: RunRow, { display_name: name }: User): boolean =>
  name?.normalize('NFC') === fieldsOf(row).display_name;

function disagreement(row: RunRow, found: readonly User[]): Said | undefined {
  if (found.length > 1) return { code: 'answer-several', key: row.key ?? '', count: found.length };
  const [user] = found;
  const wanted = fieldsOf(row).display_name;
  if (typeof user?.display_name === 'string' && wanted !== undefined && !isAsSent(row, user)) {
    return { code: 'held-other', field: 'display_name', held: user.display_name, wanted };
  }
  return undefined;
}

export const users = {
  nouns: ['user', 'users'],
  verb: 'set up',
  requests,
  listed: {
    operation: 'list-users',
    feature: 'users',
    one: 'user',
    several: 'users',
    filters: [],
    showsAnswers: true,
    known: (record) => knownUser(record as RecordOf<'list-users'>),
    besideKey: (_key, { display_name: name }) => (typeof name === 'string' ? speltText(name, LOOSE) : ''),
  },
  hidden: [],
  keysLoseZeros: true,
  // POST /user wants a name, a change does not.
  lacks: ({ fields }) => (fields?.display_name === undefined ? { code: 'user-nameless' } : undefined),
} as const satisfies ResourcePlan;
