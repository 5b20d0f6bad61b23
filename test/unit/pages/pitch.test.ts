import { expect, it } from 'vitest';
import { pitch, type PitchPlayer } from '../../../src/pages/pitch.ts';

const player: PitchPlayer = {
  ...{ name: 'Laranjal', fullName: 'Davi Laranjal', club: 'Harbour Town', clubId: 1, isKeeper: true },
  ...{ position: 'GKP', positionName: 'Goalkeeper', points: 1, minutes: 90 },
  ...{ isCaptain: false, isViceCaptain: false, cameIn: false, wentOut: false },
};

it.each([
  [1, '1 pt'],
  [2, '2 pts'],
  [0, '0 pts'],
  [-1, '−1 pts'],
])('shows %d points of a player as %s', (points, shown) => {
  const { text } = pitch({ lines: [[{ ...player, points }]], bench: [], isPlayed: true });
  expect(text.replaceAll(/<[^>]*>/g, '')).toContain(shown);
});
