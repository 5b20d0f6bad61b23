import type { PostgresClient } from './client.ts';

interface Shared {
  readonly client: Promise<PostgresClient>;
  users: number;
}

/** By what they were opened with. */
const shared = new Map<string, Shared>();

/**
 * The client of this process that has a name, opened where nobody has it; it is closed by the last one who closes it. A worker opens a state for each job, and to connect
 * costs the database more than most of what a job asks. Errors: those of `open`.
 */
export async function sharedClient(
  name: string,
  open: () => Promise<PostgresClient>,
): Promise<PostgresClient> {
  const own = shared.get(name) ?? { client: open(), users: 0 };
  own.users += 1;
  shared.set(name, own);
  let isClosed = false;
  const leave = (): boolean => {
    if (isClosed) return false;
    isClosed = true;
    own.users -= 1;
    if (own.users === 0 && shared.get(name) === own) shared.delete(name);
    return own.users === 0;
  };
  try {
    const client = await own.client;
    return {
      query: (...asked) => client.query(...asked),
      transaction: (work) => client.transaction(work),
      close: async () => {
        if (leave()) await client.close();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}
