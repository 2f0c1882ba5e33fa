/**
 * Makes random calls, with arguments of every kind, to our daemon and to a `defid` 3.2.8 with the chain of a recording:
 * `DFI_DEFID=<path of defid> node --import tsx test/fuzz/calls/run.ts <recording>... [wallet] [count] [seed=number] [operation...]`, by
 * default 3,000 calls; with `wallet` to wallets that have the coins of the chain. The same seed makes the same calls. Fails if an answer differs and the difference is not accepted in `accepted.ts`.
 */
import { compareCalls, report } from './compare.js';

const given = process.argv.slice(2).filter((word) => word !== '--');
const recordings = given.filter((word) => word.endsWith('.jsonl.gz'));
const count = Number(given.find((word) => /^\d+$/.test(word)) ?? 3_000);
const seed = Number(given.flatMap((word) => /^seed=(\d+)$/.exec(word)?.[1] ?? [])[0] ?? Date.now()) | 0;
const wallet = given.includes('wallet');
const methods = given.filter((word) => /^[a-z_]+$/i.test(word) && word !== 'wallet');
const defid = process.env.DFI_DEFID;

if (recordings.length === 0) throw new Error('name a recording, a file *.jsonl.gz');
if (defid === undefined) console.log('skipped: DFI_DEFID names no defid 3.2.8');
else {
  for (const recording of recordings) {
    const comparison = { recording, count, seed, wallet, methods };
    const outcome = await compareCalls(defid, comparison);
    console.log(report(comparison, outcome));
    if (outcome.different.length > 0) process.exitCode = 1;
  }
}
