import { ConfigError } from '../../model/error.ts';
import type { MappingPlace } from '../mapping.ts';
import { findingsError, type Finding } from './zod-issues.ts';
import { placed, type Path, type YamlDocument } from './yaml-document.ts';

/** What the parsing of a mapping needs from outside. */
export interface MappingContext {
  /** The value of `${name}`, or undefined when it is not set. */
  variable(name: string): string | undefined;
  /** The absolute path for one of a mapping. Errors: ConfigError when it leaves the folder and may not. */
  resolvePath(path: string, allowOutside: boolean): string;
  /** The file of a report layout, by its path in a mapping. Errors: ConfigError when it leaves the folder or cannot be read. */
  readLayout(path: string): LayoutFile;
  /** Left out: cron texts are taken as they are. Errors: ConfigError when a text is no cron schedule. */
  checkCron?(text: string): void;
}

/** The text of a layout, and how messages call its file. */
interface LayoutFile {
  readonly file: string;
  readonly text: string;
}

/** The checks of one mapping at work: problems are noted until {@link settle}, so that a person sees all of them at once. */
export interface Drafting {
  readonly place: MappingPlace;
  /** The keys of the map at a path below the mapping, in the order that they are written in. */
  keys(path: Path): readonly string[];
  /** Notes a problem at a path below the mapping and goes on. */
  note(path: Path, message: string, of?: 'key' | 'value'): void;
  /** Notes a problem that nothing further can be said after. */
  fail(path: Path, message: string): never;
  resolve(path: string, allowOutside: boolean, at: Path): string;
  /** Reads the layout that is named at a path below the mapping. */
  readLayout(path: string, at: Path): LayoutFile;
  /** Checks a cron text at a path below the mapping. */
  checkCron(text: string, at: Path): void;
  /** Errors: ConfigError `mapping.invalid` when anything was noted. */
  settle(): void;
}

/** Begins the checks of the mapping at `base`. */
export function startDraft(document: YamlDocument, base: Path, context: MappingContext): Drafting {
  const findings: Finding[] = [];
  const note: Drafting['note'] = (path, message, of = 'value') => {
    findings.push({ path: [...base, ...path], of, message });
  };
  const settle = (): void => {
    if (findings.length > 0) throw findingsError(document, findings);
  };
  /** Adds the place in the mapping to an error that has none. */
  const atPlace = <T>(at: Path, act: () => T): T => {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof ConfigError) || error.place.line !== undefined) throw error;
      const { file } = document;
      const spot = document.spot([...base, ...at]);
      const { code, message, next } = error;
      throw new ConfigError(code, placed(file, spot, message), { file, ...spot, next, cause: error });
    }
  };
  return {
    place: { file: document.file, line: document.spot(base).line },
    keys: (path) => document.keys([...base, ...path]),
    note,
    settle,
    fail(path, message) {
      note(path, message);
      throw findingsError(document, findings);
    },
    resolve: (path, allowOutside, at) => atPlace(at, () => context.resolvePath(path, allowOutside)),
    readLayout: (path, at) => atPlace(at, () => context.readLayout(path)),
    checkCron: (text, at) => atPlace(at, () => context.checkCron?.(text)),
  };
}
