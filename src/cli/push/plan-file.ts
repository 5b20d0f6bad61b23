import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError, UsageError } from '../../model/error.ts';
import { openSavedPlan, type SavedPlan } from '../../plan/saved/read-saved-plan.ts';
import { savedPlanLines } from '../../sync/plan/save-plan.ts';
import { PLAN_START } from '../../plan/saved/saved-plan.ts';
import type { PlannedPush } from '../../sync/ports.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { writeAtomically } from '../../tables/atomic-write.ts';
import { OPEN_FLAGS, otherThanFile } from '../../tables/regular-file.ts';
import { sameSetting, type CommonArgs } from '../command.ts';
import type { Program } from '../program.ts';
import { renderTyped } from '../render/stop.ts';

/** A plan that was saved: the file as it was named, and the command line that pushes it. */
export interface SavedAs {
  readonly file: string;
  readonly push: string;
}

/** Plans hold members' data: only their owner may read them. */
const PRIVATE = 0o600;
const CHUNK = 64 * 1024;

/** Errors: UsageError `plan.out_taken` when something else than a saved plan stands there. */
export function refuseOtherFile(out: string, { cwd }: Pick<Program, 'cwd'>): void {
  const path = resolve(cwd, out);
  const next = 'give --out the name of a new file';
  const other = otherAt(path);
  if (other !== undefined) {
    const message = `${out} is ${other}, and a saved plan is a file, which push --plan reads again`;
    throw new UsageError('plan.out_taken', message, { next });
  }
  const start = startOf(path);
  if (start === undefined || start === PLAN_START) return;
  const message = `${out} is there already and is no saved plan; it was left as it is`;
  throw new UsageError('plan.out_taken', message, { next });
}

/** What stands there when it is no file; undefined also where that cannot be seen, which writing will tell. */
function otherAt(path: string): string | undefined {
  try {
    return otherThanFile(statSync(path));
  } catch {
    return undefined;
  }
}

/** The first bytes of a file; undefined when there is none that can be read, which writing will tell. */
function startOf(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, OPEN_FLAGS);
    if (!fstatSync(file).isFile()) return undefined;
    const bytes = Buffer.alloc(PLAN_START.length);
    return bytes.toString('latin1', 0, readSync(file, bytes));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Writes a plan so that the file is whole or what it was. Errors: UnavailableError `destination.*`. */
export async function savePlan(
  out: string,
  planned: PlannedPush,
  options: PlanOptions,
  args: CommonArgs,
  { cwd, clock, random, typed, version }: Program,
): Promise<SavedAs> {
  const madeAtMs = clock.now();
  const maker = { id: random.ulid(madeAtMs), version, madeAtMs, typed, options };
  await writeAtomically(
    resolve(cwd, out),
    async (append) => {
      let chunk = '';
      for await (const line of savedPlanLines(planned, maker)) {
        chunk += `${line}\n`;
        if (chunk.length < CHUNK) continue;
        await append(chunk);
        chunk = '';
      }
      await append(chunk);
    },
    PRIVATE,
  );
  return { file: out, push: renderTyped(['push', '--plan', out, ...sameSetting(args)]) };
}

/** Opens a saved plan. Errors: ConfigError `plan.missing`, and those of {@link openSavedPlan}. */
export async function readPlanFile(file: string, { cwd }: Pick<Program, 'cwd'>): Promise<SavedPlan> {
  const path = resolve(cwd, file);
  const start = startOf(path);
  if (start === undefined) {
    const other = otherAt(path);
    if (other !== undefined) {
      throw new ConfigError('plan.missing', `${file} is ${other}, and a saved plan is a file`, {
        next: 'name a file that plan --out FILE wrote',
      });
    }
    throw new ConfigError(
      'plan.missing',
      `there is no saved plan ${relative(cwd, path)}, or it cannot be read`,
      {
        file,
        next: `plan --out ${file}`,
      },
    );
  }
  // Anything else may have lines of any length.
  const lines = (): AsyncIterable<string> => (start === PLAN_START ? linesOf(path) : nothing());
  return openSavedPlan(file, lines);
}

async function* nothing(): AsyncGenerator<string> {}

/** The lines of a file, whichever system's line ends it has by now. */
function linesOf(path: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
}
