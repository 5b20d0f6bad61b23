import { clockTime, renderInterval, type Interval } from './interval.ts';
import { commandOf, type Job, type ScheduleFile } from './job.ts';
import { escapeSpecifiers, quoteSystemd, refuseControl } from './quote.ts';

/** A service that runs once, and the timer that starts it; a service that is running is not started again. */
export function renderSystemd(job: Job): readonly ScheduleFile[] {
  const { name, folder, interval, timezone } = job;
  const command = commandOf(job);
  refuseControl([folder, ...command]);
  const service = `# teamsheet: sync of ${folder}; started by ${name}.timer, which says how to install and remove both.
[Unit]
Description=teamsheet sync of ${escapeSpecifiers(folder)}/
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
# The slash at the end keeps a blank or a backslash before it.
WorkingDirectory=${escapeSpecifiers(folder)}/
# The colon: no variables are put into the words.
ExecStart=:${command.map(quoteSystemd).join(' ')}
`;
  const timer = `# teamsheet: sync of ${folder}, ${renderInterval(interval)}, ${timezone}.
# Install: put both files into ~/.config/systemd/user, then systemctl --user enable --now ${name}.timer
# and loginctl enable-linger, so that it runs while you are logged out.
# Remove: systemctl --user disable --now ${name}.timer, then delete both files.
# A run that was missed while the machine was off is made up for once; while one is under way no other starts.
# The log: journalctl --user -u ${name}. Keys stay in .env.
[Unit]
Description=teamsheet sync of ${escapeSpecifiers(folder)}/, ${renderInterval(interval)}

[Timer]
OnCalendar=${calendar(interval)} ${timezone}
Persistent=true

[Install]
WantedBy=timers.target
`;
  return [
    { name: `${name}.service`, text: service },
    { name: `${name}.timer`, text: timer },
  ];
}

function calendar(interval: Interval): string {
  switch (interval.kind) {
    case 'minutes':
      return `*-*-* *:00/${interval.every}:00`;
    case 'hours':
      return `*-*-* 00/${interval.every}:00:00`;
    case 'daily':
      return `*-*-* ${clockTime(interval)}:00`;
  }
}
