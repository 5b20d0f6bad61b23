import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, send } from '../field.ts';
import type { PushableResource } from '../resource.ts';

/** A user inside another record, where any field may be missing. */
export const nestedUser = record(
  {},
  {
    id: read.uuid(),
    user_id: read.integer(),
    external_id: read.text(),
    is_active: read.boolean(),
    display_name: read.text(),
    created_at: read.datetime(),
    updated_at: read.datetime(),
  },
);

/** Section 2.2. */
export const userRecord = nestedUser
  .extend({ id: read.uuid(), external_id: read.text() })
  .meta({ id: 'User' });
export type User = z.infer<typeof userRecord>;

/** Stated for PATCH /user alone; a longer name could be created but never changed. */
const DISPLAY_NAME_MAX = 50;

const vital = [['id'], ['user_id'], ['external_id'], ['is_active'], ['display_name']] as const;

export const userEndpoints = {
  'create-users': {
    row: 8,
    method: 'POST',
    path: '/user',
    summary: 'Create users, several in one request',
    body: z.strictObject({
      users: z.array(z.strictObject({ external_id: send.text(), display_name: send.text() })),
    }),
    record: userRecord,
    list: true,
    batch: 'users',
    quota: 'users',
    vital,
  },
  'list-users': {
    row: 9,
    method: 'GET',
    path: '/user',
    summary: 'List users',
    // The query parameters of this operation are not shown; its paging is, so `page` is the plausible one.
    query: z.strictObject({ page: send.positive().optional() }),
    record: userRecord,
    list: true,
    paged: true,
    vital,
  },
  'update-user': {
    row: 10,
    method: 'PATCH',
    path: '/user',
    summary: "Change a user's display name or active flag",
    body: z.strictObject({
      id: send.uuid(),
      display_name: send.text().max(DISPLAY_NAME_MAX).optional(),
      is_active: send.boolean().optional(),
    }),
    record: userRecord,
    vital,
  },
} as const satisfies Record<string, Endpoint>;

export const users: PushableResource = {
  push: {
    operations: ['create', 'update', 'upsert'],
    key: ['external_id'],
    spelt: 'external_id',
    lookup: {
      match: ['external_id', 'display_name', 'user_id', 'id'],
      take: ['user_id', 'id', 'external_id'],
      number: 'user_id',
    },
    deactivates: true,
    batch: 100,
    quota: 'users',
    fields: {
      external_id: {
        type: 'text',
        required: true,
        schema: send.text(1),
        label: 'External id',
        description:
          'Your own identifier of the member, for example the membership number. It can never be changed.',
      },
      display_name: {
        type: 'text',
        required: false,
        requiredToCreate: true,
        schema: send.text(),
        label: 'Display name',
        description: 'The name shown to other players, at most 50 characters.',
        maxLength: DISPLAY_NAME_MAX,
      },
      is_active: {
        type: 'boolean',
        required: false,
        schema: send.boolean(),
        label: 'Active',
        description: 'Whether the member takes part; an empty cell leaves it as it is.',
      },
    },
  },
  pull: { where: {}, required: [], record: userRecord },
};
