import { POSITIONS, type Position, type SquadRules } from './rules.ts';

/** A player of a squad as far as anything is known of the player. */
export interface SquadPlayer {
  readonly player: string;
  readonly position: Position | undefined;
  readonly club: string | undefined;
  readonly price: number | undefined;
}

/** A rule that a squad does not keep, with the players that it is about. */
export type SquadFinding =
  | {
      readonly rule: 'size';
      readonly found: number;
      readonly wanted: number;
      readonly players: readonly string[];
    }
  | {
      readonly rule: 'position';
      readonly position: Position;
      readonly found: number;
      readonly wanted: number;
      /** Players whose position is not known, who could make up what is missing. */
      readonly unknown: number;
      readonly players: readonly string[];
    }
  | {
      readonly rule: 'per_club';
      readonly club: string;
      readonly found: number;
      readonly most: number;
      readonly players: readonly string[];
    }
  | {
      readonly rule: 'budget';
      /** What the players cost whose price is known. */
      readonly cost: number;
      readonly most: number;
      readonly players: readonly string[];
    };

/** What a squad breaks of its rules for certain: what is not known of a player speaks for the squad. No player stands in it twice. */
export function squadFindings(rules: SquadRules, squad: readonly SquadPlayer[]): readonly SquadFinding[] {
  return [
    ...(squad.length === rules.size
      ? []
      : [{ rule: 'size', found: squad.length, wanted: rules.size, players: namesOf(squad) } as const]),
    ...positions(rules, squad),
    ...clubs(rules, squad),
    ...budget(rules, squad),
  ];
}

const namesOf = (players: readonly SquadPlayer[]): readonly string[] => players.map(({ player }) => player);

/** Too few of a position are found only in a squad of the right size, where those of unknown position cannot make them up. */
function positions(rules: SquadRules, squad: readonly SquadPlayer[]): readonly SquadFinding[] {
  const unknown = squad.filter(({ position }) => position === undefined).length;
  return POSITIONS.flatMap((position): SquadFinding[] => {
    const its = squad.filter((player) => player.position === position);
    const wanted = rules.positions[position];
    const isFew = squad.length === rules.size && its.length + unknown < wanted;
    const isBroken = its.length > wanted || isFew;
    return isBroken
      ? [{ rule: 'position', position, found: its.length, wanted, unknown, players: namesOf(its) }]
      : [];
  });
}

function clubs(rules: SquadRules, squad: readonly SquadPlayer[]): readonly SquadFinding[] {
  const groups = Map.groupBy(squad, ({ club }) => club);
  return [...groups].flatMap(([club, its]): SquadFinding[] =>
    club === undefined || its.length <= rules.perClub
      ? []
      : [{ rule: 'per_club', club, found: its.length, most: rules.perClub, players: namesOf(its) }],
  );
}

/** Prices have few decimals: what adds up to the budget is not above it. */
const ROUNDING = 1e-6;

function budget(rules: SquadRules, squad: readonly SquadPlayer[]): readonly SquadFinding[] {
  const priced = squad.filter(({ price }) => price !== undefined);
  const cost = priced.reduce((sum, { price = 0 }) => sum + price, 0);
  if (cost <= rules.budget + ROUNDING) return [];
  return [{ rule: 'budget', cost: Number(cost.toFixed(2)), most: rules.budget, players: namesOf(priced) }];
}
