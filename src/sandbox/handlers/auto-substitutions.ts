import { randomUUID } from 'node:crypto';
import type { Handler } from '../context.ts';
import { listPage } from '../http/paging.ts';
import { isProcessed, processSubstitutions } from '../game/settle.ts';
import { Refusal, unknownId } from '../refusal.ts';
import { flag, int, text, type Row } from '../store/store.ts';
import { weekById } from '../game/weeks.ts';
import { requireLeague } from '../game/leagues.ts';
import { playerOf } from '../game/stats.ts';

/** Processes an ended week once; `events` counts the records written, two a substitution. A second request changes nothing and says so. */
export const triggerAutoSubstitution: Handler<'trigger-auto-substitution'> = (
  { store, season, settings },
  { body },
) => {
  const league = requireLeague(store, 'fantasy_league_id', body.fantasy_league_id);
  const week = weekById(store, body.game_week_id);
  if (week === undefined) throw unknownId('game_week_id', 'game week', body.game_week_id);
  if (!week.isPlayed) {
    throw new Refusal(
      422,
      `game_week_id: game week ${week.number} has not ended, it ends at ${week.endDate}`,
    );
  }
  const isAgain = isProcessed(store, league.id, week.number);
  if (isAgain && settings.substitution_again === 'conflict') {
    throw new Refusal(409, `game_week_id: game week ${week.number} was processed before`);
  }
  if (isAgain && settings.substitution_again === 'nothing') {
    const message = `Game week ${week.number} was processed before; nothing was changed`;
    return { message, data: { message, code: 'ALREADY_PROCESSED', events: 0 } };
  }
  const records = processSubstitutions(store, league.id, week.number, season.now(), randomUUID);
  const message = `Game week ${week.number} processed`;
  const events = { records: records.length, pairs: records.length / 2, none_yet: 0 }[
    settings.substitution_events
  ];
  return { message, data: { message, code: 'PROCESSED', events }, records };
};

/** Section 2.11, in the order of processing; the flags and the order are those after the substitution. An armband that passes leaves no record. */
export const listAutoSubstitutions: Handler<'list-auto-substitutions'> = (context, { query }) => {
  const { page = 1, fantasy_league_id } = query;
  const { store, season, settings } = context;
  requireLeague(store, 'fantasy_league_id', fantasy_league_id);
  const laterMs = settings.substitutions_after_ms;
  const listing = {
    table: 'auto_substitutions',
    as: 'a',
    key: 'number',
    filters: { fantasy_league_id },
    madeUntil: laterMs === 0 ? undefined : new Date(Date.parse(season.now()) - laterMs).toISOString(),
    select: 'a.*, s.id AS squad_id, s.name AS squad_name, p.first_name, p.last_name',
    joins: 'JOIN squads s ON s.number = a.squad JOIN players p ON p.id = a.player_id',
  };
  return { message: 'Automatic substitutions', ...listPage(context, listing, page, toRecord) };
};

function toRecord(row: Row) {
  return {
    id: text(row, 'id'),
    squad: { id: text(row, 'squad_id'), name: text(row, 'squad_name') },
    player: playerOf(row),
    txn_type: 'auto_substitution',
    action: text(row, 'action'),
    txn_ref: text(row, 'txn_ref'),
    lineup_order: int(row, 'lineup_order'),
    is_captain: flag(row, 'is_captain'),
    is_vice_captain: flag(row, 'is_vice_captain'),
    is_starting: flag(row, 'is_starting'),
    created_at: text(row, 'created_at'),
    updated_at: text(row, 'created_at'),
  };
}
