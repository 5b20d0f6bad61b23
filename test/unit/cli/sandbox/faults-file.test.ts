import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFaults } from '../../../../src/cli/sandbox/faults-file.ts';
import { testFolder } from '../../../support/test-folder.ts';

describe('a file of faults', () => {
  const folder = testFolder();
  const file = (text: string): string => {
    folder.write('faults.yaml', text);
    return join(folder.path, 'faults.yaml');
  };

  it.each([
    ['a list', '- { kind: cut, nth: 2 }\n- kind: reset\n  operation: create-users\n'],
    [
      'one with a byte order mark',
      '\ufeff- { kind: cut, nth: 2 }\r\n- { kind: reset, operation: create-users }\r\n',
    ],
    ['JSON', '[{"kind": "cut", "nth": 2}, {"kind": "reset", "operation": "create-users"}]'],
  ])('is %s', (_what, text) => {
    expect(readFaults(file(text))).toEqual([
      { kind: 'cut', operation: '*', nth: 2, count: 1 },
      { kind: 'reset', operation: 'create-users', nth: 1, count: 1 },
    ]);
  });

  it('or one fault', () => {
    expect(readFaults(file('kind: html'))).toMatchObject([{ kind: 'html' }]);
  });

  it.each([
    ['- kind: cut\n- kind: sudden\n', 'sandbox.faults', ':2:9: kind: '],
    ['kind: cut\ncolour: red\n', 'sandbox.faults', ':1:1: '],
    ['kind: status\nstatus: "500"\n', 'sandbox.faults', ':2:9: status: '],
    ['- 5\n', 'sandbox.faults', ':1:3: '],
    ['kind: [', 'mapping.yaml', ':1:'],
    ['', 'mapping.empty', 'the file holds no fault'],
  ])('%j is refused by line and column', (text, code, part) => {
    expect(() => readFaults(file(text))).toThrow(
      expect.objectContaining({ code, exitCode: 4, message: expect.stringContaining(part) as string }),
    );
  });

  it('that is not there is refused', () => {
    expect(() => readFaults(join(folder.path, 'none.yaml'))).toThrow(
      expect.objectContaining({ code: 'sandbox.faults' }),
    );
  });
});
