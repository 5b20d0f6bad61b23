import { relative, sep } from 'node:path';
import { cronFields, renderInterval } from './interval.ts';
import type { Job, ScheduleFile } from './job.ts';
import { quoteSh, quoteYaml, refuseControl, unquotable } from './quote.ts';

/**
 * A workflow. The state is kept by the cache, a new entry for each run; a run that finds none, or cannot keep its own, stops the schedule rather than
 * going on without what was written before. `root` is the folder of the repository.
 */
export function renderGithub(job: Job, root: string): readonly ScheduleFile[] {
  const { name, interval, args, memories, secrets, googleKey, version } = job;
  const below = (path: string): string => relative(root, path).split(sep).join('/') || '.';
  const folder = below(job.folder);
  const state = below(job.stateFolder);
  const texts = [folder, state, ...args];
  refuseControl(texts);
  const expression = texts.find((text) => text.includes('${{'));
  if (expression !== undefined) throw unquotable(expression, '${{');
  const inFolder = (path: string): string => quoteYaml(folder === '.' ? path : `${folder}/${path}`);
  const environment = secrets.map((secret) => `      ${secret}: \${{ secrets.${secret} }}\n`).join('');
  const googleStep =
    googleKey === undefined
      ? ''
      : `      - name: Put the key file of Google where teamsheet.yaml names it
        env: { GOOGLE_KEY: '\${{ secrets.GOOGLE_KEY }}' }
        run: umask 077 && printf '%s' "$GOOGLE_KEY" > ${quoteSh(below(googleKey))}
`;
  const command = ['teamsheet', 'sync', '--yes', '--no-color', '--no-progress', ...args]
    .map(quoteSh)
    .join(' ');
  const exports = memories.map(
    ({ file, args: flags }) => `      - name: Export the memory to ${file}
        if: always() && steps.sync.outcome != 'skipped'
        continue-on-error: true
        working-directory: ${quoteYaml(folder)}
        run: ${quoteYaml(['teamsheet', 'weeks', 'export', file, ...flags].map(quoteSh).join(' '))}
`,
  );
  const text = `# teamsheet: sync of ${folder}, ${renderInterval(interval)}. Times are UTC, and GitHub may start late.
# Install: commit this file as .github/workflows/${name}.yml in a private repository, and beside teamsheet.yaml the file
# teamsheet-${version}.tgz, which \`npm pack\` makes in the checkout of teamsheet. Then add ${[...secrets, ...(googleKey === undefined ? [] : ['GOOGLE_KEY'])].join(', ') || 'no secrets'}
# under Settings > Secrets and variables > Actions, and start the first run by hand with "first run" ticked. Remove: delete the file.
# The state is kept in the cache of Actions: each run leaves a new entry, entries that nobody reads for 7 days go away, and a run that finds none
# stops. No two runs overlap. The log is that of the run; the reports and the memory of
# game weeks, for \`teamsheet weeks import\`, are its artifacts.
name: ${name}

on:
  schedule:
    - cron: ${quoteYaml(cronFields(interval))}
  workflow_dispatch:
    inputs:
      first:
        description: First run, there is no state yet
        type: boolean
        default: false

concurrency:
  group: ${name}
  cancel-in-progress: false

permissions:
  contents: read
  actions: write

jobs:
  sync:
    runs-on: ubuntu-latest
    timeout-minutes: 350
    env:
${environment}      STATE_KEY: ${name}-state
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      - name: Install teamsheet
        working-directory: ${quoteYaml(folder)}
        run: npm install --global ./teamsheet-${version}.tgz
${googleStep}      - name: Fetch the state that the last run left
        uses: actions/cache/restore@v4
        with:
          path: ${quoteYaml(state)}
          key: \${{ env.STATE_KEY }}-\${{ github.run_id }}-\${{ github.run_attempt }}
          restore-keys: \${{ env.STATE_KEY }}-
          fail-on-cache-miss: \${{ !inputs.first }}
      - name: Sync
        id: sync
        working-directory: ${quoteYaml(folder)}
        run: ${quoteYaml(command)}
      - name: Keep the state
        if: always() && steps.sync.outcome != 'skipped'
        uses: actions/cache/save@v4
        with:
          path: ${quoteYaml(state)}
          key: \${{ env.STATE_KEY }}-\${{ github.run_id }}-\${{ github.run_attempt }}
      - name: Check that the state was kept
        id: kept
        if: always() && steps.sync.outcome != 'skipped'
        uses: actions/cache/restore@v4
        with:
          path: ${quoteYaml(state)}
          key: \${{ env.STATE_KEY }}-\${{ github.run_id }}-\${{ github.run_attempt }}
          lookup-only: true
          fail-on-cache-miss: true
      - name: Stop the schedule, because what this run wrote would be forgotten
        if: always() && steps.kept.outcome == 'failure'
        env: { GH_TOKEN: '\${{ github.token }}' }
        run: gh workflow disable --repo "$GITHUB_REPOSITORY" ${name}
      - name: Reports
        if: always() && steps.sync.outcome != 'skipped'
        uses: actions/upload-artifact@v4
        with:
          name: reports
          path: ${inFolder('out')}
          if-no-files-found: ignore
${exports.join('')}      - name: Memory
        if: always() && steps.sync.outcome != 'skipped'
        uses: actions/upload-artifact@v4
        with:
          name: memory
          path: ${inFolder('memory*.gz')}
          if-no-files-found: ignore
`;
  return [{ name: `${name}.yml`, text }];
}
