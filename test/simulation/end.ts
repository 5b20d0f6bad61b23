import type { Checker } from './checker.ts';
import type { SimulatedService } from './service.ts';
import type { Scenario } from './scenario.ts';
import type { Ended } from './simulate.ts';

export function checkEnd(_scenario: Scenario, _checker: Checker, _service: SimulatedService, _last: Ended): void {}
