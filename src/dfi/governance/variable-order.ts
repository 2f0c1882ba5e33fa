interface Named {
  readonly name: string;
}

/** Names that share a bucket in the hash table of `defid`. Every other variable has a bucket of its own. */
const SHARED_BUCKET: readonly string[] = ['ICX_TAKERFEE_PER_BTC', 'LP_DAILY_LOAN_TOKEN_REWARD'];

/**
 * Variables of a message in the order in which `defid` applies and shows them, which is that of its hash table: the reverse of the order in
 * the message, except that two variables which share a bucket are adjacent, the later one first.
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
