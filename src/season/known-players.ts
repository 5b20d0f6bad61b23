import type { RecordOf } from '../contract/index.ts';
import type { Kept } from '../model/state/memory.ts';
import { positionOf, type Rules } from '../rules/rules.ts';
import type { SquadPlayer } from '../rules/squad-rules.ts';

/** What a kept reading of a player holds (`keptOfPlayer`). */
export interface KeptPlayer {
  readonly player: Partial<RecordOf<'get-player'>>;
  readonly stat: NonNullable<RecordOf<'get-player'>['weekly_stats']>[number];
}

/** What kept readings of players say of position, club and price, by the player's id. The price is shown in the week of the reading alone. */
export const knownPlayers = (
  kept: readonly Kept[],
  rules: Pick<Rules, 'positions'>,
): ReadonlyMap<string, Omit<SquadPlayer, 'player'>> =>
  new Map(
    kept.map(({ id, record }) => {
      // Only `keptOfPlayer` makes such a record.
      const { player } = record as KeptPlayer;
      const { position, team, price } = player;
      return [
        id,
        { position: positionOf(rules, [position]), club: team ?? undefined, price: price ?? undefined },
      ];
    }),
  );
