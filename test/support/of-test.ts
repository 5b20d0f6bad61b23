import { onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { makeFolder, startService, type Service } from './cli.ts';
import { openSandbox, type TestSandbox } from './sandbox.ts';

/** A folder that goes with its test. Tests that run at the same time make one themselves. */
export function folderOfTest(...files: Parameters<typeof makeFolder>): ReturnType<typeof makeFolder> {
  const folder = makeFolder(...files);
  onTestFinished(folder.remove);
  return folder;
}

/** A service that ends with its test. */
export async function serviceOfTest(...options: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(...options);
  onTestFinished(service.close);
  return service;
}

/** A sandbox that ends with its test, which fails where the sandbox made a mistake. */
export async function sandboxOfTest(options: SandboxOptions = {}): Promise<TestSandbox> {
  const box = await openSandbox(options);
  onTestFinished(() => box.close());
  return box;
}
