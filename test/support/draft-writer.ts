// Begins to write a file, says so, and goes on until it is killed or its input ends.
import { once } from 'node:events';
import { writeAtomically } from '../../src/tables/atomic-write.ts';

const [file = ''] = process.argv.slice(2);
await writeAtomically(file, async (append) => {
  await append('begun');
  process.stdout.write('begun\n');
  await once(process.stdin.resume(), 'end');
});
