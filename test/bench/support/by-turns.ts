import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { inFolder, median, timed } from './measure.ts';

const ROUNDS = 3;
const SIDE = '--side';

interface Reading {
  readonly rows: number;
  readonly ms: number;
  readonly peakMb: number;
}

/**
 * Reads a file in several ways by turns, each time in a process of its own, which runs the calling script again. Tells of each way the rows, the median time and the
 * highest peak of memory.
 */
export async function readByTurns<Side extends string>(
  script: string,
  sides: Readonly<Record<Side, (file: string) => Promise<number>>>,
  write: (file: string) => Promise<void>,
  tell: (readings: Readonly<Record<Side, Reading>>) => void,
): Promise<void> {
  const [mode, side, given = ''] = process.argv.slice(2);
  if (mode === SIDE) {
    const [ms, rows] = await timed(() => sides[side as Side](given));
    const reading: Reading = { rows, ms, peakMb: process.resourceUsage().maxRSS / 1024 };
    console.log(JSON.stringify(reading));
    return;
  }
  await inFolder(async (folder) => {
    const file = path.join(folder, 'table');
    await write(file);
    const names = Object.keys(sides) as Side[];
    const readings = Array.from({ length: ROUNDS }, () =>
      names.map((name) => {
        const told = execFileSync(process.execPath, [script, SIDE, name, file], { encoding: 'utf8' });
        return [name, JSON.parse(told) as Reading] as const;
      }),
    ).flat();
    const of = (name: Side): Reading => {
      const own = readings.filter(([each]) => each === name).map(([, reading]) => reading);
      return {
        rows: own[0]?.rows ?? 0,
        ms: median(own.map(({ ms }) => ms)),
        peakMb: Math.max(...own.map(({ peakMb }) => peakMb)),
      };
    };
    tell(Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Side, Reading>);
  });
}
