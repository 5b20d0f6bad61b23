import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { renderCron } from '../../../src/cli/schedule/cron.ts';
import { renderDocker } from '../../../src/cli/schedule/docker.ts';
import { renderGithub } from '../../../src/cli/schedule/github.ts';
import { cronFields, parseInterval, renderInterval } from '../../../src/cli/schedule/interval.ts';
import type { Job, ScheduleFile } from '../../../src/cli/schedule/job.ts';
import {
  escapeXml,
  dollarsDoubled,
  quoteBatch,
  quoteCron,
  quoteSh,
  quoteSystemd,
} from '../../../src/cli/schedule/quote.ts';
import { renderKubernetes } from '../../../src/cli/schedule/kubernetes.ts';
import { renderSystemd } from '../../../src/cli/schedule/systemd.ts';
import { renderWindows } from '../../../src/cli/schedule/windows.ts';

function job(changes: Partial<Job> = {}): Job {
  const folder = changes.folder ?? '/srv/league';
  return {
    name: 'teamsheet-league',
    node: '/opt/node/bin/node',
    bin: '/opt/teamsheet/dist/cli/bin.cjs',
    packageFolder: '/opt/teamsheet',
    version: '1.2.3',
    folder,
    stateFolder: `${folder}/.teamsheet`,
    args: ['--env', 'service', 'users'],
    memories: [{ file: 'memory.gz', args: ['--env', 'service'] }],
    interval: { kind: 'hours', every: 1 },
    ownSchedules: false,
    owner: { user: 1234, group: 100 },
    timezone: 'Europe/London',
    secrets: ['TEAMSHEET_BASE_URL', 'TEAMSHEET_API_KEY'],
    googleKey: undefined,
    ...changes,
  };
}

const textOf = (files: readonly ScheduleFile[], ending: string): string =>
  files.find(({ name }) => name.endsWith(ending))?.text ?? '';
const NASTY = String.raw`/srv/My "Léague's" 50% $HOME \%\\ off; `;

describe('the interval', () => {
  it.each([
    [undefined, undefined, '0 * * * *', 'every hour'],
    ['15m', undefined, '*/15 * * * *', 'every 15 minutes'],
    ['60m', undefined, '0 * * * *', 'every hour'],
    ['6h', undefined, '0 */6 * * *', 'every 6 hours'],
    ['24h', undefined, '0 5 * * *', 'every day at 05:00'],
    [undefined, '6:30', '30 6 * * *', 'every day at 06:30'],
  ])('--every %s --at %s is %s', (every, at, fields, words) => {
    const interval = parseInterval(every, at);
    expect([cronFields(interval), renderInterval(interval)]).toEqual([fields, words]);
  });

  it.each([
    ['7m', undefined, 'schedule.every'],
    ['90m', undefined, 'schedule.every'],
    ['5h', undefined, 'schedule.every'],
    ['2d', undefined, 'schedule.every'],
    ['0m', undefined, 'schedule.every'],
    ['soon', undefined, 'schedule.every'],
    ['1h', '06:00', 'schedule.at'],
    ['1d', '24:00', 'schedule.at'],
  ])('--every %s --at %s is refused', (every, at, code) => {
    expect(() => parseInterval(every, at)).toThrow(expect.objectContaining({ code }) as Error);
  });
});

describe('words', () => {
  /** What cron makes of the command in its table, as Vixie's and the cron of Red Hat do: both must give the same. */
  function cronCommand(line: string, takesDoubled: boolean): string {
    let command = '';
    for (let at = 0; at < line.length; at += 1) {
      const [character = '', next = ''] = [line[at], line[at + 1]];
      if (character === '%') throw new Error('a bare % ends the command');
      const escapes = character === '\\' && (next === '%' || (takesDoubled && next === '\\'));
      command += escapes ? next : character + (character === '\\' ? next : '');
      if (character === '\\') at += 1;
    }
    return command;
  }

  const names = fc.sample(
    fc.string({
      unit: fc.oneof(
        fc.constantFrom(...Array.from(' \'"%$\\`!&|;<>(){}[]*?~#=-')),
        fc.constantFrom('ß', '見', '🏆', 'a', '0'),
      ),
      minLength: 1,
      maxLength: 24,
    }),
    { numRuns: 200, seed: 7 },
  );
  const words = [...names, NASTY, '', "'", '%%', '\\', '\\\\%', 'plain/path.txt'];

  it('come back from a shell', () => {
    const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${words.map(quoteSh).join(' ')}`], {
      encoding: 'utf8',
    });
    expect(printed.split('\n').slice(0, -1)).toEqual(words);
  });

  it.each([true, false])(
    'come back from cron and its shell (doubled backslashes taken: %s)',
    (takesDoubled) => {
      const line = words.map(quoteCron).join(' ');
      const script = `printf '%s\\n' ${cronCommand(line, takesDoubled)}`;
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n').slice(0, -1)).toEqual(
        words,
      );
    },
  );

  it('come back from systemd, compose, cmd and XML', () => {
    for (const word of words) {
      const systemd = quoteSystemd(word).slice(1, -1).replaceAll('%%', '%').replace(/\\(.)/g, '$1');
      expect(systemd).toBe(word);
      expect(dollarsDoubled(word).replaceAll('$$', '$')).toBe(word);
      if (!word.includes('"')) {
        const batch = quoteBatch(word).slice(1, -1).replaceAll('%%', '%');
        // Node reads backslashes as they are but before the quotation mark that ends the word.
        expect(batch.replace(/(\\+)$/, (all) => all.slice(all.length / 2))).toBe(word);
      }
      const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" } as const;
      expect(
        escapeXml(word).replace(
          /&(amp|lt|gt|quot|apos);/g,
          (_, name: keyof typeof entities) => entities[name],
        ),
      ).toBe(word);
    }
  });

  it('that no scheduler can hold are refused', () => {
    const broken = job({ folder: '/srv/a\nb' });
    for (const render of [renderCron, renderSystemd, renderWindows, renderDocker, renderKubernetes])
      expect(() => render(broken)).toThrow(expect.objectContaining({ code: 'schedule.path' }) as Error);
    expect(() => renderGithub(job({ args: ['${{ secrets.X }}'] }), '/srv')).toThrow('${{');
    expect(() => renderWindows(job({ folder: 'C:\\%TEMP%\\x' }))).toThrow('between two %');
  });
});

describe('cron', () => {
  const folder = mkdtempSync(join(tmpdir(), "teamsheet schedule 50% 'off' "));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('runs the command in the folder, one at a time, with a log that has the times', () => {
    // Stands in for the program: it says that it began and goes on until the file "end" is there.
    const bin = join(folder, 'pro gram.mjs');
    writeFileSync(
      bin,
      `import { existsSync, watch } from 'node:fs';
       const look = () => { if (existsSync('end')) folder.close(); };
       const folder = watch('.', look);
       console.log('began', process.argv.slice(2).join(' '));
       look();`,
    );
    const [file] = renderCron(job({ folder, node: process.execPath, bin }));
    const line = (file?.text ?? '').trimEnd().split('\n').at(-1) ?? '';
    expect(line).toMatch(/^0 \* \* \* \* cd /);
    const command = line.replace('0 * * * * ', '').replaceAll(String.raw`\%`, '%');
    const log = join(folder, '.teamsheet/scheduled.log');
    // The first run holds the folder; the second is refused at once; then the first is let go.
    const script = `(${command}) & first=$!
      while ! grep -q began ${quoteSh(log)} 2>/dev/null; do :; done
      (${command}); echo "second $?"; touch ${quoteSh(join(folder, 'end'))}; wait "$first"; echo "first $?"; cat ${quoteSh(log)}`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8', timeout: 300_000 });
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^second 1\nfirst 0\n.*\d\d:\d\d.*\nbegan sync --yes --no-color --no-progress --env service users\n.*\d\d:\d\d.*\n$/,
    );
  });
});

describe('systemd', () => {
  const files = renderSystemd(job({ folder: NASTY, interval: { kind: 'minutes', every: 15 } }));

  it('starts a service that runs once, and makes up for what was missed', () => {
    expect(files.map(({ name }) => name)).toEqual(['teamsheet-league.service', 'teamsheet-league.timer']);
    expect(textOf(files, 'service')).toContain('Type=oneshot');
    expect(textOf(files, 'timer')).toContain('OnCalendar=*-*-* *:00/15:00 Europe/London\nPersistent=true');
    expect(textOf(files, 'service')).toContain(`WorkingDirectory=${NASTY.replaceAll('%', '%%')}/\n`);
  });

  const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
  const folder = mkdtempSync(join(tmpdir(), 'teamsheet-units-'));
  beforeAll(() => {
    mkdirSync(join(folder, 'run'));
    for (const { name, text } of renderSystemd(job({ folder: NASTY, node: process.execPath })))
      writeFileSync(join(folder, name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.runIf(hasAnalyze)('has units that systemd takes', () => {
    const units = ['service', 'timer'].map((kind) => join(folder, `teamsheet-league.${kind}`));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', ...units], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: join(folder, 'run') },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('windows', () => {
  const folder = String.raw`C:\Users\Ada & Co\50% léague`;
  const files = renderWindows(
    job({ folder, stateFolder: `${folder}\\.teamsheet`, node: String.raw`C:\Program Files\nodejs\node.exe` }),
  );

  it('has a task that names the batch file and starts no second run', () => {
    const task = textOf(files, 'xml');
    expect(task).toContain('<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>');
    expect(task).toContain(
      String.raw`<Command>C:\Users\Ada &amp; Co\50% léague\teamsheet-league.cmd</Command>`,
    );
    expect(task).toContain('<Interval>PT1H</Interval>');
    expect(wellFormed(task)).toBe(true);
  });

  it('has a batch file with the command and its log', () => {
    const batch = textOf(files, 'cmd');
    expect(batch).toContain(String.raw`cd /d "C:\Users\Ada & Co\50%% léague" || exit /b 1`);
    expect(batch).toContain(
      String.raw`"C:\Program Files\nodejs\node.exe" "/opt/teamsheet/dist/cli/bin.cjs" "sync" "--yes" "--no-color" "--no-progress" "--env" "service" "users" >> "C:\Users\Ada & Co\50%% léague\.teamsheet\scheduled.log" 2>&1`,
    );
    expect(batch).toContain(
      String.raw`>> "C:\Users\Ada & Co\50%% léague\.teamsheet\scheduled.log" echo %date% %time%`,
    );
    expect(
      batch
        .split('\n')
        .slice(0, -1)
        .every((line) => line.endsWith('\r')),
    ).toBe(true);
  });
});

/** Whether every element of a document is closed, in order. */
function wellFormed(xml: string): boolean {
  const open: string[] = [];
  const body = xml.replace(/^<\?xml[^>]*\?>/, '').replace(/<!--(?:(?!--)[^])*-->/g, '');
  for (const [, slash, name = ''] of body.matchAll(/<(\/?)([A-Za-z]+)(?:\s+[A-Za-z:]+="[^"<]*")*>/g)) {
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0 && !/<|&(?!\w+;)/.test(body.replace(/<[^<>]*>/g, ''));
}

describe('github', () => {
  interface Workflow {
    readonly on: { readonly schedule: readonly { readonly cron: string }[] };
    readonly concurrency: object;
    readonly jobs: {
      readonly sync: {
        readonly env: Readonly<Record<string, string>>;
        readonly steps: readonly (Readonly<Record<string, unknown>> & {
          readonly with?: Readonly<Record<string, unknown>>;
        })[];
      };
    };
  }
  const folder = '/srv/repo/my "league"';
  const [file] = renderGithub(
    job({ folder, interval: parseInterval('1d', '6:30'), googleKey: `${folder}/league.key.json` }),
    '/srv/repo',
  );
  const workflow = parse(file?.text ?? '') as Workflow;
  const { env, steps } = workflow.jobs.sync;

  it('runs one at a time, with secrets for the address and the key', () => {
    expect(workflow.on.schedule).toEqual([{ cron: '30 6 * * *' }]);
    expect(workflow.concurrency).toEqual({ group: 'teamsheet-league', 'cancel-in-progress': false });
    expect(env['TEAMSHEET_API_KEY']).toBe('${{ secrets.TEAMSHEET_API_KEY }}');
    expect(steps.find(({ id }) => id === 'sync')).toMatchObject({
      'working-directory': 'my "league"',
      run: 'teamsheet sync --yes --no-color --no-progress --env service users',
    });
    expect(steps.find(({ run }) => String(run).includes('GOOGLE_KEY'))?.['run']).toBe(
      `umask 077 && printf '%s' "$GOOGLE_KEY" > 'my "league"/league.key.json'`,
    );
  });

  it('goes on only with the state of the last run, keeps its own whatever happens, and stops when it cannot', () => {
    const names = steps.map(({ uses, id, name }) => String(uses ?? id ?? name).replace(/@.*/, ''));
    const order = ['actions/cache/restore', 'sync', 'actions/cache/save'].map((name) => names.indexOf(name));
    expect(order.every((at) => at >= 0)).toBe(true);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const [restore, save] = [steps[order[0] ?? 0], steps[order[2] ?? 0]];
    expect(restore?.with).toMatchObject({
      path: 'my "league"/.teamsheet',
      'fail-on-cache-miss': '${{ !inputs.first }}',
    });
    expect(save).toMatchObject({
      if: "always() && steps.sync.outcome != 'skipped'",
      with: { path: 'my "league"/.teamsheet' },
    });
    expect(steps.find(({ run }) => String(run).includes('gh workflow disable'))?.if).toContain("'failure'");
  });

  it('keeps the memory of game weeks as an artifact', () => {
    expect(steps.find(({ run }) => String(run).includes('weeks export'))).toMatchObject({
      if: "always() && steps.sync.outcome != 'skipped'",
      'continue-on-error': true,
      'working-directory': 'my "league"',
      run: 'teamsheet weeks export memory.gz --env service',
    });
    expect(steps.at(-1)).toMatchObject({
      uses: expect.stringContaining('actions/upload-artifact') as string,
      with: { name: 'memory', path: 'my "league"/memory*.gz' },
    });
  });
});

describe('docker', () => {
  interface Service {
    readonly user: string;
    readonly command: readonly string[];
    readonly volumes: readonly Readonly<Record<string, unknown>>[];
    readonly healthcheck?: { readonly disable: boolean };
    readonly build?: { readonly context: string };
    readonly image: string;
  }
  interface Compose {
    readonly services: { readonly teamsheet: Service; readonly state: Service };
    readonly volumes: object;
  }
  /** As compose reads it: $$ is $. */
  const read = (changes: Partial<Job>): Compose => {
    const [file] = renderDocker(job({ folder: NASTY, stateFolder: `${NASTY}/.teamsheet`, ...changes }));
    return JSON.parse(JSON.stringify(parse(file?.text ?? '')).replaceAll('$$', '$')) as Compose;
  };

  it('builds the image, keeps the state in a volume that the account may write, and runs as the owner of the folder', () => {
    const { services, volumes } = read({ interval: { kind: 'hours', every: 6 } });
    const stateVolume = { type: 'volume', source: 'state', target: '/league/.teamsheet' };
    expect(services.teamsheet).toMatchObject({
      image: 'teamsheet:1.2.3',
      user: '1234:100',
      volumes: [{ type: 'bind', source: NASTY, target: '/league' }, stateVolume],
    });
    expect(services.state).toMatchObject({
      image: 'teamsheet:1.2.3',
      build: { context: '/opt/teamsheet' },
      volumes: [stateVolume],
      command: ['chown', '1234:100', '/league/.teamsheet'],
    });
    expect(volumes).toEqual({ state: null });
    expect(read({ owner: undefined }).services.teamsheet.user).toBe('1000:1000');
  });

  it('runs one sync after the other, without the probe that the image asks', () => {
    const { teamsheet } = read({ interval: { kind: 'hours', every: 6 } }).services;
    const [shell, flag, script = ''] = teamsheet.command;
    expect([shell, flag]).toEqual(['sh', '-c']);
    expect(script).toContain('  teamsheet sync --yes');
    expect(script).toContain('sleep $((21600 - now % 21600)) & child=$!');
    expect(teamsheet.healthcheck).toEqual({ disable: true });
  });

  it('carries out the schedules of the mappings where there are some, with the probe that the image asks', () => {
    const { teamsheet } = read({ ownSchedules: true }).services;
    const command =
      'teamsheet schedule run --probe 127.0.0.1:8791 --yes --no-color --no-progress --env service';
    expect(teamsheet.command).toEqual([...command.split(' '), 'users']);
    expect(teamsheet.healthcheck).toBeUndefined();
  });

  it.each([
    { kind: 'minutes', every: 5 },
    { kind: 'daily', hour: 6, minute: 30 },
  ] as const)('has a loop that a shell takes: %o', (interval) => {
    const script = read({ interval }).services.teamsheet.command.at(-1) ?? '';
    expect(spawnSync('sh', ['-n', '-c', script], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

describe('kubernetes', () => {
  interface Container {
    readonly name: string;
    readonly args: readonly string[];
    readonly env?: readonly object[];
    readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
    readonly securityContext: object;
    readonly [probe: string]: unknown;
  }
  interface PodSpec {
    readonly containers: readonly [Container];
    readonly initContainers: readonly [Container];
    readonly securityContext: object;
    readonly volumes: readonly object[];
  }
  type Documents = readonly Readonly<Record<string, unknown>>[];
  const read = (changes: Partial<Job>): { readonly text: string; readonly documents: Documents } => {
    const [file] = renderKubernetes(job(changes));
    const { text = '' } = file ?? {};
    const parsed = parseAllDocuments(text);
    if (!Array.isArray(parsed)) throw new Error('no documents');
    expect(text).not.toMatch(/[&*]a\d/);
    expect(parsed.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    return { text, documents: parsed.map((document) => document.toJS() as Documents[number]) };
  };
  const podOf = (document: unknown, ...way: readonly string[]): PodSpec =>
    way.reduce((at, key) => (at as Readonly<Record<string, unknown>>)[key], document) as PodSpec;

  it('carries out the schedules in one pod, with probes, a volume and keys from a secret', () => {
    const { text, documents } = read({ ownSchedules: true });
    const [claim, deployment] = documents;
    expect(claim).toMatchObject({ kind: 'PersistentVolumeClaim', metadata: { name: 'teamsheet-league' } });
    expect(deployment).toMatchObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: { replicas: 1, strategy: { type: 'Recreate' } },
    });
    const selected = podOf(deployment, 'spec', 'selector', 'matchLabels');
    expect(podOf(deployment, 'spec', 'template', 'metadata', 'labels')).toEqual(selected);
    const pod = podOf(deployment, 'spec', 'template', 'spec');
    const [{ args, env, ports, ...container }] = pod.containers;
    expect(args.join(' ')).toBe(
      'teamsheet schedule run --probe 0.0.0.0:8791 --yes --no-color --no-progress --env service users',
    );
    expect(ports).toEqual([{ name: 'probe', containerPort: 8791 }]);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(container[probe]).toMatchObject({ httpGet: { path: '/healthz', port: 'probe' } });
    const from = (key: string): object => ({
      name: key,
      valueFrom: { secretKeyRef: { name: 'teamsheet-league', key } },
    });
    expect(env).toEqual([
      { name: 'TZ', value: 'Europe/London' },
      from('TEAMSHEET_BASE_URL'),
      from('TEAMSHEET_API_KEY'),
    ]);
    expect(text).toContain('kubectl create secret generic teamsheet-league --from-env-file=.env');
    expect(pod.volumes[0]).toEqual({
      name: 'league',
      persistentVolumeClaim: { claimName: 'teamsheet-league' },
    });
    expect(container['volumeMounts']).toContainEqual({ name: 'league', mountPath: '/league' });
  });

  it('is not root, and writes nowhere but into its volumes', () => {
    const pod = podOf(read({ ownSchedules: true }).documents[1], 'spec', 'template', 'spec');
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    for (const { securityContext } of [...pod.containers, ...pod.initContainers])
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it('syncs at an interval by a job of which no two overlap', () => {
    const { documents } = read({ interval: { kind: 'daily', hour: 6, minute: 30 } });
    expect(documents[1]).toMatchObject({
      kind: 'CronJob',
      spec: { schedule: '30 6 * * *', timeZone: 'Europe/London', concurrencyPolicy: 'Forbid' },
    });
    const pod = podOf(documents[1], 'spec', 'jobTemplate', 'spec', 'template', 'spec');
    expect(pod.containers[0].args.join(' ')).toBe(
      'teamsheet sync --yes --no-color --no-progress --env service users',
    );
    expect(pod.containers[0]['livenessProbe']).toBeUndefined();
  });

  it('takes no state that stands outside of the folder, and no name that is too long for a job', () => {
    expect(() => renderKubernetes(job({ stateFolder: '/var/state' }))).toThrow('outside of the folder');
    const { documents } = read({ name: `teamsheet-${'x'.repeat(41)}-season` });
    expect(documents[1]).toMatchObject({ metadata: { name: `teamsheet-${'x'.repeat(41)}` } });
  });
});
