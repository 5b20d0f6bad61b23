import { relative, resolve } from 'node:path';
import { ConfigError } from '../../model/error.ts';
import { recapAddress, type RecapAddress } from '../config/alert-addresses.ts';
import { type Config } from '../config/config.ts';
import { leagueIn } from '../league-number.ts';
import { replaceNames } from '../config/names.ts';

/** What of one league is published, and where. */
export interface PublishSettings extends Pick<Config, 'season' | 'rules'> {
  /** The name of the league where there are several. */
  readonly name: string | undefined;
  readonly league: number;
  /** An absolute path, and how messages call it. */
  readonly out: string;
  readonly shownOut: string;
  /** Undefined: the name of the fantasy league. */
  readonly title: string | undefined;
  readonly members: 'hidden' | 'display';
  readonly squads: 'name' | 'alias';
  /** Ids of members. */
  readonly hide: ReadonlySet<string>;
  /** Where the recap is posted. */
  readonly post: RecapAddress | undefined;
}

export interface Asked {
  /** A folder that was named on the command line. */
  readonly out: string | undefined;
  readonly cwd: string;
}

type Publishing = Pick<Config, 'vars' | 'publish' | 'season' | 'rules'> & { readonly name?: string };

/**
 * What is published of each league that is worked on. Errors: ConfigError `mapping.variable` where the number of a league is not set, `config.unset`, and `destination.leagues` where two
 * leagues have one folder, also when one of them alone is published.
 */
export function publishSettings(config: Config, asked: Asked): readonly PublishSettings[] {
  const own = config.leagues.filter(({ chosen }) => chosen);
  const wanted: readonly Publishing[] = own.length === 0 ? [config] : own;
  const settings = wanted.map((each) => settingsOf(each, config, asked));
  const everybody = asked.out === undefined ? config.leagues : own;
  refuseShared(everybody.map((each) => ({ name: each.name, out: outOf(each, config, asked) })));
  return settings;
}

function settingsOf(given: Publishing, config: Config, asked: Asked): PublishSettings {
  const { title, members = 'hidden', squads = 'name', hide = [] } = given.publish;
  const out = outOf(given, config, asked);
  return {
    name: given.name,
    league: leagueIn(given.vars, given.name && ` in the league ${given.name}`),
    out,
    shownOut: relative(asked.cwd, out) || out,
    title,
    members,
    squads,
    hide: new Set(hide),
    post: recapAddress(given.publish),
    season: given.season,
    rules: given.rules,
  };
}

function outOf(
  { name, publish, vars }: Pick<Publishing, 'name' | 'publish' | 'vars'>,
  { folder, env, placeOf }: Config,
  { out, cwd }: Asked,
): string {
  const known = { ...env, ...vars, ...(name !== undefined && { league: name }) };
  if (out !== undefined) return resolve(cwd, replaceNames(out, known, {}));
  const written = publish.out ?? (name === undefined ? 'public' : 'public/${league}');
  return resolve(folder, replaceNames(written, known, placeOf(['publish', 'out'])));
}

/** Two sites in one folder would remove each other. */
function refuseShared(sites: readonly { readonly name: string; readonly out: string }[]): void {
  for (const [at, { name, out }] of sites.entries()) {
    const other = sites.slice(0, at).find((each) => each.out === out);
    if (other === undefined) continue;
    throw new ConfigError(
      'destination.leagues',
      `the sites of ${other.name} and ${name} would both be in ${out}`,
      {
        next: 'put ${league} into the path of the folder',
      },
    );
  }
}
