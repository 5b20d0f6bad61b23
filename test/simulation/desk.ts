import { settingNames } from '../support/points.ts';
import type { Dice } from './dice.ts';
import { REFUSED } from './service.ts';
import { uuidOf } from './records.ts';

/** Rows of a table, the header first. */
export type Cells = readonly (readonly string[])[];

const MEMBERS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', '0042'] as const;
/** Members of a second table. */
const GUESTS = ['H', 'I', 'J'] as const;
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
  /** What happens to the second table of members; undefined where there is none. */
  readonly #guestDice: Dice | undefined;
  readonly #guests = new Map<string, Member>();
  readonly #squads = new Set<string>();
  readonly #minis = new Set<string>();
  readonly #prices = new Map<number, number>();
  readonly #weeks = new Set<string>();
  #goals = 4;
  #leagues: readonly string[] = ['Cup'];
  /** A row without a key, and one that stands twice. */
  #junk = false;

  constructor(dice: Dice, guestDice?: Dice) {
    this.#dice = dice;
    this.#guestDice = guestDice;
    for (const guest of guestDice?.some(GUESTS) ?? []) this.#guests.set(guest, { name: 'Ann', active: '' });
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
    if (this.#guestDice?.chance(0.4) === true) return this.#editGuests(this.#guestDice);
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

  /** Changes the second table of members, or moves a member from one table to the other. */
  #editGuests(dice: Dice): string {
    const guest = dice.pick(GUESTS);
    if (dice.chance(0.3)) {
      this.#guests.delete(guest);
      return `removes guest ${guest}`;
    }
    if (dice.chance(0.5)) {
      this.#guests.set(guest, { name: dice.pick(['Ann', 'Bob']), active: dice.pick(['', 'true', 'false']) });
      return `sets guest ${guest}`;
    }
    const [from, to] = dice.chance(0.5) ? [this.#members, this.#guests] : [this.#guests, this.#members];
    if (from.size === 0) return 'moves nobody';
    const moved = dice.pick([...from]);
    from.delete(moved[0]);
    to.set(...moved);
    return `moves member ${moved[0]} to the other table`;
  }

  /** Takes out or changes whatever the service refuses, so that there is nothing left to refuse. */
  correct(): void {
    for (const table of [this.#members, this.#guests])
      for (const [member, { name, active }] of table)
        if (name === REFUSED.user) table.set(member, { name: 'Ann', active });
    // A member that both tables have, each push changes back and forth.
    for (const guest of this.#guests.keys()) if (this.#members.has(guest)) this.#guests.delete(guest);
    for (const squad of this.#squads) if (squad.endsWith(`|${REFUSED.squad}`)) this.#squads.delete(squad);
    this.#prices.delete(REFUSED.player);
  }

  /** A table as it stands now: that of a resource, or a second one of members. */
  cells(table: string): Cells {
    switch (table) {
      case 'users':
        return [
          ...memberCells(this.#members),
          ...(this.#junk ? [['', 'Nobody', ''], ...this.#repeated()] : []),
        ];
      case 'guests':
        return memberCells(this.#guests);
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
      default:
        throw new Error(`the operator has no table ${table}`);
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

const memberCells = (members: ReadonlyMap<string, Member>): Cells => [
  ['Member', 'Name', 'Active'],
  ...[...members].map(([member, { name, active }]) => [member, name, active]),
];
