import type { Dice } from './dice.ts';
import type { History } from './history.ts';
import type { PriceType } from './mappings.ts';
import type { SimulatedService } from './service.ts';

const MEMBERS = ['A', 'B', 'C', 'X', 'Y'] as const;

/** Another client of the same account: people with the provider's own pages, or another program. Its requests are not counted as ours. */
export class Stranger {
  readonly #service: SimulatedService;
  readonly #history: History;
  readonly #dice: Dice;
  readonly #priceType: PriceType;

  constructor(service: SimulatedService, history: History, dice: Dice, priceType: PriceType) {
    this.#service = service;
    this.#history = history;
    this.#dice = dice;
    this.#priceType = priceType;
  }

  createUser(): void {
    const user = {
      external_id: this.#dice.pick(MEMBERS),
      display_name: this.#dice.pick(['Ann', 'Bob', 'Zoe']),
    };
    if (this.#service.records.find('users', user.external_id).length > 0) return;
    this.#ask('POST', '/user', { users: [user] });
  }

  /** Does one thing. */
  act(): void {
    this.#history.count('others act');
    const users = this.#service.records.of('users');
    const user = users.length === 0 ? undefined : this.#dice.pick(users);
    switch (this.#dice.int(0, 4)) {
      case 0:
        this.createUser();
        return;
      case 1:
        if (user !== undefined)
          this.#ask('PATCH', '/user', { id: user.id, display_name: this.#dice.pick(['Ann', 'Eve']) });
        return;
      case 2:
        if (user !== undefined)
          this.#ask('PATCH', '/user', { id: user.id, is_active: this.#dice.chance(0.5) });
        return;
      case 3:
        this.#ask('POST', '/price', {
          fantasy_league_id: 1,
          prices: [{ player_id: this.#dice.int(7, 11), price: 9.9, type: this.#priceType }],
        });
        return;
      default:
        this.#ask('POST', '/mini-league', { fantasy_league_id: 1, name: 'Strangers', type: 'open' });
    }
  }

  #ask(method: string, path: string, body: Readonly<Record<string, unknown>>): void {
    this.#history.note('   somebody else', method, path, JSON.stringify(body));
    this.#service.answer({ method, path, query: new URLSearchParams(), body, request: undefined }, true);
  }
}
