/**
 * Runs random programs in our daemon and in a `defid` 4.2.5, by calls that override the state, and prints where their answers differ:
 * `DFI_DEFID_425=<path of defid 4.2.5> node --import tsx test/fuzz/evm/beside.ts <recording of 4.2.5>... [count] [seed=number]`,
 * by default 1,000 programs from a number that the time gives. Each program is called, called by a contract that returns the gas that it left, and, one of
 * five, estimated and traced.
 */
import { Daemon } from '../../daemon.js';
import { readRecording } from '../../shared.js';
import { eachRecording } from '../calls/each-recording.js';
import { DefidDaemon, ethereumPorts, NodeClient, type Question } from '../calls/node-client.js';
import { countIn, seedIn } from '../words.js';
import { questionsOf } from './questions.js';

const MAX_SHOWN = 10;
const SHOWN = 200;
const given = process.argv.slice(2);
const count = countIn(given, 1_000);
const from = seedIn(given);

await eachRecording(given, async (path, defid) => {
  const recording = readRecording(path);
  const [ownPorts, ports] = [await ethereumPorts(), await ethereumPorts()];
  const flags = ['-ethdebug=1', ...recording.header.flags];
  const ours = new Daemon([...flags, '-rpcstrict', ...ownPorts.flags]);
  const theirs = new DefidDaemon(defid, [...flags, ...ports.flags]);
  try {
    await Promise.all([ours.start(), theirs.start()]);
    for (const { rpcPort } of [ours, theirs]) {
      const client = new NodeClient(rpcPort);
      for (const step of recording.steps) {
        if (!('hex' in step)) continue;
        await client.call('setmocktime', [step.time]);
        await client.call('submitblock', [step.hex]);
      }
      client.close();
    }
    const [own, other] = [ownPorts, ports].map(({ port }) => new NodeClient(port, { jsonrpc: '2.0' })) as [NodeClient, NodeClient];
    let asked = 0;
    let different = 0;
    const ask = async (number: number, [method, ...params]: Question) => {
      const [a, b] = await Promise.all([own.call(method, params), other.call(method, params)]);
      asked += 1;
      if (a.text === b.text) return;
      different += 1;
      if (different <= MAX_SHOWN) console.log(`program ${number}, ${method}: ${difference(a.text, b.text)}`);
    };
    for (let number = from; number < from + count; number++) for (const question of questionsOf(number)) await ask(number, question);
    console.log(`${path}, programs ${from} to ${from + count - 1}: ${asked} asked, ${different} different`);
    if (different > 0) process.exitCode = 1;
  } finally {
    await ours.destroy();
    theirs.destroy();
  }
});

/** Both texts around the first place where they differ. */
function difference(ours: string, theirs: string): string {
  let at = 0;
  while (ours[at] === theirs[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - SHOWN), at + SHOWN);
  return `at ${at}\n  ours ${around(ours)}\n  theirs ${around(theirs)}`;
}
