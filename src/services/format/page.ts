const DEFAULT_LIMIT = 100n;

/** Number of entries on a page, 100 by default. 0 means no limit; negative numbers wrap to large ones, as in `defid`. */
export function pageLimit(limit: bigint | undefined): number {
  const wrapped = Number(BigInt.asUintN(32, limit ?? DEFAULT_LIMIT));
  return wrapped === 0 ? Number.POSITIVE_INFINITY : wrapped;
}
