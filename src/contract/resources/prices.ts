import * as z from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { read, record, result, send } from '../field.ts';
import { idField, type PushableResource } from '../resource.ts';

/** A player inside a log record. */
export const nestedPlayer = record(
  {},
  { id: read.integer(), first_name: read.text(), last_name: read.text() },
);

/** Price upload record (section 2.10); it does not hold the price. */
const priceRecord = record(
  { id: read.uuid() },
  {
    txn_ref: read.text(),
    fantasy_league_id: read.integer(),
    txn_type: read.text(),
    player: nestedPlayer,
    game_week: record({}, { id: read.uuid(), week: read.text() }),
    created_at: read.datetime(),
  },
).meta({ id: 'PriceUploadRecord' });
export type PriceUploadRecord = z.infer<typeof priceRecord>;

/** Price upload result (section 2.12). */
const priceUploadResult = result({ reference: read.text(), count: read.integer() }).meta({
  id: 'PriceUploadResult',
});

const uploadBody = z.strictObject({
  fantasy_league_id: send.positive(),
  prices: z.array(z.strictObject({ player_id: z.int(), price: send.number(), type: send.text() })).min(1),
});

export const priceEndpoints = {
  'upload-prices': {
    row: 18,
    method: 'POST',
    path: '/price',
    summary: 'Upload player prices',
    body: uploadBody,
    record: priceUploadResult,
    batch: 'prices',
  },
  'list-prices': {
    row: 19,
    method: 'GET',
    path: '/price',
    summary: 'List price upload records',
    query: z.strictObject({ page: send.positive().optional() }),
    record: priceRecord,
    list: true,
    paged: true,
  },
} as const satisfies Record<string, Endpoint>;

export const prices: PushableResource = {
  push: {
    operations: ['append'],
    onlyBecause: 'an uploaded price can neither be changed nor deleted, only followed by another',
    key: ['fantasy_league_id', 'player_id', 'type'],
    step: 'price',
    batch: 100,
    fields: {
      fantasy_league_id: idField('Fantasy league id', 'The fantasy league that the price is for.'),
      player_id: idField('Player id', "The service's number of the player."),
      price: {
        type: 'number',
        required: true,
        schema: send.number(),
        label: 'Price',
        description: 'The price, in the unit of the league.',
      },
      type: {
        type: 'text',
        required: true,
        schema: send.text(1),
        label: 'Price type',
        variable: 'price_type',
        description: 'The kind of price; the interface does not show the allowed values: ask your provider.',
      },
    },
  },
  pull: { where: {}, required: [], record: priceRecord },
};
