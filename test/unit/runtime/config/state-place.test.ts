import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, type Config } from '../../../../src/runtime/config/config.ts';
import { openState } from '../../../../src/runtime/state.ts';
import {
  readAddress,
  shownPlace,
  tlsOf,
  type StateDatabase,
} from '../../../../src/runtime/config/state-place.ts';
import { testFolder } from '../../../support/test-folder.ts';

const folder = testFolder();

function read(text: string, env: Readonly<Record<string, string>> = {}): Config {
  folder.write('teamsheet.yaml', `version: 1\n${text}`);
  return readConfig({ var: {} }, { cwd: folder.path, env });
}
const databaseOf = ({ state }: Config): StateDatabase => {
  if (state.kind !== 'postgres') throw new Error('no database');
  return state;
};
const address = (text: string): StateDatabase =>
  readAddress(text, { folder: folder.path, env: {}, schema: 'teamsheet', leaseMs: 30_000 }, {});

describe('a state on PostgreSQL', () => {
  it('is named by its address, the password by the environment', () => {
    const config = read(
      'state: postgres://ada@db.example:5433/club\nstate_schema: north\nstate_lease: 5s\n',
      {
        PGPASSWORD: 'hush',
      },
    );
    expect(config.stateFolder).toBe(join(folder.path, '.teamsheet'));
    expect(shownPlace(config.state)).toBe('postgres://db.example:5433/club, schema north');
    const { password, ...rest } = databaseOf(config);
    expect(password?.reveal()).toBe('hush');
    expect(JSON.stringify(config.state)).not.toContain('hush');
    expect(rest).toEqual({
      kind: 'postgres',
      name: 'postgres://db.example:5433/club',
      host: 'db.example',
      port: 5433,
      database: 'club',
      user: 'ada',
      tls: undefined,
      caFile: undefined,
      schema: 'north',
      leaseMs: 5_000,
    });
  });

  it('may come from the environment, with its password', () => {
    for (const text of ['state: { env: STATE }\n', 'state: ${STATE}\n']) {
      const config = read(text, { STATE: 'postgresql://ada:p%40ss@127.0.0.1/club' });
      expect(databaseOf(config).password?.reveal()).toBe('p@ss');
      expect(shownPlace(config.state)).toBe('postgres://127.0.0.1/club, schema teamsheet');
    }
    expect(databaseOf(read('state: postgres://ada:${PASS}@h/d\n', { PASS: 'x' })).password?.reveal()).toBe(
      'x',
    );
    expect(() => read('state: { env: STATE }\n')).toThrow('STATE is not set');
  });

  it.each([
    'postgres://ada:hush@db.example/club',
    'postgres://ada:hush${TAIL}@db.example/club',
    'postgres://db.example/club?user=ada&password=hush',
    'postgress://ada:hush@db.example/club',
    'jdbc:postgresql://ada:hush@db.example/club',
    'jdbc:postgresql://db.example/club?user=ada&password=hush',
  ])('is refused where its password stands in the file, which is not quoted: %s', (text) => {
    let caught: unknown;
    try {
      read(`state: ${text}\n`, { TAIL: 'x' });
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code: 'state.password', exitCode: 4, place: { line: 2, column: 8 } });
    expect(String(caught)).not.toContain('hush');
  });

  it.each([
    'postgress://ada@db.example/club',
    'mysql://db.example/club',
    'sqlite:///club.sqlite',
    'jdbc:postgresql://db.example/club',
  ])('is no file by the name of an address: %s', (text) => {
    const named = () => read(`state: ${text}\n`);
    expect(named).toThrow(expect.objectContaining({ code: 'state.address', exitCode: 4 }));
    expect(named).toThrow('teamsheet.yaml:2:8: the address of the state is none of PostgreSQL');
  });

  it.each([
    ['~/club/state.sqlite', 'begins with ~,'],
    ['~ada/club/state.sqlite', 'begins with ~ada,'],
    ['$HOME/club/state.sqlite', 'begins with $HOME,'],
    [String.raw`$env:USERPROFILE\club\state.sqlite`, 'begins with $env:USERPROFILE,'],
    [String.raw`'%USERPROFILE%\club\state.sqlite'`, 'begins with %USERPROFILE%,'],
  ])('is no file of a folder that a shell would have named: %s', (text, reason) => {
    const named = () => read(`state: ${text}\n`);
    expect(named).toThrow(expect.objectContaining({ code: 'state.path', exitCode: 4 }));
    expect(named).toThrow(`teamsheet.yaml:2:8: the path of the state ${reason}`);
  });

  it('is the file of the folder that the environment names', () => {
    expect(read('state: ${HOME}/club/state.sqlite\n', { HOME: folder.path }).state).toEqual({
      kind: 'file',
      file: join(folder.path, 'club/state.sqlite'),
    });
    expect(read('state: ./~/club.sqlite\n').state).toMatchObject({
      file: join(folder.path, '~/club.sqlite'),
    });
    expect(read('state: ~club.sqlite\n').state).toMatchObject({ file: join(folder.path, '~club.sqlite') });
  });

  it.each([
    ['mysql://h/d', 'is none of PostgreSQL'],
    ['postgres://ada:pa/ss@h/d', 'is none of PostgreSQL'],
    ['postgres:///d', 'names no host'],
    ['postgres://h/d?host=elsewhere', 'has a "host" that is no folder of a socket'],
    ['postgres://h/d?sslmode=prefer', 'has an "sslmode" that is none of'],
    ['postgres://h/d?options=x', 'has "options", and only host, sslmode, sslrootcert are known'],
    ['postgres://h/d#x', 'holds a #'],
    ['postgres://u:12/secret@h/d', 'has an @ behind a / or a ?'],
    ['postgres://u:/secret@h/d', 'has an @ behind a / or a ?'],
    ['postgres://u:5?secret=x@h/d', 'has an @ behind a / or a ?'],
    ['postgres://u:100%secret@h/d', 'holds a % that begins no sign'],
    ['postgres://u%@h/d', 'holds a % that begins no sign'],
    ['postgres://h/d%', 'holds a % that begins no sign'],
  ])('is refused as %s', (text, reason) => {
    expect(() => address(text)).toThrow(expect.objectContaining({ code: 'state.address', exitCode: 4 }));
    expect(() => address(text)).toThrow(reason);
    expect(() => address(text)).not.toThrow('secret');
  });

  it('stands in a schema whose name needs no quotes, with a lease that a machine can renew', () => {
    for (const text of ['state_schema: a-b', 'state_schema: pg_own', 'state_lease: 1s', 'state_lease: 2h'])
      expect(() => read(`${text}\n`)).toThrow(expect.objectContaining({ code: 'config.invalid' }));
  });

  it.each([
    ['postgres://127.0.0.1/d', false],
    ['postgres://localhost/d', false],
    ['postgres://[::1]/d', false],
    ['postgres://x/d?host=/run/postgresql', false],
    ['postgres://127.0.0.1/d?sslmode=require', { host: '127.0.0.1', rejectUnauthorized: true }],
    ['postgres://[2001:db8::1]/d', { host: '2001:db8::1', rejectUnauthorized: true }],
    ['postgres://db.example/d', { host: 'db.example', rejectUnauthorized: true }],
    ['postgres://db.example/d?sslmode=verify-ca', { host: 'db.example', rejectUnauthorized: true }],
  ])('is reached as %s with %j', (text, tls) => {
    expect(tlsOf(address(text), false)).toEqual(tls);
  });

  it.each([
    ['disable', false],
    ['no-verify', { host: 'db.example', rejectUnauthorized: false }],
  ])('on another machine is reached with sslmode=%s only by --insecure', (mode, tls) => {
    const far = address(`postgres://db.example/d?sslmode=${mode}`);
    expect(() => tlsOf(far, false)).toThrow(expect.objectContaining({ code: 'state.tls', exitCode: 6 }));
    expect(tlsOf(far, true)).toEqual(tls);
    expect(tlsOf(address('postgres://db.example/d'), true)).toBe(false);
  });

  it('is checked by the certificate that the address names', () => {
    const named = address('postgres://db.example/d?sslrootcert=ca.pem');
    expect(() => tlsOf(named, false)).toThrow(expect.objectContaining({ code: 'state.certificate' }));
    folder.write('ca.pem', 'PEM');
    expect(tlsOf(named, false)).toEqual({ host: 'db.example', rejectUnauthorized: true, ca: 'PEM' });
  });

  it('that does not answer is said to be unreachable', async () => {
    const config = read('state: postgres://ada@127.0.0.1:1/club\n');
    const opened = openState(
      config,
      { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
      () => undefined,
    );
    await expect(opened).rejects.toMatchObject({
      code: 'state.unreachable',
      exitCode: 8,
      message: 'postgres://127.0.0.1:1/club cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    });
  });
});
