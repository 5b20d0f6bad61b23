import type { RecordOf } from '../../contract/index.ts';
import { markup, type Markup, type Part } from '../../pages/markup.ts';
import { count, decimal, named } from '../../pages/parts.ts';
import type { readChanges } from './read/read-squads.ts';

type Changes = ReturnType<typeof readChanges>;

/** A chip as people call it. */
export const chipName = (chip: string | null | undefined): string => (chip ?? '').replaceAll('_', ' ');

/** What was done in a week beside the line-up: chip, transfers and hits of the owner, and the automatic substitutions; `nameOf` is a player of the line-up. */
export function weekMoves(
  lineup: RecordOf<'get-lineup'>,
  { pairs, processed, transfers, chip }: Changes,
  nameOf: (playerId: number) => Part,
): Markup {
  const substitutions = pairs.map(
    ({ out, in: into }) =>
      markup`<li><span class="in-text">▲ ${nameOf(into)}</span> for <span class="out-text">▼ ${nameOf(out)}</span></li>`,
  );
  const moves = transfers.map(
    (one) =>
      markup`<li><span class="in-text">${named(one.inName)}</span> ${decimal(one.bought_for)} for <span class="out-text">${named(one.outName)}</span> ${decimal(one.sold_for)}${one.is_hit ? markup` <span class="badge">hit</span>` : null}</li>`,
  );
  const { hits, points_deduction } = lineup.transfer_hits ?? {};
  return markup`<h3>Transfers</h3>${moves.length === 0 ? markup`<p class="note">None for this week.</p>` : markup`<ul class="plain">${moves}</ul>`}
    ${(hits ?? 0) > 0 ? markup`<p><b>${count(hits)}</b> ${hits === 1 ? 'hit' : 'hits'}: ${count(points_deduction)} points are taken off</p>` : null}
    ${chip === null ? null : markup`<h3>Chip</h3><p><span class="badge">${chipName(chip)}</span></p>`}
    <h3>Automatic substitutions</h3>${substitutions.length === 0 ? markup`<p class="note">${processed ? 'None in this week.' : 'This week has not been processed.'}</p>` : markup`<ul class="plain">${substitutions}</ul>`}`;
}
