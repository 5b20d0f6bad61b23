import { fitSeasonTabs, type Place, type TabNames } from './push-mapping.ts';

/** The reports of the season beside the tables that are filled in. */
export interface SeasonTabs {
  /** Their mappings. */
  readonly text: string;
  /** A layout with its cover and charts on tabs that are free. */
  readonly layout: (text: string) => string;
}

/** The reports as tabs of a place, under names that none of the operator's own tabs has. */
export function seasonTabs(place: Place, ownTabs: readonly string[]): SeasonTabs {
  const own = new Set(ownTabs.map((tab) => tab.toLowerCase()));
  const free: TabNames = (tab) => {
    const names = [tab, `${tab} (teamsheet)`, ...Array.from(own, (_, at) => `${tab} (teamsheet ${at + 2})`)];
    return names.find((name) => !own.has(name.toLowerCase())) ?? tab;
  };
  return {
    text: fitSeasonTabs(place, free),
    layout: (text) =>
      text.replaceAll(/^( +tab: )(.+)$/gm, (_, key: string, tab: string) => `${key}${free(tab)}`),
  };
}
