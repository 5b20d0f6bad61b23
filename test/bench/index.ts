/** Runs one benchmark by its file's name: `npm run bench -- plan-memory [ARGUMENTS]`. Without a name it lists them. */
import { globSync } from 'node:fs';
import path from 'node:path';

const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => path.basename(file, '.ts'))
  .filter((name) => name !== 'index');
const [name = ''] = process.argv.splice(2, 1);
if (names.includes(name)) {
  await import(`./${name}.ts`);
} else {
  console.log(`benchmarks: ${names.toSorted().join(' ')}`);
}
