import type * as z from 'zod';
import { send, type FieldType } from './field.ts';
import type { Feature } from './endpoint.ts';

export type PushOperation = 'create' | 'update' | 'upsert' | 'append' | 'set' | 'trigger';

/** One field that a mapping's `columns` may fill. */
export interface PushField {
  /** What a cell must hold. `integers` is a list of positive integers. */
  readonly type: Exclude<FieldType, 'json' | 'datetime'> | 'integers';
  readonly required: boolean;
  /** A new record needs it; a change of one does not. */
  readonly requiredToCreate?: true;
  /** The constraint of the interface on one value, checked after the cell is parsed. */
  readonly schema: z.ZodType;
  /** How people name it; headers match the field's own name or this. */
  readonly label: string;
  /** A sentence for templates and JSON Schema. */
  readonly description: string;
  /** Longest text that can still be changed later, where the interface states one elsewhere; a column's `max_length` lifts it. */
  readonly maxLength?: number;
  /** The variable that `columns: auto` takes it from when the table lacks it. */
  readonly variable?: string;
}

/** A field that every row needs and that holds the number of a record. */
export const idField = (label: string, description: string): PushField => ({
  type: 'integer',
  required: true,
  schema: send.positive(),
  label,
  description,
});

/** How records are looked up with the service. */
export interface RecordLookup {
  /** The fields that records are found by, and those that can be taken of them. */
  readonly match: readonly string[];
  readonly take: readonly string[];
  /** The field that holds the number of a record whose id is not one. */
  readonly number?: string;
}

/** How a table of rows may be pushed to a resource. */
export interface PushTarget {
  readonly operations: readonly PushOperation[];
  /** Why it takes no other operation. */
  readonly onlyBecause?: string;
  readonly fields: Readonly<Record<string, PushField>>;
  /** Fields that together name a record. */
  readonly key: readonly string[];
  /** The last field of the key, where it is a text that the service may keep in another spelling. */
  readonly spelt?: string;
  readonly lookup?: RecordLookup;
  /** The field whose change the guards `max_step` and `max_step_pct` measure. */
  readonly step?: string;
  /** A record is so many settings that a table may have one of them in each line. */
  readonly isSettings?: true;
  /** A record that is in no row any more can be deactivated. */
  readonly deactivates?: true;
  /** Most rows in one create request; 1 when the operation takes one. */
  readonly batch: number;
  readonly quota?: Feature;
}

/** What a pull may ask for. */
export interface PullTarget {
  /** Keys of the mapping's `where`, with the schema of one value; `id` may also be a list. */
  readonly where: Readonly<Record<string, z.ZodType>>;
  readonly required: readonly string[];
  /** The record that a row is made of. */
  readonly record: z.ZodObject;
  /** What a row is made of, where it is more or other than the record (interfaces.md, section 4). */
  readonly rowRecord?: (asked: RowAsked) => z.ZodObject;
  /** Each record may be asked for with its detail. */
  readonly hasDetail?: true;
  /** Its records are remembered by game week, so that `where` takes `weeks`; those of squads with their detail, and standings as what is made of both; of substitutions as far as their week can be told. */
  readonly byWeek?: 'lineup' | 'squad' | 'standing' | 'substitution';
  /** What a mapping may write for `explode`, which makes other rows of a record than usual. */
  readonly explodes?: string;
  /** No list shows its records: each is read by its id beside the other filters, and the mapping says which ids. */
  readonly readsEach?: true;
}

/** What a mapping asks of the rows of a report. */
export interface RowAsked {
  readonly detail: boolean;
  readonly explode?: string | undefined;
}

/** A resource of the service: what can be pushed to it and pulled from it (interfaces.md, section 2). */
export interface Resource {
  readonly push?: PushTarget;
  readonly pull?: PullTarget;
}

export interface PushableResource extends Resource {
  readonly push: PushTarget;
}
