import { evmSeeds } from './evm-seeds.js';
import { fileSeeds } from './file-seeds.js';
import { rpcSeeds } from './rpc-seeds.js';
import { stateSeeds } from './state-seeds.js';
import { wireSeeds } from './wire-seeds.js';

/** Inputs that our own encoders write, by decoder: they follow a format when it changes. */
export const builtSeeds: ReadonlyMap<string, readonly Uint8Array[]> = byDecoder([
  ...wireSeeds,
  ...stateSeeds,
  ...evmSeeds,
  ...rpcSeeds,
  ...fileSeeds,
]);

function byDecoder(seeds: readonly (readonly [name: string, seed: Uint8Array])[]): Map<string, Uint8Array[]> {
  const found = new Map<string, Uint8Array[]>();
  for (const [name, seed] of seeds) {
    const group = found.get(name);
    if (group) group.push(seed);
    else found.set(name, [seed]);
  }
  return found;
}
