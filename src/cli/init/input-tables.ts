import { pushTarget, resources, type ResourceName } from '../../contract/index.ts';
import type { PushField } from '../../contract/resource.ts';
import type {
  InputBook,
  InputCheck,
  InputColumn,
  InputNote,
  InputRule,
  InputTable,
  OutcomeColumn,
} from '../../model/tables/input-table.ts';

/** The resources that have a tab of their own, in the order of the tabs. */
export const INPUT_RESOURCES = [
  'users',
  'prices',
  'points_config',
  'fantasy_leagues',
  'mini_leagues',
  'squads',
] as const satisfies readonly ResourceName[];
export type InputResource = (typeof INPUT_RESOURCES)[number];

/** The mark in the first column of rows that show how a table is filled in; the mappings leave such rows out. */
const EXAMPLE = 'EXAMPLE';
const README_TAB = 'Read me';

/** A column beside the field of the contract that it fills. */
interface ColumnPlan {
  readonly header: string;
  readonly field: string;
  readonly width: number;
  /** What the contract does not say of the cell. */
  readonly hint?: string;
  readonly rule?: InputRule;
  readonly required?: boolean;
}

interface TablePlan {
  readonly tab: string;
  /** Other names of the tab, folded. */
  readonly otherTabs?: readonly string[];
  /** The file of the shipped mapping that pushes it. */
  readonly mapping: string;
  /** The header of the ids that a push gets for its rows, where they have any. */
  readonly idHeader?: string;
  /** A season may do without it, or it is filled in once. */
  readonly optional?: true;
  /** No mapping is proposed for other headers: its columns are too many and too special for them to be matched with. */
  readonly oursAlone?: true;
  /** Its cells may hold names of players, which are looked up. */
  readonly namesPlayers?: true;
  readonly columns: readonly ColumnPlan[];
  readonly examples: readonly (readonly (string | number)[])[];
}

const id: InputRule = { kind: 'whole', min: 1, max: undefined };
const name = (min: number | undefined, max?: number): InputRule => ({ kind: 'length', min, max });

const PLAYERS = Array.from({ length: 15 }, (_, index) => `P${index + 1}`);

/** What `init` knows of each resource. */
export const TABLES: Readonly<Record<InputResource, TablePlan>> = {
  users: {
    tab: 'Users',
    otherTabs: ['user', 'member', 'members', 'managers', 'participants'],
    mapping: 'users.yaml',
    idHeader: 'User ID',
    columns: [
      {
        header: 'Member ID',
        field: 'external_id',
        width: 16,
        hint: 'Text, so that 00123 stays 00123. Each member once.',
      },
      {
        header: 'Display name',
        field: 'display_name',
        width: 32,
        hint: 'Required for a new member.',
        rule: name(undefined, pushTarget('users')?.fields['display_name']?.maxLength),
      },
      {
        header: 'Active',
        field: 'is_active',
        width: 12,
        hint: 'yes, no or empty.',
        rule: { kind: 'list', values: ['yes', 'no'] },
      },
    ],
    examples: [
      [EXAMPLE, 'Ada Example', 'yes'],
      [EXAMPLE, 'Björn Example', 'no'],
    ],
  },
  prices: {
    tab: 'Prices',
    otherTabs: ['price', 'playerprices'],
    mapping: 'prices.yaml',
    columns: [
      {
        header: 'Player ID',
        field: 'player_id',
        width: 16,
        hint: 'The report of the players lists them. Each player once.',
        rule: id,
      },
      {
        header: 'Price',
        field: 'price',
        width: 14,
        hint: 'A number of at least 0.1, such as 7.5.',
        rule: { kind: 'number', min: 0.1, max: undefined },
      },
    ],
    examples: [
      [EXAMPLE, 7.5],
      [EXAMPLE, 12],
    ],
  },
  points_config: {
    tab: 'Points',
    otherTabs: ['pointsconfiguration', 'scoring', 'pointssettings'],
    mapping: 'points.yaml',
    columns: [],
    examples: [],
  },
  fantasy_leagues: {
    tab: 'Fantasy leagues',
    otherTabs: ['leagues'],
    mapping: 'fantasy-leagues.yaml',
    idHeader: 'Fantasy league ID',
    optional: true,
    columns: [
      { header: 'Name', field: 'name', width: 36, rule: name(1) },
      { header: 'League id', field: 'league_id', width: 14, rule: id },
    ],
    examples: [[EXAMPLE, 1]],
  },
  mini_leagues: {
    tab: 'Mini leagues',
    mapping: 'mini-leagues.yaml',
    idHeader: 'Mini league ID',
    optional: true,
    columns: [
      { header: 'Name', field: 'name', width: 36, rule: name(1) },
      { header: 'Type', field: 'type', width: 20 },
    ],
    examples: [[EXAMPLE, 'ask your provider']],
  },
  squads: {
    tab: 'Squads',
    otherTabs: ['teams'],
    mapping: 'squads.yaml',
    idHeader: 'Squad ID',
    optional: true,
    oursAlone: true,
    namesPlayers: true,
    columns: [
      {
        header: 'Member ID',
        field: 'user_id',
        width: 16,
        hint: 'Here your own member id, as in the tab Users.',
      },
      { header: 'Squad name', field: 'name', width: 28, rule: name(3) },
      ...PLAYERS.map((header, index): ColumnPlan => ({
        header,
        field: 'players_in',
        width: 16,
        hint: 'One player in each of the columns P1 to P15, each player once: the id, or the name as the report of the players has it, with the club where several have the name.',
        rule: name(1),
        required: index === 0,
      })),
    ],
    examples: [[EXAMPLE, 'Example Rovers', ...PLAYERS.map((_, index) => String(index + 1))]],
  },
};

/** The columns that a push fills in beside the rows of a spreadsheet: headers by what they hold. */
export function writeBackOf(resource: InputResource): Readonly<Record<string, string>> {
  const { idHeader: id } = TABLES[resource];
  return { status: 'Sync status', message: 'Sync message', ...(id && { id }), synced_at: 'Synced at' };
}

/** Widths in characters; an id of the service has 36. */
const OUTCOME_WIDTHS: Readonly<Record<string, number>> = { status: 14, message: 60, id: 38, synced_at: 20 };

function outcomesOf(resource: InputResource): readonly OutcomeColumn[] {
  return Object.entries(writeBackOf(resource)).map(([holds, header]) => ({
    header,
    note: 'Filled in by teamsheet after a push. Leave it as it is.',
    width: OUTCOME_WIDTHS[holds] ?? 20,
  }));
}

/** The tab of a resource, made from the fields of the contract. */
export function inputTable(resource: InputResource): InputTable {
  const plan = TABLES[resource];
  return resources[resource].push.isSettings === true
    ? settingsTable(resource, plan)
    : listTable(resource, plan);
}

function listTable(resource: InputResource, { tab, columns, examples }: TablePlan): InputTable {
  const fields = pushTarget(resource)?.fields ?? {};
  const firstRow = examples.length;
  return {
    tab,
    columns: columns.map((plan): InputColumn => {
      const field = fields[plan.field];
      const required = plan.required ?? field?.required ?? false;
      const isText = plan.rule === undefined || plan.rule.kind === 'length';
      return {
        header: plan.header,
        field: plan.field,
        note: noteOf([required ? 'Required.' : 'May be empty.', plan.hint, field?.description]),
        format: isText ? 'text' : 'general',
        required,
        width: plan.width,
        align: isText ? 'left' : plan.rule.kind === 'list' ? 'center' : 'right',
        prose: false,
      };
    }),
    outcomes: outcomesOf(resource),
    rows: examples,
    exampleRows: examples.length,
    grows: true,
    checks: columns.flatMap(({ header, rule }, column): readonly InputCheck[] =>
      rule === undefined
        ? []
        : [{ column, firstRow, lastRow: undefined, rule, message: `${header} is ${describeRule(rule)}.` }],
    ),
  };
}

/** One line for each of the 35 fields: a row of headers could not be read. */
function settingsTable(resource: InputResource, { tab }: TablePlan): InputTable {
  const fields = Object.entries(pushTarget(resource)?.fields ?? {});
  return {
    tab,
    columns: [
      settingColumn('Setting', 36, 'The name of the setting. Leave it as it is.'),
      {
        ...settingColumn(
          'Value',
          12,
          'Whole numbers, negative for a deduction; the four settings "for each goal conceded" may have decimals, the two "eligibility minutes" are 1 to 90. All are required but the first.',
        ),
        format: 'general',
        align: 'right',
      },
      {
        ...settingColumn('Description', 80, 'What the setting is for. This column is not sent.'),
        required: false,
        prose: true,
      },
    ],
    outcomes: outcomesOf(resource),
    rows: fields.map(([setting, { label, description }]) => [
      label,
      '',
      describeSetting(setting, description),
    ]),
    exampleRows: 0,
    grows: false,
    checks: fields.map(([, field], row): InputCheck => {
      const rule = settingRule(field);
      return {
        column: 1,
        firstRow: row,
        lastRow: row,
        rule,
        message: `${field.label} is ${describeRule(rule)}.`,
      };
    }),
  };
}

const settingColumn = (header: string, width: number, note: string): InputColumn => ({
  ...{ header, width, note },
  field: undefined,
  format: 'text',
  required: true,
  align: 'left',
  prose: false,
});

const describeSetting = (setting: string, description: string): string =>
  setting === 'fantasy_league_id' ? `${description} Empty: the one of vars in teamsheet.yaml.` : description;

/** The rule that the contract's own schema of a setting follows. */
function settingRule({ type, schema }: PushField): InputRule {
  const allows = (value: number): boolean => schema.safeParse(value).success;
  const min = allows(-1) ? undefined : 1;
  const max = min === 1 && !allows(91) ? 90 : undefined;
  return { kind: type === 'number' ? 'number' : 'whole', min, max };
}

function describeRule(rule: InputRule): string {
  if (rule.kind === 'list') return `${rule.values.join(' or ')}, or empty`;
  const { min, max } = rule;
  const from = min === undefined ? '' : `at least ${min}`;
  const to = max === undefined ? '' : `at most ${max}`;
  const bounds = [from, to].filter((part) => part !== '').join(' and ');
  if (rule.kind === 'length') return `${bounds} character${(max ?? min) === 1 ? '' : 's'} long`;
  return [
    rule.kind === 'whole' ? 'a whole number' : 'a number',
    ...(bounds === '' ? [] : ['of', bounds]),
  ].join(' ');
}

const noteOf = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join('\n');

/** Every tab; `where` says what people call the place, such as `this workbook`. */
export function inputBook(where: 'workbook' | 'spreadsheet'): InputBook {
  return {
    readMe: { tab: README_TAB, lines: readMeLines(where) },
    tables: INPUT_RESOURCES.map(inputTable),
  };
}

function readMeLines(where: string): readonly InputNote[] {
  const title = (text: string): InputNote => ({ kind: 'title', text });
  const heading = (text: string): InputNote => ({ kind: 'heading', text });
  const line = (text: string): InputNote => ({ kind: 'text', text });
  return [
    title('Your season, ready to be filled in'),
    line(
      `teamsheet reads this ${where} and sends to your fantasy football service what is new or has changed.`,
    ),
    heading('Fill in'),
    line(
      'Users: one row for each member. Prices: one row for each player. Points: one value beside each setting.',
    ),
    line(
      'Fantasy leagues, Mini leagues and Squads, where you have any: one row for each. They are made once and stay.',
    ),
    line(
      'Rest the pointer on a header to see what its column holds. Green headers must be filled in, grey ones may stay empty.',
    ),
    line(
      `Rows marked ${EXAMPLE} show how; they are never sent, and you may delete them. Columns of your own are left alone.`,
    ),
    heading('Required'),
    line(
      'Users: Member ID, and Display name for new members. Prices: both columns. Points: every value but the league.',
    ),
    line('Fantasy leagues, Mini leagues: both columns. Squads: Member ID, Squad name and P1.'),
    line('Players in Squads: the id, or the name as the tab Players has it.'),
    line('teamsheet pull players-report fills the tab Players; init --show players adds that report.'),
    line('The number of the fantasy league and the kind of price stand in teamsheet.yaml, under vars.'),
    heading('Send'),
    line(
      `${where === 'workbook' ? 'Save and close this file. Then type' : 'Type'}, in the folder of teamsheet.yaml:`,
    ),
    line('teamsheet plan users      shows what would change, and sends nothing'),
    line('teamsheet push users      shows it, asks, and sends it'),
    line(
      'In place of users write the tabs that you have filled in: one or more of users, prices, points, fantasy-leagues, mini-leagues, squads.',
    ),
    line('Without a name every tab is read. Then Users, Prices and Points must have rows of your own.'),
  ];
}
