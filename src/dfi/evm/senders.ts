import type { StateView } from '../../storage/view.js';
import { evmBlock, evmBlockNumberAt } from './blocks.js';
import { evmStateAccounts } from './state-columns.js';

/** Next nonce of each sender of the EVM block within the DVM block at a height; none if it has no EVM block. */
export function nextNonces(view: StateView, dvmHeight: number): ReadonlyMap<bigint, bigint> {
  const number = evmBlockNumberAt(view, dvmHeight);
  const entries = number === undefined ? [] : (evmBlock(view, number)?.entries ?? []);
  return new Map(entries.map(({ sender }) => [sender, nextNonce(view, sender)]));
}

/** Nonce of the next transaction of an account. */
function nextNonce(view: StateView, address: bigint): bigint {
  return view.get(evmStateAccounts, address)?.nonce ?? 0n;
}
