import { win32 } from 'node:path';
import { clockTime, renderInterval, type Interval } from './interval.ts';
import { commandOf, type Job, type ScheduleFile } from './job.ts';
import { escapeXml, quoteBatch, refuseControl, unquotable } from './quote.ts';

/** A batch file with the command, and the task that runs it. The task names the batch file where it belongs: beside the configuration. */
export function renderWindows(job: Job): readonly ScheduleFile[] {
  const { name, folder, stateFolder, interval } = job;
  const command = commandOf(job);
  refuseControl([folder, stateFolder, ...command]);
  // The scheduler puts variables into the paths of a task and knows no way to escape them.
  if (/%[^%]+%/.test(folder)) throw unquotable(folder, 'a name between two %');
  const script = win32.join(folder, `${name}.cmd`);
  const log = win32.join(stateFolder, 'scheduled.log');
  const batch = [
    '@echo off',
    `rem teamsheet: the command that the task ${name} runs. Save it as UTF-8 under the name`,
    `rem ${script.replaceAll('%', '%%')}`,
    'chcp 65001 >nul',
    `cd /d ${quoteBatch(folder)} || exit /b 1`,
    `if not exist ${quoteBatch(stateFolder)} mkdir ${quoteBatch(stateFolder)}`,
    // In this order, because a digit before the signs would be taken for the number of a stream.
    `>> ${quoteBatch(log)} echo %date% %time%`,
    `${command.map(quoteBatch).join(' ')} >> ${quoteBatch(log)} 2>&1`,
    '',
  ].join('\r\n');
  const about = `Runs teamsheet sync in ${folder} ${renderInterval(interval)}, local time of this machine. No second run starts while one is under way; the log is ${log}.`;
  const task = `<?xml version="1.0"?>
<!-- Install, with ${comment(name)}.cmd in its place beside teamsheet.yaml: schtasks /create /tn ${comment(name)} /xml ${comment(name)}.xml
     Remove: schtasks /delete /tn ${comment(name)}, then delete both files. Keys stay in .env. -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>${escapeXml(about)}</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T${start(interval)}:00</StartBoundary>
      <Enabled>true</Enabled>${repetition(interval)}
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>true</RunOnlyIfNetworkAvailable>
    <ExecutionTimeLimit>PT24H</ExecutionTimeLimit>
    <Enabled>true</Enabled>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${escapeXml(script)}</Command>
      <WorkingDirectory>${escapeXml(folder)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;
  return [
    { name: `${name}.cmd`, text: batch },
    { name: `${name}.xml`, text: task },
  ];
}

const start = (interval: Interval): string => (interval.kind === 'daily' ? clockTime(interval) : '00:00');

function repetition(interval: Interval): string {
  if (interval.kind === 'daily') return '';
  const every = interval.kind === 'minutes' ? `PT${interval.every}M` : `PT${interval.every}H`;
  return `
      <Repetition>
        <Interval>${every}</Interval>
        <Duration>P1D</Duration>
        <StopAtDurationEnd>false</StopAtDurationEnd>
      </Repetition>`;
}

/** A name within a comment, where two hyphens may not stand side by side. */
const comment = (text: string): string => text.replace(/-{2,}/g, '-');
