import * as z from 'zod';
import { strict } from '../../mapping/parse/schema.ts';

/** A text that is not empty. */
export const text = (description: string): z.ZodString => z.string().min(1).describe(description);

/** The name of an environment variable. */
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Where a secret stands. */
export const secretSource = (secret: string) =>
  z
    .union([
      strict({
        env: text(`the environment variable that holds the ${secret}`).regex(VARIABLE),
      }),
      strict({ file: text(`the file that holds the ${secret}`) }),
    ])
    .describe(`where the ${secret} comes from; never the ${secret} itself`);
export type SecretSource = z.infer<ReturnType<typeof secretSource>>;
