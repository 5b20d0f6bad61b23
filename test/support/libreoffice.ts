import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** Whether the machine has LibreOffice; tests that need it are left out where it has none. */
export function hasLibreOffice(): boolean {
  try {
    execFileSync('soffice', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Opens a file in LibreOffice and saves it in another form into `folder`, which holds its profile too. */
export async function convert(file: string, form: string, folder: string): Promise<void> {
  const profile = `-env:UserInstallation=file://${path.join(folder, 'profile')}`;
  const output = ['--convert-to', form, '--outdir', folder];
  await promisify(execFile)('soffice', [profile, '--headless', ...output, file]);
}
