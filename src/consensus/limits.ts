/** Weight units; the limits are the same at all heights. @see docs/protocol/chain.md 2.4 */
export const MAX_BLOCK_WEIGHT = 64_000_000;
/** Legacy and P2SH signature operations count 4, those in witnesses 1. */
export const MAX_BLOCK_SIGOPS_COST = 1_280_000;

/** Seconds by which the time of a block may differ from the time at which it was made. */
export const TIMESTAMP_WINDOW_SEC = 7_200;
