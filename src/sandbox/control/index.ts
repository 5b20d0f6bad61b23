import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { checkKey } from '../keys.ts';
import { advance } from '../play.ts';
import { addClockRoutes } from './clock.ts';
import { addEffectRoutes } from './effects.ts';
import { addFaultRoutes } from './faults.ts';
import { addStandingsRoute } from './standings.ts';
import { addStateRoutes } from './state.ts';

/** The header that carries the operator's key. */
const HEADER = 'x-control-key';

interface ControlOptions {
  readonly controlKey: string;
  /** Makes the service new again. */
  readonly reset: () => void;
}

/**
 * The operator's interface beside the service, below /control: state and reset, the clock, the effects and the tables of ranks. It has a key of its
 * own, is not counted in the rate windows, and answers with the same envelope.
 */
export function controlOf(context: Context, { controlKey, reset }: ControlOptions) {
  return (control: FastifyInstance, _options: object, done: () => void): void => {
    control.addHook('onRequest', (request, _reply, next) => {
      checkKey(request, HEADER, [{ key: controlKey }]);
      advance(context.store, context.season.now());
      next();
    });
    addStateRoutes(control, context, reset);
    addClockRoutes(control, context);
    addEffectRoutes(control, context);
    addStandingsRoute(control, context);
    addFaultRoutes(control, context);
    done();
  };
}
