import { parseYaml, type Path } from '../../mapping/parse/yaml-document.ts';
import { ConfigError } from '../../model/error.ts';
import { faultSchema, type FaultInput } from '../../sandbox/index.ts';
import { readFileText } from '../../tables/regular-file.ts';

/**
 * The faults of a YAML or JSON file: a list of them, or one.
 * @throws ConfigError `sandbox.faults` with file, line and column for what is no fault, and for a file that cannot be read; `mapping.yaml` for what is no YAML.
 */
export function readFaults(file: string): readonly FaultInput[] {
  const document = parseYaml(read(file), file, 'fault');
  return document.roots.map(({ node, path }) => {
    const result = faultSchema.safeParse(document.toValue(node, path, (text) => text));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    const inside = (issue?.path ?? []).filter((part): part is string | number => typeof part !== 'symbol');
    const wrong: Path = [...path, ...inside];
    const name = inside.length === 0 ? '' : `${inside.join('.')}: `;
    throw document.error('sandbox.faults', `${name}${issue?.message ?? 'is no fault'}`, wrong, {
      next: 'docs/sandbox.md lists the kinds of faults and what they take',
    });
  });
}

function read(file: string): string {
  try {
    return readFileText(file);
  } catch (cause) {
    throw new ConfigError('sandbox.faults', `--faults ${file}: cannot be read: ${String(cause)}`, {
      file,
      next: 'name a file of faults in YAML or JSON',
      cause,
    });
  }
}
