import { ConfigError } from '../model/error.ts';
import type { ReportTab } from '../model/tables/table.ts';

/**
 * Refuses tabs that two want: a report, the cover, charts. Programs take one name in another case for the same tab. `nameOf` answers the tab of a report.
 * Errors: ConfigError `destination.tab`.
 */
export function refuseSharedTabs(tabs: readonly ReportTab[], nameOf: (tab: ReportTab) => string): void {
  const taken = new Map<string, string>();
  for (const tab of tabs) taken.set(nameOf(tab).toLowerCase(), 'a report');
  for (const { table, layout } of tabs) {
    for (const [name, use] of [
      [layout?.cover?.tab, 'the cover'],
      [layout?.chartTab, 'charts'],
    ] as const) {
      if (name === undefined) continue;
      const other = taken.get(name.toLowerCase());
      if (other !== undefined && other !== use)
        throw new ConfigError(
          'destination.tab',
          `mapping ${table.name}: its layout puts ${use} on tab "${name}", which is the tab of ${other} already; give it another name`,
        );
      taken.set(name.toLowerCase(), use);
    }
  }
}
