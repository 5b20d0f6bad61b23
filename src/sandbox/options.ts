import { z } from 'zod';
import { UsageError } from '../model/error.ts';
import { nearest } from './settings.ts';

const OBJECT = z.looseObject({}).optional();
const FUNCTION = z.custom<unknown>((value) => typeof value === 'function', 'not a function').optional();

/** What `createSandbox` takes, told by values: a program may have no types. What each part may hold is looked at where it is used. */
const KINDS = {
  db: z.string().optional(),
  seed: z.string().optional(),
  apiKey: z.string().optional(),
  controlKey: z.string().optional(),
  now: z.string().optional(),
  settings: OBJECT,
  faults: z.array(z.unknown()).optional(),
  onFailure: FUNCTION,
  onAnswer: FUNCTION,
  clock: OBJECT,
  port: z.int().min(0).max(65_535).nullable().optional(),
};

/** Errors: UsageError `sandbox.option`. */
export function checkOptions(options: unknown): void {
  const given = z.looseObject({}).safeParse(options).data;
  if (given === undefined) throw refused('createSandbox takes an object of options');
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!isOption(name))
      throw refused(`createSandbox has no option "${name}"; did you mean ${nearest(name, NAMES)}?`);
    const { error } = KINDS[name].safeParse(value);
    if (error !== undefined) throw refused(`${name}: ${error.issues[0]?.message ?? 'is of another kind'}`);
  }
}

const NAMES = Object.keys(KINDS) as readonly (keyof typeof KINDS)[];
const isOption = (name: string): name is keyof typeof KINDS => Object.hasOwn(KINDS, name);

const refused = (message: string): UsageError =>
  new UsageError('sandbox.option', message, { next: `the options are ${NAMES.join(', ')}` });
