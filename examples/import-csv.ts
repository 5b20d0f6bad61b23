/**
 * Pushes the members in users.csv of the working folder. Run again, it writes nothing: every row is there already.
 * The service and its key come from TEAMSHEET_BASE_URL and TEAMSHEET_API_KEY, or from a .env beside the table.
 */
import { createTeamsheet } from 'teamsheet';

const users = {
  version: 1,
  name: 'users',
  push: 'users',
  source: { csv: 'users.csv' },
  operation: 'upsert',
  columns: {
    external_id: { from: 'Member ID', type: 'text', required: true },
    display_name: { from: 'Display name', transform: ['trim', 'squeeze'] },
    is_active: { from: 'Active', type: 'boolean', true_values: ['yes'], false_values: ['no'], blank: 'omit' },
  },
};

await using sheet = await createTeamsheet({ mappings: [users] });
const { report, rejected, stoppedBy } = await sheet.push({
  approve: ({ mappings }) => {
    for (const { mapping, changes } of mappings)
      console.log(`${mapping.name}: ${changes.create} to create, ${changes.update} to update`);
    return true;
  },
});
for (const summary of report.mappings)
  if (summary.direction === 'push') console.log(`${summary.created} created, ${summary.unchanged} unchanged`);
for (const file of rejected) console.error(`rows to correct: ${file}`);
if (stoppedBy !== undefined) console.error(stoppedBy.message);
process.exitCode = report.exit_code;
