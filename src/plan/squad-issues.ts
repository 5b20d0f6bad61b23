import type { Fields } from '../model/tables/cell.ts';
import { renderCountOf } from '../model/count.ts';
import type { Issue } from '../model/issue.ts';
import type { Rules } from '../rules/rules.ts';
import { squadFindings, type SquadFinding } from '../rules/squad-rules.ts';
import type { KnownPlayers } from './resources/resource-plan.ts';

/** What a row of a squad breaks of the rules, by what is known of its players: errors where the rules refuse it, else warnings. */
export function squadIssues(
  { players_in: players }: Fields,
  { squad }: Pick<Rules, 'squad'>,
  known: KnownPlayers,
): readonly Issue[] {
  // What is looked up elsewhere is not there yet.
  if (squad.check === 'off' || !Array.isArray(players)) return [];
  const unknown = { position: undefined, club: undefined, price: undefined };
  const members = players.map((id) => ({ ...unknown, ...known.get(String(id)), player: String(id) }));
  const severity = squad.check === 'refuse' ? 'error' : 'warning';
  return squadFindings(squad, members).map((finding) => ({
    code: `squad.${finding.rule}`,
    severity,
    message: messageOf(finding),
  }));
}

function messageOf(finding: SquadFinding): string {
  const named = finding.players.join(', ');
  switch (finding.rule) {
    case 'size':
      return `the squad has ${renderCountOf(finding.found, 'player')}, rules.squad.size is ${finding.wanted}`;
    case 'position': {
      const players = finding.found === 0 ? '' : ` (${named})`;
      const more = finding.unknown === 0 ? '' : ` and ${finding.unknown} of unknown position`;
      return `the squad has ${finding.found} ${finding.position}${players}${more}, rules.squad.positions wants ${finding.wanted}`;
    }
    case 'per_club':
      return `${finding.found} players are of ${finding.club} (${named}), at most ${finding.most} are allowed by rules.squad.per_club`;
    case 'budget':
      return `players ${named} cost ${finding.cost}, rules.squad.budget is ${finding.most}`;
  }
}
