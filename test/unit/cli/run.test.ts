import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const RUN = new URL('../../../src/cli/run.ts', import.meta.url).href;
const inNode = (main: string) =>
  promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { registerHooks } from 'node:module';
     const source = ${JSON.stringify(`export const main = () => ${main};`)};
     registerHooks({
       load: (url, context, next) =>
         url.endsWith('/src/cli/main.ts') ? { format: 'module', shortCircuit: true, source } : next(url, context),
     });
     const { run } = await import(${JSON.stringify(RUN)});
     void run([]);`,
  ]);

it('a command that waits for what never comes is an error, and says so', async () => {
  await expect(inNode('new Promise(() => undefined)')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ended before its work was done.*report it\n$/) as string,
  });
});

it('a command that ends leaves its own exit code', async () => {
  await expect(inNode('Promise.resolve(7)')).rejects.toMatchObject({ code: 7, stderr: '' });
  await expect(inNode('Promise.resolve(0)')).resolves.toEqual({ stdout: '', stderr: '' });
});
