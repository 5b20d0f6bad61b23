import { writeFileSync } from 'node:fs';
import { liveHelp } from './command-line.ts';
import { commands } from './commands/registry.ts';
import { packagePath, packageVersion } from '../runtime/package.ts';
import { STATIC_TEXT_FILE, type StaticText } from './static-answer.ts';

/** The help of every command out of the command tree itself, and the version. */
export async function staticText(): Promise<StaticText> {
  const help: Record<string, string> = {};
  for (const name of ['', ...Object.keys(commands)]) help[name] = await liveHelp(name);
  return { version: packageVersion(), help };
}

if (import.meta.main) {
  writeFileSync(packagePath(`dist/cli/${STATIC_TEXT_FILE}`), JSON.stringify(await staticText(), null, 1));
}
