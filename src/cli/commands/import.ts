import { isPushed, pushTarget, RESOURCES, type ResourceName } from '../../contract/index.ts';
import type { PushTarget } from '../../contract/resource.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { nearest } from '../../model/nearest.ts';
import { ConfigError, UsageError } from '../../model/error.ts';
import { fileOf } from '../../model/tables/table.ts';
import { type ArgsOf, defineCommand } from '../command.ts';
import { compareFlags, pairs, text, yes } from '../flags.ts';
import { isRejected, isWorkbook, makeMapping } from '../import/make-mapping.ts';
import { readPushMappings } from '../../runtime/config/mappings.ts';
import { planOptions } from '../push/plan-options.ts';
import type { Program } from '../program.ts';
import { renderTyped } from '../render/stop.ts';
import { safeText } from '../render/text.ts';
import { runPush } from '../push/run-push.ts';
import { wholeAccount } from '../../runtime/config/leagues.ts';
import { withSession, type Session } from '../session.ts';
import { showPlan } from '../push/show-plan.ts';

/** What rows can be imported as: whatever a push can send. */
const PUSHABLE = RESOURCES.filter(isPushed);

const options = {
  ...compareFlags,
  as: { ...text(`the resource of the rows: ${PUSHABLE.join(', ')}`), demandOption: true },
  set: pairs('set', 'field=value for every row; may be repeated'),
  match: pairs(
    'match',
    '"Header=field" for a header with another name than the field; may be repeated',
    'last',
  ),
  tab: text('the tab of a workbook that holds the rows; without it, the only one with any'),
  locale: { ...text('how the numbers are written: en reads 1,234.50, de 1.234,50'), choices: ['en', 'de'] },
  'save-mapping': text('write the mapping into this file, to use it again'),
  'dry-run': yes('show the plan and send nothing'),
} as const;
const positionals = {
  file: { type: 'string', demandOption: true, describe: 'a CSV file or a workbook' },
} as const;
type ImportArgs = ArgsOf<typeof options & typeof positionals>;

/** `import FILE --as RESOURCE`: one file, its headers matched to fields; the mapping that this makes can be saved. */
export const importFile = defineCommand({
  options,
  positionals,
  examples: [
    ['import members.csv --as users', 'headers such as "Member ID" and "Name" are known'],
    ['import season.xlsx --as users --tab Members', 'one tab of a workbook'],
    ['import prices.csv --as prices --set type=weekly', 'a field that the file does not have'],
  ],
  run: (args, program) => {
    const { name, target } = importTarget(args.as);
    refuseNoFile(args.file, program);
    refuseFlags(args);
    for (const field of [...Object.values(args.match), ...Object.keys(args.set)])
      refuseUnknownField(field, name, target);
    for (const [field, value] of Object.entries(args.set))
      if (value.trim() === '') throw new ConfigError('import.set', `--set ${field}: is empty`);
    return withSession(
      args,
      program,
      async (session) => {
        const mapping = await makeMapping(name, target, args, session, program);
        // A points configuration takes its league from a variable, wherever that is set.
        const ports = {
          ...session.ports,
          variable: (field: string) => args.set[field] ?? session.ports.variable(field),
        };
        const work = { ...session, ports, program, yes: args.yes };
        if (args.dryRun === true) return showPlan('import', [mapping], planOptions(args), work);
        const exitCode = await runPush('import', [mapping], planOptions(args), work);
        const table = ownTable(mapping, session, program);
        if (table !== undefined)
          program.screen.say(
            safeText(`${table} still has these rows as they were refused: correct them there too`),
          );
        return exitCode;
      },
      { readOnly: args.dryRun },
    );
  },
});

/** The table whose rows to correct were imported; undefined for any other file, and where no mapping reads the table any more. */
function ownTable(
  { source: { location } }: PushMapping,
  { config, ports }: Session,
  program: Program,
): string | undefined {
  const file = fileOf(location);
  const corrected = file === undefined ? undefined : ports.results.mappingToMend(file);
  if (corrected === undefined) return undefined;
  try {
    return readPushMappings(wholeAccount(config), [corrected], program)[0]?.source.origin;
  } catch (error) {
    // The import is done, whatever is wrong with a mapping that it did not need.
    if (error instanceof ConfigError || error instanceof UsageError) return undefined;
    throw error;
  }
}

function importTarget(as: string): { readonly name: ResourceName; readonly target: PushTarget } {
  const name = PUSHABLE.find((known) => known === as || known.replaceAll('_', '-') === as);
  const target = name && pushTarget(name);
  if (name !== undefined && target !== undefined) return { name, target };
  const near = nearest(as, PUSHABLE);
  throw new UsageError('import.resource', `--as ${as}: rows can be imported as ${PUSHABLE.join(', ')}`, {
    next: near === undefined ? undefined : `use --as ${near}`,
  });
}

/** A lone `-` comes from the command line as an empty name. */
function refuseNoFile(file: string, { typed }: Program): void {
  if (/^https?:\/\//i.test(file))
    throw new UsageError('import.file', `${file} is an address, and an import takes a file`, {
      next: 'download it as CSV or .xlsx; or name a Google spreadsheet in a mapping, see docs/connect-google-sheets.md',
    });
  if (file !== '' && file !== '-') return;
  if (!typed.includes('-')) throw new UsageError('import.file', 'the name of the file is empty');
  const words = typed.map((word) => (word === '-' ? '/dev/stdin' : word));
  throw new UsageError('import.file', '"-" is no file; for piped input, type /dev/stdin', {
    next: renderTyped(words),
  });
}

/** The rows to correct are imported with the flags of the table that they are of, whatever their own file is. */
function refuseFlags({ file, tab, encoding }: ImportArgs): void {
  if (isRejected(file)) return;
  const flag = isWorkbook(file)
    ? encoding !== undefined && ['--encoding', 'CSV files']
    : tab !== undefined && ['--tab', 'workbooks'];
  if (flag === false) return;
  throw new UsageError('import.flag', `${file}: ${flag.join(' is for ')} only`, { next: 'leave it out' });
}

function refuseUnknownField(field: string, name: string, { fields }: PushTarget): void {
  if (Object.hasOwn(fields, field)) return;
  const near = nearest(field, Object.keys(fields));
  throw new UsageError(
    'import.field',
    `${name} have no field "${field}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
    {
      next: `the fields are ${Object.keys(fields).join(', ')}`,
    },
  );
}
