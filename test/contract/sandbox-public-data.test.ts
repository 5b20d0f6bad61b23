import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { pointsOf } from '../../src/sandbox/game/scoring.ts';
import type { Scoring } from '../../src/sandbox/game/scoring.ts';
import { POSITIONS } from '../../src/sandbox/game/season.ts';

/** A season of realistic size that is kept beside the project and is no part of it. */
const DATA = join(import.meta.dirname, '../../../shared/data');
const isThere = existsSync(join(DATA, 'open-2023-24')) && existsSync(join(DATA, 'points-config.csv'));

type Line = Readonly<Record<string, string>>;
const read = (path: string): readonly Line[] =>
  parse(readFileSync(join(DATA, path), 'utf8'), { columns: true, skip_empty_lines: true });

describe.skipIf(!isThere)('the public season beside the project', () => {
  it('has in every row the total that the sandbox computes with the public scoring rules', () => {
    const [config = {}] = read('points-config.csv');
    const scoring = Object.fromEntries(
      Object.entries(config).map(([name, value]) => [name, Number(value)]),
    ) as unknown as Scoring;
    const positionOf = new Map(
      read('open-2023-24/players.csv').map(({ id, position }) => [
        id,
        POSITIONS.find((known) => known === position),
      ]),
    );
    const rows = read('open-2023-24/gameweek_stats.csv');
    const wrong = rows.filter((row) => {
      const position = positionOf.get(row['player_id']);
      if (position === undefined) throw new Error(`player ${row['player_id'] ?? ''} has no position`);
      const count = (column: string): number => Number(row[column]);
      const points = pointsOf(scoring, {
        position,
        games_started: count('starts'),
        minutes_played: count('minutes'),
        goals: count('goals'),
        assists: count('assists'),
        clean_sheets: count('clean_sheets'),
        goals_conceded: count('goals_conceded'),
        own_goals: count('own_goals'),
        saves: count('saves'),
        penalty_saves: count('penalties_saved'),
        penalty_missed: count('penalties_missed'),
        yellow_cards: count('yellow_cards'),
        red_cards: count('red_cards'),
        bonus_points: count('bonus'),
        bonus_points_scores: count('bps'),
      });
      return points !== count('total_points');
    });
    expect(rows.length).toBeGreaterThan(10_000);
    expect(wrong).toEqual([]);
  });
});
