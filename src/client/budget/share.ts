/** What those that only read may still take, all together, while somebody waits to write. */
const READERS_SHARE = 0.1;

/** Whether one of those that want room may take a request of it. */
export function mayTake(
  limit: number,
  room: number,
  own: { readonly writes: boolean; readonly taken: number },
  wanting: readonly { readonly writes: boolean; readonly taken: number }[],
): boolean {
  if (wanting.length === 0) return true;
  const all = [own, ...wanting];
  const writers = all.filter(({ writes }) => writes).length;
  const readers = all.length - writers;
  const forReaders = writers === 0 ? limit : limit * READERS_SHARE;
  const shareOf = ({ writes }: { readonly writes: boolean }): number =>
    Math.max(
      1,
      Math.floor(writes ? (limit - (readers > 0 ? forReaders : 0)) / writers : forReaders / readers),
    );
  if (own.taken < shareOf(own)) return true;
  const owed = wanting.reduce((sum, each) => sum + Math.max(0, shareOf(each) - each.taken), 0);
  return room > owed;
}
