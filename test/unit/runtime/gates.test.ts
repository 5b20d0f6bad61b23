import { describe, expect, it } from 'vitest';
import { commands } from '../../../src/cli/commands/registry.ts';
import { behindGate, gates } from '../../../src/runtime/gates.ts';
import { CHECKS, type Check } from '../../../src/sync/checks.ts';
import { makeEngine } from '../../support/engine.ts';

const writers = Object.entries(commands).flatMap(([name, { writes }]) => (writes === true ? [name] : []));

describe('the table of gates', () => {
  it('has a row for each command that may write, and for no other', () => {
    expect(Object.keys(gates).toSorted()).toEqual(writers.toSorted());
  });

  it.each(writers)('lets %s write only after every check that holds for it', async (command) => {
    const { ports, service } = await makeEngine();
    const send = async (before: readonly Check[]): Promise<string> => {
      const gated = behindGate(command, gates[command], ports);
      const held = before.includes('lock')
        ? await gated.lock.acquire({ baseUrl: '', accountId: '' }, 'test')
        : undefined;
      gated.passed?.(...before.filter((check) => check !== 'lock'));
      const call = { body: { fantasy_league_id: 1, prices: [{ player_id: 7, price: 5, type: 'current' }] } };
      const answer = await gated.service.send('upload-prices', call).then(
        ({ kind }) => kind,
        (error: unknown) => String(error),
      );
      await held?.release();
      return answer;
    };
    const row = gates[command];
    for (const left of CHECKS) {
      const answer = await send(CHECKS.filter((check) => check !== left));
      if (row?.[left] === 'holds') expect(answer).toContain(`has not passed ${left}`);
      else expect(answer, `${left}: ${row?.[left] ?? ''}`).toBe('applied');
    }
    expect(await send(CHECKS)).toBe('applied');
    expect(service.writes.length).toBeGreaterThan(0);
  });

  it('lets no command without a row write', async () => {
    const { ports, service } = await makeEngine();
    const gated = behindGate('pull', gates['pull'], ports);
    gated.passed?.(...CHECKS);
    await expect(gated.service.send('create-users', { body: { users: [] } })).rejects.toMatchObject({
      code: 'gate.closed',
    });
    expect(service.writes).toEqual([]);
  });
});
