import type { AutoSubstitution } from '../../src/contract/resources/auto-substitutions.ts';
import type { Lineup } from '../../src/contract/resources/lineups.ts';
import type { Place } from '../../src/rules/substitutions.ts';
import type { Place as SandboxPlace } from '../../src/sandbox/game/lineup.ts';
import { substitute } from '../../src/sandbox/game/substitutions.ts';

/** A squad in a week as the service showed it before its substitutions and after them, and the log of them. The sandbox made them, which has rules of its own. */
export interface ProcessedSquad {
  readonly id: string;
  readonly name: string;
  readonly before: Lineup;
  readonly after: Lineup;
  readonly log: readonly AutoSubstitution[];
}

const NAMES = { GK: 'Goalkeeper', DEF: 'Defender', MID: 'Midfielder', FWD: 'Forward' };

/** The line-up of places, each with its points. */
function shown(squad: string, places: readonly SandboxPlace[], pointsOf: (player: number) => number): Lineup {
  const twice = places.find(({ isCaptain, isStarting }) => isCaptain && isStarting);
  const entry = (place: SandboxPlace) => ({
    player: { id: String(place.playerId) },
    position: { position: NAMES[place.position], abbrevation: place.position },
    is_starting: place.isStarting,
    is_captain: place.isCaptain,
    is_vice_captain: place.isViceCaptain,
    points: pointsOf(place.playerId) * (place === twice ? 2 : 1),
  });
  return {
    id: squad,
    name: squad,
    squad: {
      starting_xi: places.filter(({ isStarting }) => isStarting).map(entry),
      bench: places.filter(({ isStarting }) => !isStarting).map(entry),
    },
  };
}

/** Who played scored as many points as minutes. */
export function processSquad(id: string, lineup: readonly Place[], createdAt: string): ProcessedSquad {
  const minutes = new Map(lineup.map((place) => [Number(place.player), place.minutes ?? 0]));
  const minutesOf = (player: number): number => minutes.get(player) ?? 0;
  const places = lineup.map(({ player, position = 'MID', ...place }) => ({
    ...place,
    playerId: Number(player),
    position,
  }));
  const { places: after, substitutions } = substitute(places, minutesOf);
  const log = substitutions.flatMap((pair, index) =>
    (['out', 'in'] as const).map((action): AutoSubstitution => {
      const place = pair[action];
      return {
        id: `${id}-${index}-${action}`,
        squad: { id, name: id },
        player: { id: place.playerId },
        txn_type: 'auto_substitution',
        action,
        txn_ref: `${id}-${index}`,
        lineup_order: place.order,
        is_captain: place.isCaptain,
        is_vice_captain: place.isViceCaptain,
        is_starting: place.isStarting,
        created_at: createdAt,
      };
    }),
  );
  return { id, name: id, before: shown(id, places, minutesOf), after: shown(id, after, minutesOf), log };
}
