import { startDraft, type MappingContext } from './drafting.ts';
import type { Mapping, MappingPlace } from '../mapping.ts';
import { parsePull } from './parse-pull.ts';
import { parsePush } from './parse-push.ts';
import { parseTrigger } from './parse-trigger.ts';
import { variableSource } from '../push-fields.ts';
import { pullSchema } from './pull-schema.ts';
import { pushSchema, triggerSchema } from './push-schema.ts';
import { show } from '../show.ts';
import { parseYaml, type Path, type YamlDocument } from './yaml-document.ts';
import { checked } from './zod-issues.ts';

export type { MappingContext } from './drafting.ts';

/** A mapping's name and direction, read without checking the rest of it. */
export interface MappingName {
  readonly name: string;
  readonly direction: 'push' | 'pull';
  readonly place: MappingPlace;
}

/**
 * The mappings of a file in its order (interfaces.md, section 4). With `only`, the others are neither filled with variables nor checked, so
 * that an unset variable stops only the mappings that need it.
 * Errors: ConfigError `mapping.*` with file, line and column; what `context.resolvePath` throws, with its place added.
 */
export function parseMappings(
  text: string,
  file: string,
  context: MappingContext,
  only: (name: string) => boolean = () => true,
): readonly Mapping[] {
  const document = parseYaml(text, file);
  return names(document)
    .filter(({ name }) => only(name))
    .map(({ direction, root }) => {
      const value = document.toValue(root.node, root.path, (written, path) =>
        fill(written, path, document, context),
      );
      const draft = startDraft(document, root.path, context);
      if (isTrigger(value))
        return parseTrigger(checked(triggerSchema, value, document, root.path), draft, context);
      return direction === 'push'
        ? parsePush(checked(pushSchema, value, document, root.path), draft, context)
        : parsePull(checked(pullSchema, value, document, root.path), draft);
    });
}

/** Whether a mapping has a game week in the place of a table. */
function isTrigger(value: unknown): boolean {
  const { push, source } = value as Readonly<Record<string, unknown>>;
  return push !== undefined && typeof source === 'object' && source !== null && 'weeks' in source;
}

/**
 * The names of a file's mappings in its order.
 * Errors: ConfigError `mapping.*` when the file is not YAML or a mapping has no name or direction.
 */
export function mappingNames(text: string, file: string): readonly MappingName[] {
  const document = parseYaml(text, file);
  return names(document).map(({ name, direction, root }) => ({
    name,
    direction,
    place: { file, line: document.spot(root.path).line },
  }));
}

interface NamedRoot extends Omit<MappingName, 'place'> {
  readonly root: YamlDocument['roots'][number];
}

function names(document: YamlDocument): readonly NamedRoot[] {
  const seen = new Set<string>();
  return document.roots.map((root) => {
    const value = document.toValue(root.node, root.path, (written) => written);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw document.error(
        'mapping.invalid',
        'a mapping is a map with version, name and push or pull',
        root.path,
      );
    }
    const { name, push, pull } = value as Readonly<Record<string, unknown>>;
    if ((push === undefined) === (pull === undefined)) {
      const found = push === undefined ? 'has neither push nor pull' : 'has push and pull';
      throw document.error(
        'mapping.invalid',
        `a mapping goes one way: this one ${found}; write one of them`,
        root.path,
      );
    }
    if (name === undefined || name === null || typeof name === 'object') {
      throw document.error('mapping.invalid', 'name: is missing; write the name of the mapping', root.path);
    }
    const text = typeof name === 'string' ? name : JSON.stringify(name);
    if (seen.has(text))
      throw document.error(
        'mapping.duplicate',
        `the name ${show(text)} stands twice in this file`,
        [...root.path, 'name'],
        { next: 'give one of them another name' },
      );
    seen.add(text);
    return { name: text, direction: push === undefined ? 'pull' : 'push', root };
  });
}

const PLACEHOLDER = /\$\$\{|\$\{([^}]*)\}/g;

/** A text, such as the name of a file or a tab, written so that nothing in it is replaced. */
export const asWritten = (text: string): string => text.replaceAll('${', () => '$${');

/** A text with its `${name}` replaced; `$${` stands for `${` itself. */
function fill(written: string, path: Path, document: YamlDocument, context: MappingContext): string {
  if (!written.includes('${')) return written;
  return written.replace(PLACEHOLDER, (whole, name: string | undefined) => {
    if (name === undefined) return '${';
    if (!/^[A-Za-z_][\w.-]*$/.test(name)) {
      throw document.error('mapping.variable', `${show(whole)} does not name a variable`, path);
    }
    const value = context.variable(name);
    if (value !== undefined) return value;
    throw document.error('mapping.variable', `the variable ${name} is not set`, path, {
      next: variableSource(name),
    });
  });
}
