/** Block limits, the same at all heights. @see docs/protocol/chain.md 2.4 */
export const MAX_BLOCK_WEIGHT = 64_000_000;
export const MAX_BLOCK_SIGOPS_COST = 1_280_000;
