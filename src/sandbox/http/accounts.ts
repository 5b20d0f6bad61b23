import type { Feature } from '../../contract/endpoint.ts';
import type { Context } from '../context.ts';
import type { Settings } from '../switches.ts';

/** One customer of the service: a key, and all that is seen with it. */
export interface Account {
  readonly key: string;
  readonly context: Context;
  /** Makes it new again. */
  readonly reset: () => void;
}

type Tier = Settings['tier'];

/** What a tier brings; the sandbox's own has what the switches say. */
const TIERS: Readonly<Record<Tier, Partial<Pick<Settings, `per_${'minute' | 'day'}` | `quota_${Feature}`>>>> =
  {
    sandbox: {},
    free: { per_minute: 30, per_day: 1_000, quota_users: 100, quota_squads: 100, quota_mini_leagues: 5 },
    standard: {
      per_minute: 300,
      per_day: 20_000,
      quota_users: 10_000,
      quota_squads: 10_000,
      quota_mini_leagues: 100,
    },
    premium: { per_minute: 3_000, per_day: 500_000 },
  };
const FURTHER: readonly Tier[] = ['free', 'standard', 'premium'];

/** The settings of the account at an index: the first has the tier of the settings, the others free, standard and premium in turn. */
export function settingsOfAccount(settings: Settings, index: number): Settings {
  const tier = index === 0 ? settings.tier : (FURTHER[(index - 1) % FURTHER.length] ?? 'free');
  return { ...settings, tier, ...TIERS[tier] };
}
