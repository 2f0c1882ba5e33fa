/**
 * Makes random calls, with arguments of every kind, to our daemon and to a `defid` with the chain of a recording:
 * `DFI_DEFID=<path of defid 3.2.8> node --import tsx test/fuzz/calls/run.ts <recording>... [wallet|ethereum] [count] [seed=number]
 * [operation...]`, by default 3,000 calls; with `wallet` to wallets that have the coins of the chain, with `ethereum` to the Ethereum
 * port. Recordings of 4.2.5 need `DFI_DEFID_425`. The same seed makes the same calls. Fails if an answer differs and the difference is
 * not accepted in `accepted.ts`.
 */
import { readRecording } from '../../shared.js';
import { countIn, seedIn } from '../words.js';
import { type CallKind, compareCalls, hasEvm, report } from './compare.js';
import { defidPath, withoutDefid } from './defid.js';

const KINDS: readonly string[] = ['wallet', 'ethereum'] satisfies CallKind[];

const given = process.argv.slice(2).filter((word) => word !== '--');
const recordings = given.filter((word) => word.endsWith('.jsonl.gz'));
const count = countIn(given, 3_000);
const seed = seedIn(given);
const kind = (given.find((word) => KINDS.includes(word)) ?? 'all') as CallKind;
const methods = given.filter((word) => /^[a-z_]+\d?$/i.test(word) && !KINDS.includes(word));

if (recordings.length === 0) throw new Error('name a recording, a file *.jsonl.gz');
for (const recording of recordings) {
  const version = hasEvm(readRecording(recording)) ? '4.2.5' : '3.2.8';
  const defid = defidPath(version);
  if (defid === undefined) {
    console.log(`skipped: ${withoutDefid(version)} for ${recording}`);
    continue;
  }
  const comparison = { recording, count, seed, kind, methods };
  const outcome = await compareCalls(defid, comparison);
  console.log(report(comparison, outcome));
  if (outcome.different.length > 0) process.exitCode = 1;
}
