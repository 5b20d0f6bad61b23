import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { SHELLS, type Completable } from '../../../src/cli/completion.ts';
import { runHere } from '../../support/run-here.ts';
import { folderOfTest } from '../../support/of-test.ts';

const COMMANDS: readonly Completable[] = [
  {
    name: 'push',
    summary: "Write to the service, with the operator's word",
    flags: [
      { name: 'yes', describe: 'approve the plan', choices: [] },
      { name: 'compare', describe: 'what rows are compared with', choices: ['auto', 'live'] },
    ],
    words: [],
    takesMappings: true,
  },
  { name: 'schedule', summary: 'Run by itself', flags: [], words: ['run', 'next'], takesMappings: true },
];

/** What bash completes after these words, in a folder with the mappings users and prices. */
function complete(...words: readonly string[]): readonly string[] {
  const folder = folderOfTest({
    'mappings/a.yaml':
      '- version: 1\n  name: users\n  columns:\n    name: Name\n- version: 1\n  name: prices\n',
  });
  const line = words.map((word) => JSON.stringify(word)).join(' ');
  const ask = `COMP_WORDS=(teamsheet ${line}); COMP_CWORD=${words.length}; _teamsheet; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', `${SHELLS['bash']?.(COMMANDS)}\n${ask}`], {
    cwd: folder.path,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

it.runIf(spawnSync('bash', ['--version']).status === 0)(
  'bash completes commands, flags, choices and mappings',
  () => {
    expect(complete('')).toEqual(['push', 'schedule', '--help', '--version']);
    expect(complete('sch')).toEqual(['schedule']);
    expect(complete('push', '--')).toEqual(['--yes', '--compare', '--help']);
    expect(complete('push', '--compare', 'l')).toEqual(['live']);
    expect(complete('push', 'us')).toEqual(['users']);
    expect(complete('schedule', '')).toEqual(['run', 'next', 'users', 'prices']);
  },
);

it('no description ends a quoted text early', () => {
  for (const shell of ['zsh', 'fish']) {
    const script = SHELLS[shell]?.(COMMANDS) ?? '';
    expect(script).toContain('operator’s word');
    expect(script.match(/'/g)?.length).toSatisfy((count: number) => count % 2 === 0);
  }
});

it('the command prints the script, and with --json one document that holds it', async () => {
  const place = { cwd: process.cwd() };
  const plain = await runHere(['completion', 'bash'], place);
  expect(plain).toMatchObject({ code: 0, stdout: expect.stringMatching(/^# .*bash/) as string });
  const { code, stdout } = await runHere(['completion', 'bash', '--json'], place);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    command: 'completion',
    exit_code: 0,
    shell: 'bash',
    script: plain.stdout,
  });
});
