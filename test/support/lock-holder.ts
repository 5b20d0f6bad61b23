// Takes the lock of a folder, says so, and holds it until it is killed or its input ends.
import { createLock } from '../../src/state/sqlite/lock.ts';

const [folder = '', baseUrl = '', accountId = ''] = process.argv.slice(2);
const held = await createLock({ folder }).acquire({ baseUrl, accountId }, 'push');
process.stdout.write('held\n');
process.stdin.resume().on('end', () => void held.release());
