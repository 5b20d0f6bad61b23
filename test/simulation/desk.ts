import { settingNames } from '../support/points.ts';
import type { Dice } from './dice.ts';
import { REFUSED } from './service.ts';
import { uuidOf, type Kind } from './records.ts';

/** Rows of a table, the header first. */
export type Cells = readonly (readonly string[])[];

const MEMBERS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', '0042'] as const;
const NAMES = ['Ann', 'Bob', 'Cid', 'Dörte', REFUSED.user] as const;
const SQUADS = ['Hill XI', 'Dale XI', 'no', REFUSED.squad] as const;
const MINIS = ['Office', 'Family', 'Pub'] as const;
const PLAYERS = [7, 8, 9, 10, 11, REFUSED.player] as const;
const WEEKS = [901, 902, 903].map(uuidOf);

interface Member {
  readonly name: string;
  readonly active: '' | 'true' | 'false';
}

/** The operator's tables, and what the operator does to them. */
export class Desk {
  readonly #dice: Dice;
  readonly #members = new Map<string, Member>();
  readonly #squads = new Set<string>();
  readonly #minis = new Set<string>();
  readonly #prices = new Map<number, number>();
  readonly #weeks = new Set<string>();
  #goals = 4;
  #leagues: readonly string[] = ['Cup'];
  /** A row without a key, and one that stands twice. */
  #junk = false;

  constructor(dice: Dice) {
    this.#dice = dice;
    for (const member of dice.some(MEMBERS)) this.#put(member);
    if (this.#members.size === 0) this.#put('A');
    for (const mini of dice.some(MINIS)) this.#minis.add(mini);
    for (const week of dice.some(WEEKS, 0.4)) this.#weeks.add(week);
    for (const player of dice.some(PLAYERS)) this.#prices.set(player, dice.int(40, 60) / 10);
    for (let squads = dice.int(0, 5); squads > 0; squads -= 1) this.#addSquad();
    this.#junk = dice.chance(0.2);
  }

  /** Changes something, as people do between two pushes. Answers what, for the history. */
  edit(): string {
    const dice = this.#dice;
    switch (dice.int(0, 7)) {
      case 0:
        this.#members.delete(dice.pick(MEMBERS));
        return 'removes a member';
      case 1:
        this.#minis.add(dice.pick(MINIS));
        return 'adds a mini league';
      case 2:
        this.#addSquad();
        return 'adds a squad';
      case 3:
        this.#prices.set(dice.pick(PLAYERS), dice.int(40, 60) / 10);
        return 'sets a price';
      case 4:
        this.#goals = dice.int(3, 6);
        return 'sets the points of a goal';
      case 5:
        this.#weeks.add(dice.pick(WEEKS));
        return 'adds a game week';
      default: {
        const member = dice.pick(MEMBERS);
        this.#put(member);
        return `sets member ${member}`;
      }
    }
  }

  /** Takes out or changes whatever the service refuses, so that there is nothing left to refuse. */
  correct(): void {
    for (const [member, { name, active }] of this.#members)
      if (name === REFUSED.user) this.#members.set(member, { name: 'Ann', active });
    for (const squad of this.#squads) if (squad.endsWith(`|${REFUSED.squad}`)) this.#squads.delete(squad);
    this.#prices.delete(REFUSED.player);
  }

  /** The table of a resource as it stands now. */
  cells(kind: Kind): Cells {
    switch (kind) {
      case 'users':
        return [
          ['Member', 'Name', 'Active'],
          ...[...this.#members].map(([member, { name, active }]) => [member, name, active]),
          ...(this.#junk ? [['', 'Nobody', ''], ...this.#repeated()] : []),
        ];
      case 'fantasy_leagues':
        return [['Name', 'League'], ...this.#leagues.map((name) => [name, '1'])];
      case 'mini_leagues':
        return [['Name'], ...[...this.#minis].map((name) => [name])];
      case 'squads':
        return [
          ['Member', 'Name', 'Players'],
          ...[...this.#squads].map((squad) => [...squad.split('|'), '1;2']),
        ];
      case 'prices':
        return [
          ['Player', 'Price'],
          ...[...this.#prices].map(([player, price]) => [String(player), String(price)]),
        ];
      case 'points_config':
        return [
          ['fantasy_league_id', ...settingNames],
          ['1', ...settingNames.map((name) => (name === 'forward_goal_points' ? String(this.#goals) : '1'))],
        ];
      case 'auto_substitutions':
        return [['Week'], ...[...this.#weeks].map((week) => [week])];
    }
  }

  #repeated(): Cells {
    const [first] = this.#members;
    if (first === undefined) return [];
    const [member, { name, active }] = first;
    return [[member, name, active]];
  }

  #put(member: string): void {
    // A name that the service refuses is rare, so that most batches go through.
    const name = this.#dice.pick(this.#dice.chance(0.15) ? NAMES : NAMES.slice(0, -1));
    const active = this.#dice.pick<Member['active']>(['', '', 'true', 'false']);
    this.#members.set(member, { name, active });
  }

  #addSquad(): void {
    const name = this.#dice.pick(this.#dice.chance(0.2) ? SQUADS : SQUADS.slice(0, 2));
    this.#squads.add(`${this.#dice.pick(MEMBERS)}|${name}`);
  }
}
