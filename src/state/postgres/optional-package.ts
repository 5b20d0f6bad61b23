import { ConfigError } from '../../model/error.ts';
import { isErrno } from '../private-files.ts';

/** What a package is needed for that not everybody has, and the code of the error where it is missing. */
interface Need {
  readonly code: string;
  readonly name: string;
  readonly by: string;
}

/** Loads an optional package. Errors: ConfigError of the need's code where it is not installed. */
export async function optionalPackage<T>({ code, name, by }: Need, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isErrno(cause, 'ERR_MODULE_NOT_FOUND') && !isErrno(cause, 'MODULE_NOT_FOUND')) throw cause;
    throw new ConfigError(code, `${by} needs the package ${name}, which is not installed`, {
      next: `Type npm install ${name} where teamsheet is installed (npm install -g ${name} where it is installed for all folders), then run the command again.`,
      cause,
    });
  }
}
