import fc from 'fast-check';
import { isLong } from './long.ts';

// The short form of a property is the same each time, so that a run that fails says something about the change before it. `npm run test:long` draws its own seeds.
if (!isLong) fc.configureGlobal({ seed: 20_260_814 });
