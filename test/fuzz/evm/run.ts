/**
 * Runs random programs in our engine and in `@ethereumjs/evm`, and prints where they differ:
 * `node --import tsx test/fuzz/evm/run.ts [count] [from=number]`, by default 10,000 programs from number 0.
 */
import { differenceOf } from './compare.js';
import { Oracle } from './oracle.js';

const MAX_SHOWN = 20;
const REPORT_EVERY = 5_000;
const given = process.argv.slice(2).filter((word) => word !== '--');
const count = Number(given.find((word) => /^\d+$/.test(word)) ?? 10_000);
const from = Number(given.flatMap((word) => /^from=(\d+)$/.exec(word)?.[1] ?? [])[0] ?? 0);
const oracle = await Oracle.create();
const started = performance.now();
let different = 0;
for (let done = 0; done < count; done++) {
  const difference = await differenceOf(oracle, from + done);
  if (difference !== undefined) {
    different += 1;
    if (different <= MAX_SHOWN) console.log(difference);
  }
  if ((done + 1) % REPORT_EVERY === 0 || done + 1 === count) {
    const rate = Math.round(((done + 1) * 1000) / (performance.now() - started));
    console.log(`programs ${from} to ${from + done}: ${different} different, ${rate} a second`);
  }
}
process.exitCode = different > 0 ? 1 : 0;
