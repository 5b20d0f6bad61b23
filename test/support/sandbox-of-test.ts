import { onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { openSandbox, type TestSandbox } from './sandbox.ts';

/** A sandbox that is closed when the test that runs has ended. */
export async function sandboxOfTest(options: SandboxOptions = {}): Promise<TestSandbox> {
  const box = await openSandbox(options);
  onTestFinished(() => box.close());
  return box;
}
