/**
 * Makes random calls, with arguments of every kind, to our daemon and to a `defid` with the chain of a recording:
 * `DFI_DEFID=<path of defid 3.2.8> node --import tsx test/fuzz/calls/run.ts <recording>... [wallet|ethereum|initial|locked|bodies]
 * [count] [seed=number] [-flag...] [operation...]`, by default 3,000 calls; with `wallet` to wallets that have the coins of the chain, with
 * `ethereum` to the Ethereum port, with `initial` to nodes without the blocks of the recording, with `locked` to wallets that are locked.
 * Flags, such as `-disablewallet`, are those of both nodes. Recordings of 4.2.5 need `DFI_DEFID_425`. The same seed makes the same calls. Fails if an answer differs and the difference is
 * not accepted in `accepted.ts`.
 */
import { countIn, seedIn } from '../words.js';
import { type CallKind, compareCalls, report } from './compare.js';
import { eachRecording } from './each-recording.js';

const KINDS: readonly string[] = ['wallet', 'ethereum', 'initial', 'locked', 'bodies'] satisfies CallKind[];

const given = process.argv.slice(2).filter((word) => word !== '--');
const count = countIn(given, 3_000);
const seed = seedIn(given);
const kind = (given.find((word) => KINDS.includes(word)) ?? 'all') as CallKind;
const flags = given.filter((word) => word.startsWith('-'));
const methods = given.filter((word) => /^[a-z_]+\d?$/i.test(word) && !KINDS.includes(word));

await eachRecording(given, async (recording, defid) => {
  const comparison = { recording, count, seed, kind, methods, flags };
  const outcome = await compareCalls(defid, comparison);
  console.log(report(comparison, outcome));
  if (outcome.different.length > 0) process.exitCode = 1;
});
