import { describe, expect, it } from 'vitest';
import { liveHelp, parseCommandLine } from '../../../src/cli/command-line.ts';
import { commands } from '../../../src/cli/commands/registry.ts';
import { LATER_FLAGS } from '../../../src/cli/flags.ts';
import { staticAnswer } from '../../../src/cli/static-answer.ts';

describe('parseCommandLine', () => {
  it('gives a command its arguments as they were typed', async () => {
    const line =
      'push 007 users --limit 5 --max-wait 15m --var a=1=2 --var b= --no-color --yes --compare live';
    expect(await parseCommandLine(line.split(' '))).toMatchObject({
      kind: 'command',
      name: 'push',
      args: {
        mapping: ['007', 'users'],
        limit: 5,
        maxWait: 900_000,
        var: { a: '1=2', b: '' },
        noColor: true,
        yes: true,
        compare: 'live',
      },
    });
  });

  it('separates a header that holds = from its field', async () => {
    const line = [
      'import',
      'a.csv',
      '--as',
      'users',
      '--match',
      'Name = nick=display_name',
      '--set',
      'a=b=c',
    ];
    expect(await parseCommandLine(line)).toMatchObject({
      args: { match: { 'Name = nick': 'display_name' }, set: { a: 'b=c' } },
    });
  });

  it('takes what stands behind -- as arguments', async () => {
    expect(await parseCommandLine(['push', '--yes', '--', 'users'])).toMatchObject({
      args: { mapping: ['users'], yes: true },
    });
    expect(await parseCommandLine(['import', '--as', 'users', '--', '-new.csv'])).toMatchObject({
      args: { file: './-new.csv', as: 'users' },
    });
  });

  it('leaves out what was not typed', async () => {
    const parsed = await parseCommandLine(['plan']);
    expect(parsed).toMatchObject({ args: { mapping: [], var: {} } });
    expect(parsed.kind === 'command' && parsed.args).not.toHaveProperty('limit');
  });

  it.each<readonly [line: string, message: string, next: string]>([
    ['puhs', 'there is no such command; did you mean push?', 'push --help'],
    ['frob', 'Unknown argument: frob', '--help'],
    ['push --limti 4', 'Unknown argument: --limti (did you mean --limit?)', 'push --help'],
    ['push --maxRequest 4', 'Unknown argument: --maxRequest (did you mean --max-requests?)', 'push --help'],
    [
      'pull --dri-run --detailed-exitcode=1 -x word',
      'Unknown arguments: --dri-run, --detailed-exitcode, -x',
      'pull --help',
    ],
    ['completion tcsh', 'completion takes bash, zsh or fish, not "tcsh"', 'completion --help'],
    ['state move --to x', 'state takes copy, not "move"', 'state --help'],
    ['sandbox --seed nosuch', '--seed takes default or demo, not "nosuch"', 'sandbox --help'],
    ['push --allow-guard zz', 'max_step_pct, reject_mode or open_week, not "zz"', 'push --help'],
    [
      'push --compare maybe --allow-guard zz',
      '--compare takes auto, live, snapshot or none, not "maybe"; --allow-guard takes',
      'push --help',
    ],
    ['push --limit x', '--limit takes a whole number from 1 on, not "x"', 'push --help'],
    ['push --limit 0', '--limit takes a whole number from 1 on, not "0"', 'push --help'],
    ['push --limit 1 --limit 2', '--limit takes a whole number', 'push --help'],
    ['push --limit', 'Not enough arguments following: limit', 'push --help'],
    [
      'push --max-wait 15',
      '--max-wait takes an integer and ms, s, m, h or d, such as 15m, not "15"',
      'push --help',
    ],
    ['push --var x', '--var takes name=value, not "x"', 'push --help'],
    ['import', 'the command line ends too early: import <file>', 'import --help'],
    ['sandbox --port 70000', '--port takes a number from 0 to 65535, not "70000"', 'sandbox --help'],
    ['dashboard --probe 8791', '--probe takes HOST:PORT, such as 127.0.0.1:8791', 'dashboard --help'],
    ['schedule run --probe a:b', '--probe takes HOST:PORT', 'schedule --help'],
  ])('refuses "%s"', async (line, message, next) => {
    await expect(parseCommandLine(line.split(' ').filter(Boolean))).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringContaining(message) as string,
      next,
    });
  });

  it('refuses a flag that stands twice', async () => {
    await expect(parseCommandLine(['push', '--config', 'a', '--config', 'b'])).rejects.toMatchObject({
      exitCode: 64,
      message: '--config stands twice',
    });
  });

  it('refuses a flag that is empty, as of a variable that nobody set', async () => {
    await expect(parseCommandLine(['plan', '--mappings', ''])).rejects.toMatchObject({
      exitCode: 64,
      message: '--mappings is empty',
    });
    await expect(parseCommandLine(['push', '--plan='])).rejects.toMatchObject({ message: '--plan is empty' });
  });

  it.each(LATER_FLAGS)('answers --%s as part of a later version', async (flag) => {
    await expect(parseCommandLine(['push', `--${flag}`, 'x'])).rejects.toMatchObject({
      code: 'usage.later',
      message: `--${flag} is not part of this version`,
    });
  });
});

it('has help with examples for every command', async () => {
  for (const [name, { summary }] of Object.entries(commands)) {
    const help = await liveHelp(name);
    expect(help).toContain(summary);
    expect(help).toContain('Examples:');
    // Whoever asks for the help of a command looks for its own flags first.
    expect(help.indexOf('\nFlags:')).toBeLessThan(help.indexOf('\nCommon flags:'));
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  }
});

it('answers nothing statically where no text was generated, or for any other command line', () => {
  const here = import.meta.url;
  for (const argv of [['--help'], ['--version'], ['push', '--help'], ['push']]) {
    expect(staticAnswer(argv, here)).toBeUndefined();
  }
});
