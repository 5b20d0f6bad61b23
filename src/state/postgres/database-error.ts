import { ConfigError, UnavailableError } from '../../model/error.ts';
import { UnreadableValueError } from '../sql-row.ts';
import { DatabaseFailure, MissingPassword } from './client.ts';

const REST = 'then run the command again.';

const TIMEOUT =
  'Give statements and transactions of the database more time (statement_timeout, transaction_timeout)';
/** What to do where a database does not do its work though it is there. */
const REMEDIES: Readonly<Record<string, string>> = {
  '53300': 'Wait until other commands end, or allow more connections to the database',
  '57014': TIMEOUT,
  '25P04': TIMEOUT,
};

/**
 * The error that a failure of a database means, which `name` calls: ConfigError `state.access`, `state.rights`, `state.damaged`, UnavailableError
 * `state.unreachable`, `state.unwritable`, `state.busy`; any other error comes back as it is.
 */
export function databaseError(name: string, error: unknown): unknown {
  if (error instanceof UnreadableValueError) return damaged(name, error.message, error);
  if (!(error instanceof DatabaseFailure)) return error;
  const { sqlState = '', message } = error;
  if (error instanceof MissingPassword)
    return new ConfigError('state.access', `${name} refuses the login: ${message}`, {
      next: `Set PGPASSWORD or PGPASSFILE, or write the password into the address where a variable such as TEAMSHEET_STATE_URL holds it, ${REST}`,
      cause: error,
    });
  // Classes and codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
  if (/^(28|3D)/.test(sqlState))
    return new ConfigError('state.access', `${name} refuses the login: ${message}`, {
      next: `Correct the user, the database and the password (PGPASSWORD or PGPASSFILE), ${REST}`,
      cause: error,
    });
  if (sqlState === '42501')
    return new ConfigError('state.rights', `${name} refuses a right: ${message}`, {
      next: `Give the user the rights that docs/postgresql.md shows, ${REST}`,
      cause: error,
    });
  if (/^(42P0[17]|42703|3F000|XX00[12])$/.test(sqlState)) return damaged(name, message, error);
  if (/^(53[124]|58|25006)/.test(sqlState))
    return new UnavailableError('state.unwritable', `${name} cannot be written: ${message}`, {
      next: `Free space or memory of the database, or name the server that takes writes, ${REST}`,
      cause: error,
    });
  if (/^(40001|40P01|55P03)$/.test(sqlState))
    return new UnavailableError('state.busy', `${name} is in use by others: ${message}`, {
      next: `Wait until the other command ends, ${REST}`,
      cause: error,
    });
  // Poolers say XX000 of whatever goes wrong between them and the database.
  if (sqlState === '' || /^(08|25P0[34]|53300|57|XX000)/.test(sqlState))
    return new UnavailableError('state.unreachable', `${name} cannot be reached: ${message}`, {
      next: `${REMEDIES[sqlState] ?? 'Start the database or correct its address'}, ${REST}`,
      cause: error,
    });
  return error;
}

function damaged(name: string, reason: string, cause: Error): ConfigError {
  return new ConfigError(
    'state.damaged',
    `the state in ${name} is damaged or was not written by teamsheet: ${reason}`,
    {
      next: 'Restore it from a backup, or name another schema with "state_schema:" and plan again: nothing that the service has is lost.',
      cause,
    },
  );
}
