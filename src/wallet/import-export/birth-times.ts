import { TIMESTAMP_WINDOW_SEC } from '../../consensus/limits.js';
import { toHex } from '../../util/bytes.js';
import type { Slicer } from '../../util/slicer.js';
import { keyIdsOf } from '../keys/ownership.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';

/** Depth from which on blocks count, because later ones may be disconnected. */
const SAFE_DEPTH = 144;

/**
 * Estimates when keys of unknown age were created: not after the first block with a transaction of the wallet that pays the key.
 * @param keyIds in hex
 * @returns seconds since 1970, by key id
 * @see docs/protocol/wallet.md 3.0.5
 */
export async function estimateBirths(wallet: Wallet, keyIds: Iterable<string>, slicer: Slicer): Promise<Map<string, number>> {
  const { chain } = wallet.deps;
  const latest = Math.max(0, chain.tip.height - SAFE_DEPTH);
  const heights = new Map<string, number>();
  for (const id of keyIds) heights.set(id, latest);
  if (heights.size > 0) {
    for (const wtx of wallet.txs.all()) {
      noteFirst(wallet, wtx, heights);
      const paused = slicer.pause();
      if (paused) await paused;
    }
  }
  // The time of a block may be two hours off.
  const timeAt = (height: number): number => (chain.entryAt(height) ?? chain.genesis).time - TIMESTAMP_WINDOW_SEC;
  return new Map([...heights].map(([id, height]) => [id, timeAt(height)]));
}

/**
 * Lowers the heights of the keys that a transaction of a block pays. As in `defid`, this includes blocks with which the transaction
 * conflicts.
 */
function noteFirst({ keys, deps }: Wallet, { status, tx }: WalletTx, heights: Map<string, number>): void {
  const entry = 'block' in status ? status.block.entry : undefined;
  if (!entry || !deps.chain.isActive(entry)) return;
  for (const { scriptPubKey } of tx.vout) {
    for (const keyId of keyIdsOf(scriptPubKey, keys)) {
      const known = heights.get(toHex(keyId));
      if (known !== undefined && entry.height < known) heights.set(toHex(keyId), entry.height);
    }
  }
}
