import { onTestFinished } from 'vitest';
import { makeFolder, startService, type Service } from './cli.ts';

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
