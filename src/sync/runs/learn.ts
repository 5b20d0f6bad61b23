import { learnMore, learntFact, learntOf, type Learnt, type Sighting } from '../../model/state/learnt.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';

/** What was learnt about the service of an account, by the names of its facts. */
async function known(store: Pick<Store, 'facts'>, account: ServiceAccount): Promise<Map<string, Learnt>> {
  const facts = await store.facts(account);
  return new Map(
    facts.flatMap((fact) => {
      const learnt = learntOf(fact);
      return learnt === undefined ? [] : [[fact.name, learnt] as const];
    }),
  );
}

/** Everything that was learnt about the service of an account, by topic and subject. */
export async function readLearnt(
  store: Pick<Store, 'facts'>,
  account: ServiceAccount,
): Promise<readonly Learnt[]> {
  return [...(await known(store, account)).values()];
}

/**
 * Adds what was seen to what is known. Two commands that end at the same moment may lose each other's counts; nothing rests on them.
 * Errors: those of the store.
 */
export async function keepLearnt(
  store: Pick<Store, 'facts' | 'setFacts'>,
  account: ServiceAccount,
  seen: readonly Sighting[],
  atMs: number,
): Promise<void> {
  if (seen.length === 0) return;
  const before = await known(store, account);
  const after = new Map<string, Learnt>();
  for (const sighting of seen) {
    const { topic, subject } = sighting;
    const { name } = learntFact({ topic, subject, values: [], more: false });
    after.set(name, learnMore(after.get(name) ?? before.get(name), sighting, atMs));
  }
  await store.setFacts(account, [...after.values()].map(learntFact));
}
