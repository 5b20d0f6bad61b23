import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { checkKey } from '../http/keys.ts';
import { advance } from '../game/play.ts';
import { typed } from './answer.ts';
import { addClockRoutes } from './clock.ts';
import { addEffectRoutes } from './effects.ts';
import { addFaultRoutes } from './faults.ts';
import { addFixtureRoutes } from './fixtures.ts';
import { addSquadRoutes } from './squads.ts';
import { addStandingsRoute } from './standings.ts';
import { addStateRoutes } from './state.ts';
import { addStatisticsRoutes } from './statistics.ts';
import { addTruthRoute } from './truth.ts';

/** The header that carries the operator's key. */
const HEADER = 'x-control-key';

interface ControlOptions {
  readonly controlKey: string;
  /** Makes the service new again. */
  readonly reset: () => void;
}

/**
 * The operator's interface beside the service, below /control: state and reset, the clock, the effects, the tables of ranks, what owners of
 * squads do, corrected statistics, moved fixtures, and the truth of a week. It has a key of its
 * own, is not counted in the rate windows, and answers with the same envelope.
 */
export function controlOf(context: Context, { controlKey, reset }: ControlOptions) {
  return (instance: FastifyInstance, _options: object, done: () => void): void => {
    const control = typed(instance);
    control.addHook('onRequest', (request, _reply, next) => {
      checkKey(request, HEADER, [{ key: controlKey }]);
      advance(context, context.season.now());
      next();
    });
    addStateRoutes(control, context, reset);
    addClockRoutes(control, context);
    addEffectRoutes(control, context);
    addStandingsRoute(control, context);
    addSquadRoutes(control, context);
    addStatisticsRoutes(control, context);
    addFixtureRoutes(control, context);
    addTruthRoute(control, context);
    addFaultRoutes(control, context);
    done();
  };
}
