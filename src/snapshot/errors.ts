/** A snapshot that cannot be used: damaged, of another network, or with another digest than expected. */
export class SnapshotError extends Error {
  override name = 'SnapshotError';
}
