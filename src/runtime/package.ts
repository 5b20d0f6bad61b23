import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The same two steps up from src/runtime and from dist/runtime.
const ROOT = new URL('../../', import.meta.url);

/** The absolute path of a file or folder that the package ships, such as `mappings`. */
export function packagePath(name: string): string {
  return fileURLToPath(new URL(name, ROOT));
}

/** The version in package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { readonly version: string })
    .version;
}
