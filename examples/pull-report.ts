/** Writes the members that the service has into out/users.csv of the working folder. */
import { createTeamsheet } from 'teamsheet';

const report = `
version: 1
name: users-report
pull: users
destination: { csv: out/users.csv }
columns:
  Member ID: external_id
  Display name: display_name
`;

await using sheet = await createTeamsheet({
  mappings: [report],
  on: (event) => {
    if (event.kind === 'warning') console.error(event.message);
    if (event.kind === 'pause') console.error(`pause of ${event.seconds} s: ${event.reason}`);
  },
});
const { report: pulled } = await sheet.pull();
for (const summary of pulled.mappings)
  if (summary.direction === 'pull') console.log(`${summary.records} records in ${summary.destination}`);
process.exitCode = pulled.exit_code;
