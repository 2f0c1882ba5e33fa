/**
 * Uses a store, and closes it also if the work fails.
 * @throws {Error} of the work rather than of the close: after a write that failed, RocksDB cannot be closed without an error either, and
 * that one does not name the reason, for example the full disk
 */
export async function closingAfter<T>(store: { close(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await store.close().catch(() => undefined);
    throw error;
  }
  await store.close();
  return result;
}
