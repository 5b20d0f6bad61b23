import type { Facts, Snapshots, Store } from '../model/state/store.ts';

/** What the confirmed records and the facts of a store do for it, on any database. */
export abstract class StoreParts implements Snapshots, Facts {
  readonly #snapshots: Snapshots;
  readonly #facts: Facts;

  constructor(snapshots: Snapshots, facts: Facts) {
    this.#snapshots = snapshots;
    this.#facts = facts;
  }

  readonly snapshots: Store['snapshots'] = (...given) => this.#snapshots.snapshots(...given);
  readonly paddedSnapshots: Store['paddedSnapshots'] = (...given) =>
    this.#snapshots.paddedSnapshots(...given);
  readonly confirmedWith: Store['confirmedWith'] = (...given) => this.#snapshots.confirmedWith(...given);
  readonly allSnapshots: Store['allSnapshots'] = (...given) => this.#snapshots.allSnapshots(...given);
  readonly countSnapshots: Store['countSnapshots'] = (...given) => this.#snapshots.countSnapshots(...given);
  readonly confirm: Store['confirm'] = (...given) => this.#snapshots.confirm(...given);
  readonly forgetOlder: Store['forgetOlder'] = (...given) => this.#snapshots.forgetOlder(...given);
  readonly respell: Store['respell'] = (...given) => this.#snapshots.respell(...given);
  readonly fact: Store['fact'] = (...given) => this.#facts.fact(...given);
  readonly setFact: Store['setFact'] = (...given) => this.#facts.setFact(...given);
  readonly facts: Store['facts'] = (...given) => this.#facts.facts(...given);
  readonly setFacts: Store['setFacts'] = (...given) => this.#facts.setFacts(...given);
}
