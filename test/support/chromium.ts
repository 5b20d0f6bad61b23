import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { isLong } from './long.ts';

const PLACES = [
  '/usr/bin/{chromium,chromium-browser,google-chrome,google-chrome-stable}',
  join(homedir(), '.cache/ms-playwright/chromium*/chrome-linux*/{chrome,headless_shell}'),
];

/** A Chromium of this machine: `TEAMSHEET_CHROMIUM`, or one in the usual places; undefined where there is none. Nothing is downloaded. */
export const CHROMIUM: string | undefined =
  process.env['TEAMSHEET_CHROMIUM'] ?? PLACES.flatMap((place) => globSync(place))[0];

/** What is run where a Chromium is found; elsewhere its name says why it is not. */
export function describeInChromium(name: string, tests: () => void): void {
  if (CHROMIUM !== undefined) describe(name, tests);
  else describe.skip(`${name} (not run: no Chromium is found, and TEAMSHEET_CHROMIUM names none)`, tests);
}

export type Look = readonly [width: number, scheme: 'light' | 'dark'];

const NARROW_LIGHT: Look = [390, 'light'];
const WIDE_DARK: Look = [1280, 'dark'];

/** How a page is shown to be judged: in the short form each width in one scheme, and each scheme in one width. */
export const LOOKS: readonly Look[] = isLong
  ? [NARROW_LIGHT, [390, 'dark'], [1280, 'light'], WIDE_DARK]
  : [NARROW_LIGHT, WIDE_DARK];

type Values = Readonly<Record<string, unknown>>;

/** One page of a browser. */
export interface Page {
  /** Loads an address, and answers once it is loaded. */
  go(url: string): Promise<void>;
  /** Has an expression in the page load another page, such as by sending a form. */
  follow(expression: string): Promise<void>;
  show(...[width, scheme]: Look): Promise<void>;
  /** Shows the page as it is printed, until it is shown in another look. */
  onPaper(): Promise<void>;
  /** The value of an expression in the page, also one that comes later. It runs although the page itself may run no script. Errors: what the expression throws. */
  value(expression: string): Promise<unknown>;
  press(key: string): Promise<void>;
  /** What the browser complained of, such as what a policy kept it from loading. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Starts a browser without a window and opens a page, by its own protocol. */
export async function openPage(): Promise<Page> {
  if (CHROMIUM === undefined) throw new Error('there is no Chromium');
  const profile = mkdtempSync(join(tmpdir(), 'teamsheet-browser-'));
  // As root Chromium refuses its sandbox.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const flags = [
    '--headless=new',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ];
  const child = spawn(CHROMIUM, [...flags, ...asRoot, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.once('close', () => reject(new Error(`Chromium ended: ${said}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, found] = /DevTools listening on (\S+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const socket = new WebSocket(address);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const answers = new Map<number, (result: Values) => void>();
  const listeners = new Map<string, () => void>();
  const complaints: string[] = [];
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result } = JSON.parse(String(data)) as {
      readonly id?: number;
      readonly method?: string;
      readonly params?: { readonly entry?: { readonly text: string } };
      readonly result?: Values;
    };
    if (id !== undefined) answers.get(id)?.(result ?? {});
    if (method === 'Log.entryAdded') complaints.push(params?.entry?.text ?? '');
    listeners.get(method ?? '')?.();
  });
  const send = (method: string, params: Values = {}, sessionId?: string): Promise<Values> =>
    new Promise((resolve) => {
      last += 1;
      answers.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    });
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const ask = (method: string, params?: Values): Promise<Values> => send(method, params, String(sessionId));
  const loading = async (start: () => Promise<unknown>): Promise<void> => {
    const loaded = new Promise<void>((resolve) => listeners.set('Page.loadEventFired', resolve));
    await start();
    await loaded;
  };
  await ask('Page.enable');
  await ask('Log.enable');
  return {
    complaints,
    go: (url) => loading(() => ask('Page.navigate', { url })),
    follow: (expression) => loading(() => ask('Runtime.evaluate', { expression })),
    show: async (width, scheme) => {
      await ask('Emulation.setDeviceMetricsOverride', {
        width,
        height: 900,
        deviceScaleFactor: 1,
        mobile: width < 600,
      });
      await ask('Emulation.setEmulatedMedia', {
        media: '',
        features: [{ name: 'prefers-color-scheme', value: scheme }],
      });
    },
    onPaper: async () => {
      await ask('Emulation.setEmulatedMedia', { media: 'print' });
    },
    value: async (expression) => {
      const evaluated = await ask('Runtime.evaluate', {
        expression,
        returnByValue: true,
        awaitPromise: true,
      });
      const { result, exceptionDetails } = evaluated as {
        readonly result: { readonly value?: unknown; readonly description?: string };
        readonly exceptionDetails?: unknown;
      };
      if (exceptionDetails !== undefined) throw new Error(result.description);
      return result.value;
    },
    press: async (key) => {
      const what = {
        key,
        code: key,
        windowsVirtualKeyCode: key === 'Tab' ? 9 : 13,
        ...(key === 'Enter' && { text: '\r' }),
      };
      await ask('Input.dispatchKeyEvent', { type: 'keyDown', ...what });
      await ask('Input.dispatchKeyEvent', { type: 'keyUp', ...what });
    },
    close: async () => {
      socket.close();
      child.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
