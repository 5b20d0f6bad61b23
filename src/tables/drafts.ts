import { createHash, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { systemCode } from './system-error.ts';

/** Where the number of a process names one process: this machine, or this container. */
function place(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch (error) {
    if (systemCode(error) !== undefined) return hostname();
    throw error;
  }
}

const HERE = createHash('sha256').update(place()).digest('hex').slice(0, 8);
const MADE_HERE = new RegExp(`^\\.teamsheet-${HERE}-([1-9]\\d*)-[\\da-f-]{36}\\.tmp$`);

/** The path of a new file of this process in a folder, for as long as the file is not whole. */
export const draftIn = (folder: string): string =>
  path.join(folder, `.teamsheet-${HERE}-${process.pid}-${randomUUID()}.tmp`);

/** Removes the drafts that processes which are gone left in a folder. Of those of another machine nobody can tell. What cannot be removed stays. */
export async function removeLeftDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = MADE_HERE.exec(name)?.[1];
    if (pid !== undefined && isGone(Number(pid)))
      await rm(path.join(folder, name), { force: true }).catch(() => undefined);
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}
