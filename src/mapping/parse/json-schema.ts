import * as z from 'zod';
import { layoutSchema } from './layout-schema.ts';
import { pullSchema } from './pull-schema.ts';
import { pushSchema, triggerSchema } from './push-schema.ts';

const mapping = z.union([pushSchema, triggerSchema, pullSchema]);

/** The JSON Schema (draft 2020-12) of a mapping file for editors: one mapping or a list of them. It is made of the schemas that parse. */
export function mappingJsonSchema(): object {
  const schema = z.union([mapping, z.array(mapping)]).meta({
    title: 'teamsheet mapping',
    description: 'Joins one table of rows with one resource of the data service, one way.',
  });
  return z.toJSONSchema(schema, { io: 'input' });
}

/** The JSON Schema (draft 2020-12) of a layout file. */
export function layoutJsonSchema(): object {
  return z.toJSONSchema(
    layoutSchema.meta({
      title: 'teamsheet report layout',
      description: 'Order, formats, colours and charts of a report in a workbook or a Google sheet.',
    }),
    { io: 'input' },
  );
}
