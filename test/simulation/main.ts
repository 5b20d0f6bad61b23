import { simulate } from './simulate.ts';
const from = Number(process.argv[2] ?? 1), n = Number(process.argv[3] ?? 100);
const bad = new Map<string, number[]>();
const t = performance.now();
let req = 0;
for (let s = from; s < from + n; s++) {
  const o = await simulate(s);
  req += o.requests;
  if (o.violation) { const k = o.violation.message.slice(0, 160); bad.set(k, [...(bad.get(k) ?? []), s]);
    if (n === 1) process.stdout.write(o.history.lines.join('\n') + '\n'); }
}
for (const [k, v] of bad) process.stdout.write(`${v.length} ${k} [${v.slice(0, 5).join(',')}]\n`);
process.stdout.write(`${n} seeds, ${req} requests, ${((performance.now() - t) / n).toFixed(2)} ms each\n`);
