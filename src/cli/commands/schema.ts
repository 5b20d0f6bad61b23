import * as z from 'zod';
import { resources, RESOURCES, type ResourceName } from '../../contract/index.ts';
import type { Resource } from '../../contract/resource.ts';
import { layoutJsonSchema, mappingJsonSchema } from '../../mapping/parse/json-schema.ts';
import { nearest } from '../../model/nearest.ts';
import { EXIT, UsageError } from '../../model/error.ts';
import { defineCommand } from '../command.ts';
import { configSchema } from '../../runtime/config/config-file.ts';

/** `schema NAME`: JSON Schema for editors and checks. */
export const schema = defineCommand({
  options: {},
  positionals: {
    name: {
      type: 'string',
      demandOption: true,
      describe: 'mapping, layout, config, or a resource such as users',
    },
  },
  examples: [
    ['schema mapping > mapping.schema.json', 'for completion in an editor'],
    ['schema users', 'the record of a user and the fields that a mapping may fill'],
  ],
  run: async ({ name }, { screen }) => {
    await screen.exact(`${JSON.stringify(schemaOf(name), null, 2)}\n`);
    return EXIT.done;
  },
});

function schemaOf(name: string): unknown {
  if (name === 'mapping') return mappingJsonSchema();
  if (name === 'layout') return layoutJsonSchema();
  if (name === 'config') return z.toJSONSchema(configSchema, { io: 'input' });
  const resource = RESOURCES.find((known) => known === name);
  if (resource !== undefined) return resourceSchema(resource, resources[resource]);
  const near = nearest(name, ['mapping', 'layout', 'config', ...RESOURCES]);
  throw new UsageError(
    'usage.schema',
    `there is no schema "${name}"; there is mapping, layout, config, ${RESOURCES.join(', ')}`,
    {
      ...(near !== undefined && { next: `schema ${near}` }),
    },
  );
}

/** The record that a pull reads; the fields that a push may fill stand in `$defs/push`. */
function resourceSchema(title: ResourceName, { pull, push }: Resource): object {
  const record: Record<string, unknown> =
    pull === undefined ? {} : { ...z.toJSONSchema(pull.record, { io: 'output', unrepresentable: 'any' }) };
  if (push === undefined) return { title, ...record };
  const fields = Object.entries(push.fields).map(([field, { schema: one, description, label }]) => [
    field,
    { ...inline(z.toJSONSchema(one, { io: 'input', unrepresentable: 'any' })), title: label, description },
  ]);
  const pushed = {
    type: 'object',
    properties: Object.fromEntries(fields) as object,
    required: Object.keys(push.fields).filter((field) => push.fields[field]?.required === true),
    additionalProperties: false,
  };
  return {
    title,
    ...record,
    $defs: { ...(record['$defs'] as object | undefined), push: pushed },
  };
}

/** A schema that stands within another has no `$schema` of its own. */
function inline({ $schema: _, ...rest }: Record<string, unknown>): object {
  return rest;
}
