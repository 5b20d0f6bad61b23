import { join } from 'node:path';
import { cronFields, renderInterval } from './interval.ts';
import { commandOf, type Job, type ScheduleFile } from './job.ts';
import { quoteCron, refuseControl } from './quote.ts';

/** One line for a crontab. `flock` on the folder keeps a second run from starting while one is under way. */
export function renderCron(job: Job): readonly ScheduleFile[] {
  const { name, folder, stateFolder, interval } = job;
  const log = join(stateFolder, 'scheduled.log');
  const command = commandOf(job);
  refuseControl([folder, stateFolder, ...command]);
  const state = quoteCron(stateFolder);
  const line = [
    `${cronFields(interval)} cd ${quoteCron(folder)}`,
    `mkdir -p -m 700 ${state}`,
    `{ date; flock -n . ${command.map(quoteCron).join(' ')}; } >> ${quoteCron(log)} 2>&1`,
  ].join(' && ');
  const text = `# teamsheet: sync of ${folder}, ${renderInterval(interval)} by the clock and the time zone of this machine.
# Install: put the line below into the table that \`crontab -e\` opens, as the account that owns the folder. Remove: delete it there.
# While one run is under way no other starts (flock, of util-linux): the log then has a time with nothing below. It is ${log};
# keys stay in .env, and \`teamsheet runs\` lists what the runs did.
${line}
`;
  return [{ name: `${name}.crontab`, text }];
}
