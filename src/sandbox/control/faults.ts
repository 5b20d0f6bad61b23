import type { Context } from '../context.ts';
import { MOST_FAULTS, faultsSchema } from '../faults.ts';
import { Refusal } from '../refusal.ts';
import { hidden, success, type Control } from './answer.ts';

/** GET, POST and DELETE /faults: those that wait or were met, more of them, and none. */
export function addFaultRoutes(control: Control, { faults }: Context): void {
  control.get('/faults', hidden(), () => success('Faults', faults.list()));
  control.post('/faults', hidden({ body: faultsSchema }), ({ body }) => {
    if (faults.unmet() + body.faults.length > MOST_FAULTS) {
      throw new Refusal(409, `faults: ${faults.unmet()} wait already, and at most ${MOST_FAULTS} may`);
    }
    faults.add(body.faults);
    return success(`${body.faults.length} faults set`, faults.list());
  });
  control.delete('/faults', hidden(), () => {
    faults.clear();
    return success('No faults', faults.list());
  });
}
