import { type Ancestor, medianTimePast } from '../../../src/consensus/ancestry.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';

/** A chain of block `versions`, one second apart. */
export function chainOf(versions: readonly number[], params: NetworkParams = networkParams({ network: 'regtest' })): Ancestor {
  const blocks: Ancestor[] = [];
  versions.forEach((version, height) => {
    const block: Ancestor = {
      height,
      version,
      time: 1_600_000_000 + height,
      bits: 0x207fffff,
      parent: blocks[height - 1],
      ancestor: (at) => blocks[at],
      medianTimePast: () => medianTimePast(block, params),
    };
    blocks.push(block);
  });
  return blocks.at(-1) as Ancestor;
}

export const SILENT = 0x20000000;
/** For the deployment of regtest. */
export const SIGNAL = 0x30000000;
export const repeat = (version: number, count: number) => new Array<number>(count).fill(version);
