interface Named {
  readonly name: string;
}

/** Names that share a bucket in the hash table of `defid`. Every other variable has a bucket of its own. */
const SHARED_BUCKET: readonly string[] = ['ICX_TAKERFEE_PER_BTC', 'LP_DAILY_LOAN_TOKEN_REWARD'];

/**
 * Variables of a message in the order in which `defid` applies and shows them, which is that of its hash table: each comes before those that
 * precede it in the message, but of two that share a bucket the later one directly before the earlier one.
 * @param given in the order of the message, each name once
 */
export function inTableOrder<T extends Named>(given: readonly T[]): readonly T[] {
  const ordered: T[] = [];
  for (const each of given) {
    const shared = SHARED_BUCKET.includes(each.name) ? ordered.findIndex(({ name }) => SHARED_BUCKET.includes(name)) : -1;
    ordered.splice(Math.max(shared, 0), 0, each);
  }
  return ordered;
}
