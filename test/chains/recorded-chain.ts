import assert from 'node:assert/strict';
import { MemoryBlocks } from '../../src/chain/block-store.js';
import { Chain } from '../../src/chain/chain.js';
import type { BlockJournal } from '../../src/chain/events.js';
import { networkParams } from '../../src/params/index.js';
import type { NetworkParams } from '../../src/params/network.js';
import { heightsOfFlags } from '../../src/params/upgrade-heights.js';
import { formatHash } from '../../src/primitives/hash.js';
import { MemoryStore } from '../../src/storage/memory.js';
import { fromHex } from '../../src/util/bytes.js';
import { FixedClock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';
import type { RecordedAnswer, Recording } from '../shared.js';

/** Network parameters under a recording's flags; of equal flags the last one counts. */
export function paramsOfFlags(flags: readonly string[]): NetworkParams {
  const given = new Map(flags.map((flag) => flag.split('=') as [string, string | undefined]));
  const number = (name: string) => (given.has(name) ? Number(given.get(name) ?? 1) : undefined);
  const segwitHeight = number('-segwitheight');
  return networkParams({
    network: 'regtest',
    upgradeHeights: heightsOfFlags(number),
    ...(segwitHeight === undefined ? {} : { segwitHeight }),
    simulateMainnet: number('-simulatemainnet') === 1,
    dummyPos: number('-dummypos') === 1,
    noTokens: number('-txnotokens') === 1,
    subsidyTest: number('-subsidytest') === 1,
    jellyfish: number('-jellyfish_regtest') === 1,
  });
}

export interface RecordedChain {
  readonly chain: Chain;
  readonly clock: FixedClock;
}

/** New chain in memory with a recording's parameters. */
export function emptyChain({ header }: Pick<Recording, 'header'>, journal?: BlockJournal): RecordedChain {
  const clock = new FixedClock(1_579_045_065);
  const params = paramsOfFlags(header.flags);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger, journal });
  return { chain, clock };
}

/** Imports a recording's blocks up to `height` into a chain in memory, and compares the tip after each. */
export function importRecording(recording: Recording, height = Number.POSITIVE_INFINITY): RecordedChain {
  const { chain, clock } = emptyChain(recording);
  for (const step of recording.steps) {
    if (!('hex' in step) || step.block > height) continue;
    clock.set(step.time);
    const result = chain.submitBlock(fromHex(step.hex));
    const where = `${recording.header.name} block ${step.block}: ${JSON.stringify(result)}`;
    assert.equal(formatHash(chain.tip.hash), step.hash, where);
  }
  return { chain, clock };
}

/** Imports a recording block by block, and yields the chain wherever answers were recorded. */
export function* submitRecorded(recording: Recording): Generator<RecordedChain & { readonly answers: readonly RecordedAnswer[] }> {
  const { chain, clock } = emptyChain(recording);
  for (const step of recording.steps) {
    if ('hex' in step) {
      clock.set(step.time);
      const result = chain.submitBlock(fromHex(step.hex));
      assert.equal(formatHash(chain.tip.hash), step.hash, `${recording.header.name} block ${step.block}: ${JSON.stringify(result)}`);
    } else yield { chain, clock, answers: step.answers };
  }
}
