import { readdirSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join, relative } from 'node:path';
import { packagePath } from '../../runtime/package.ts';
import { TABLES } from './input-tables.ts';
import { SEASON_TABS } from './push-mapping.ts';
import type { SeasonTabs } from './season-tabs.ts';
import { chosenMappings, isWanted, placedMapping, type ReportPlace } from './report-places.ts';

/** The address of the service and the key; empty when they are still to be filled in. */
export interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What the mappings need to know, by the names of the variables; empty or left out where it is still to be filled in. */
export type SetupVars = Readonly<Record<string, string>>;

/** A file that a set-up writes where there is none. */
export interface NewFile {
  readonly text: string | Uint8Array;
  readonly private?: true;
  /** Variables that a file which is there lacks are added to it. */
  readonly completes?: true;
}

/** What a set-up is for, beside the service. */
export interface Setup {
  readonly access: Access;
  readonly vars: SetupVars;
  /** An IANA name. */
  readonly timezone: string;
  readonly reportPlace: ReportPlace;
  readonly reportKinds: readonly string[];
  /** The text of the reports that stand beside the tables that are filled in, and other names of the tabs that their layouts make; undefined without such tables. */
  readonly seasonTabs: SeasonTabs | undefined;
  /** The texts of the mappings that push, where they read other tables than the shipped ones do; the others are left out. Beside them that of the players, where it has a tab there. */
  readonly pushMappings: ReadonlyMap<string, string> | undefined;
  /** The key file of a Google service account as the configuration names it. */
  readonly googleKey: string | undefined;
}

/** The members' site of a league whose spreadsheet runs by itself. */
const PUBLISH = `
# \`schedule run\` writes the members' site into this folder after each game week. Members' names are on it with members: display.
publish: { out: public }
`;

const configText = ({
  googleKey,
  vars,
  timezone,
  isPublished,
}: Pick<Setup, 'googleKey' | 'vars' | 'timezone'> & {
  readonly isPublished: boolean;
}): string => `# The configuration of teamsheet; every part is described by \`teamsheet schema config\`.
version: 1

environments:
  service:
    base_url: \${TEAMSHEET_BASE_URL}            # stands in .env
    api_key: { env: TEAMSHEET_API_KEY }        # stands in .env; never write a key here
environment: service
${googleKey === undefined ? '' : `\ngoogle: { credentials: { file: ${JSON.stringify(googleKey)} } }\n`}
# Values for \${name} in the mappings. The first command that needs one that is missing says where it comes from.
${varsText(vars)}

mappings: mappings
state: .teamsheet/state.sqlite
${`timezone: ${timezone}`.padEnd(COMMENT_AT)} # dates in reports and times of schedules, such as Europe/London
${isPublished ? PUBLISH : ''}`;

/** The variables of every configuration, and what each is. */
const KNOWN_VARS = {
  fantasy_league_id: 'the number of your fantasy league',
  price_type: 'the kind of price; ask your provider for the allowed values',
};
/** Behind so many characters their comments stand. */
const COMMENT_AT = 47;

function varsText(vars: SetupVars): string {
  const known = Object.entries(KNOWN_VARS).map(
    ([name, what]) => `${`  ${name}: ${quotedYaml(vars[name] ?? '')}`.padEnd(COMMENT_AT)} # ${what}`,
  );
  const others = Object.entries(vars)
    .filter(([name]) => !Object.hasOwn(KNOWN_VARS, name))
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${quotedYaml(value)}`);
  return ['vars:', ...known, ...others].join('\n');
}

const IGNORED = `# Keys, the state of teamsheet and reports do not belong into a repository.
.env
*key*.json
client*.json
.teamsheet/
out/
public/
`;

/** Every file of a set-up by its path in the folder. */
export function setupFiles({
  access,
  vars,
  timezone,
  reportPlace,
  reportKinds,
  seasonTabs,
  pushMappings,
  googleKey,
}: Setup): ReadonlyMap<string, NewFile> {
  const { baseUrl, apiKey } = access;
  const env = `TEAMSHEET_BASE_URL=${quoted(baseUrl)}\nTEAMSHEET_API_KEY=${quoted(apiKey)}\n`;
  // In CSV the reports are for other programs.
  const inTabs = seasonTabs !== undefined && reportPlace !== 'csv';
  const tabs = inTabs ? chosenMappings(seasonTabs.text, reportKinds) : undefined;
  const ignoredKey = googleKey === undefined || isAbsolute(googleKey) ? '' : `/${googleKey}\n`;
  return new Map<string, NewFile>([
    ['teamsheet.yaml', { text: configText({ googleKey, vars, timezone, isPublished: inTabs }) }],
    ['.env', { text: env, private: true, completes: true }],
    ['.gitignore', { text: IGNORED + ignoredKey }],
    ...shippedFiles('mappings', 'mappings').flatMap(([path, file]): [string, NewFile][] => {
      const name = basename(path);
      if (!isWanted(reportPlace, name, inTabs) && pushMappings?.has(name) !== true) return [];
      const isPush = Object.values(TABLES).some(({ mapping }) => mapping === name);
      if (pushMappings !== undefined && isPush && !pushMappings.has(name)) return [];
      const placed = placedMapping(reportPlace, pushMappings?.get(name) ?? String(file.text));
      const text = chosenMappings(placed, reportKinds);
      return text === undefined ? [] : [[path, { text }]];
    }),
    ...(tabs === undefined ? [] : [[join('mappings', SEASON_TABS), { text: tabs }] as const]),
    ...shippedFiles('templates/inputs', 'templates'),
    ...shippedFiles('templates/reports', 'templates/reports').map(
      ([path, { text }]) => [path, { text: inTabs ? seasonTabs.layout(String(text)) : text }] as const,
    ),
  ]);
}

/** A number as it is, a text in quotation marks, nothing as nothing. */
const quotedYaml = (value: string): string =>
  value === '' || /^[1-9]\d*$/.test(value) ? value : JSON.stringify(value);

/** Quoted where the value would not be read back as it is. */
function quoted(value: string): string {
  if (/^[\w.:/+=@%~-]*$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((one) => !value.includes(one)) ?? "'";
  return mark + value + mark;
}

/** The files that the package ships in a folder, for a folder of the operator; programs that made them stay behind. */
function shippedFiles(folder: string, target: string): readonly (readonly [string, NewFile])[] {
  const root = packagePath(folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.[cm]?[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => [join(target, relative(root, path)), { text: readFileSync(path) }]);
}
