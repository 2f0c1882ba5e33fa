const DEFAULT_LIMIT = 100n;

/** Entries of a page: 0 is no limit, and a negative number is so large that it is none. */
export function pageLimit(limit: bigint | undefined): number {
  const wrapped = Number(BigInt.asUintN(32, limit ?? DEFAULT_LIMIT));
  return wrapped === 0 ? Number.POSITIVE_INFINITY : wrapped;
}
