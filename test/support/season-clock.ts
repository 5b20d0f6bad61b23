import type { Sandbox } from '../../src/sandbox/index.ts';

/** Loaded before the program: the machine's clock is that of the season, and a run waits for no others that begin in the same second. */
export const SEASON_CLOCK = `const Real = Date;
const now = () => performance.timeOrigin + performance.now() + Number(process.env.AHEAD_MS);
globalThis.Date = class extends Real {
  constructor(...args) { super(...(args.length === 0 ? [now()] : args)); }
  static now() { return Math.floor(now()); }
};
Math.random = () => 0;
`;

/** How a program is started whose clock is that of a sandbox at this moment; its folder holds {@link SEASON_CLOCK} as `clock.cjs`. */
export async function inSeason(sandbox: Sandbox) {
  const { now } = (await sandbox.control('GET', '/state')) as { readonly now: string };
  return {
    env: { AHEAD_MS: String(Date.parse(now) - Date.now()) },
    nodeArgs: ['--require', './clock.cjs'],
  };
}
