import { pushTarget } from '../../contract/index.ts';
import { variableOf } from '../../mapping/push-fields.ts';
import { INPUT_RESOURCES, TABLES, type InputResource } from './input-tables.ts';
import { AS_SHIPPED, fitMapping, fitPlayers, PLAYERS_MAPPING, type Place } from './push-mapping.ts';
import { hasOurHeader, recogniseTabs, type FoundTab, type TabMatch } from './recognise.ts';

/** The tab that the report of the players makes beside the tables that name players. */
const PLAYERS_TAB = 'Players';
const PLAYERS_HEADERS = ['Player ID', 'Last name', 'Club'];

/** A mapping that was made from the headers of a tab, for `--json`. */
export interface Proposal {
  readonly mapping: string;
  readonly resource: InputResource;
  readonly tab: string;
  /** Headers by field. */
  readonly matched: Readonly<Record<string, string>>;
  /** The fields among them whose header is only a common word for them. */
  readonly guessed: readonly string[];
  readonly missing: readonly string[];
  readonly unused: readonly string[];
}

/** The mappings that push, fitted to the tabs of a place. */
export interface FittedMappings {
  /** File names in the folder of mappings; a shipped mapping that is not here finds no tab. */
  readonly files: ReadonlyMap<string, string>;
  readonly proposed: readonly Proposal[];
  readonly notes: readonly string[];
}

/**
 * The mappings for the tabs of a place: the shipped ones for tabs that `init` makes (`made`) or made before, and one proposed from the headers for
 * any other tab with data.
 */
export function fitMappings(
  place: Place,
  there: readonly FoundTab[],
  made: readonly InputResource[],
): FittedMappings {
  const { tabs, notes } = recogniseTabs(there);
  const files = new Map<string, string>();
  const proposed: Proposal[] = [];
  const said = [...notes];
  const ownTab = there.find(({ tab }) => tab.toLowerCase() === PLAYERS_TAB.toLowerCase());
  // The report makes the tab; another one of that name is somebody's own.
  const isFree = ownTab === undefined || PLAYERS_HEADERS.every((name) => ownTab.header.includes(name));
  const playersTab = isFree ? PLAYERS_TAB : undefined;
  for (const resource of INPUT_RESOURCES) {
    const { tab, mapping: file, optional, oursAlone, namesPlayers } = TABLES[resource];
    const found = tabs.get(resource);
    const mapping = `mappings/${file}`;
    if (found === undefined && !made.includes(resource)) {
      if (optional) continue;
      said.push(
        `no tab was taken for ${resource}: ${mapping} was left out; add a tab "${tab}" and run init again`,
      );
    } else if (found === undefined || hasOurHeader(resource, found.header)) {
      const isOfPlayers = namesPlayers === true && playersTab !== undefined;
      const changes = isOfPlayers ? { ...AS_SHIPPED, playersTab } : AS_SHIPPED;
      files.set(file, fitMapping(resource, place, found?.tab ?? tab, changes));
      if (isOfPlayers) files.set(PLAYERS_MAPPING, fitPlayers(place, playersTab));
    } else if (optional && (oursAlone || found.match.missing.length > 0)) {
      said.push(
        `the tab "${found.tab}" looks like ${resource}, but does not have all columns of "${tab}": ${mapping} was left out; write a mapping for it`,
      );
    } else {
      const { headers, settings } = found.match;
      const comments = commentsOf(resource, found.tab, found.match);
      files.set(file, fitMapping(resource, place, found.tab, { headers, settings, comments }));
      proposed.push(proposalOf(mapping, resource, found.tab, found.match));
    }
  }
  return { files, proposed, notes: said };
}

function proposalOf(mapping: string, resource: InputResource, tab: string, match: TabMatch): Proposal {
  const { headers, settings, guessed, missing, unused } = match;
  const matched =
    settings === undefined ? Object.fromEntries(headers) : { setting: settings.key, value: settings.value };
  return { mapping, resource, tab, matched, guessed, missing, unused };
}

/** What a person has to know before the first push, at the top of the file. */
function commentsOf(
  resource: InputResource,
  tab: string,
  { headers, settings, guessed, missing, unused }: TabMatch,
): readonly string[] {
  const fields = pushTarget(resource)?.fields ?? {};
  const list = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');
  const pairs = (guess: boolean): readonly string[] =>
    [...headers]
      .filter(([field]) => guessed.includes(field) === guess)
      .map(([field, header]) => `  ${field} from ${JSON.stringify(header)}`);
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines];
  const fromVars = Object.keys(fields).flatMap((field) => {
    const variable = variableOf(resource, field);
    return variable === undefined || headers.has(field) ? [] : [`  ${field} from \${${variable}}`];
  });
  return [
    `Proposed by init from the headers of the tab ${JSON.stringify(tab)}. Check it before the first push.`,
    ...(settings === undefined
      ? []
      : [
          `One setting in each line: its name under ${JSON.stringify(settings.key)}, its value under ${JSON.stringify(settings.value)}.`,
        ]),
    ...section('Matched by name:', pairs(false)),
    ...section('Guessed, because the header is a common word for the field:', pairs(true)),
    ...section('Taken from vars in teamsheet.yaml:', fromVars),
    ...section(
      'MISSING, and required: no header fits. Write the line with the header of its column under columns:',
      missing.map(
        (field) =>
          `  ${field}: { from: YOUR HEADER, required: true }   (${fields[field]?.description ?? ''})`,
      ),
    ),
    ...(unused.length === 0 ? [] : [`Not used: ${list(unused)}`]),
  ];
}
