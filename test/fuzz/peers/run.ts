/**
 * Sends random messages of a peer to our daemon and to a `defid` with the same chain: `DFI_DEFID=<path of defid 3.2.8>
 * node --import tsx test/fuzz/peers/run.ts <recording>... [count] [seed=number]`, by default 2,000 messages. Recordings of 4.2.5 need
 * `DFI_DEFID_425`. Fails if the nodes answer differently, punish differently, or have other chains or mempools then.
 */
import { eachRecording } from '../calls/each-recording.js';
import { countIn, seedIn } from '../words.js';
import { comparePeers } from './compare.js';

const given = process.argv.slice(2);
const count = countIn(given, 2_000);
const seed = seedIn(given);

await eachRecording(given, async (recording, defid) => {
  const { counts, different } = await comparePeers(defid, { recording, count, seed });
  console.log(`${recording}, seed ${seed}: ${different.length} different`);
  for (const [name, number] of [...counts].sort((a, b) => b[1] - a[1])) console.log(`  ${number} ${name}`);
  for (const text of different) console.log(`different: ${text}`);
  if (different.length > 0) process.exitCode = 1;
});
