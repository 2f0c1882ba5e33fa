import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { BroadcastModules } from './broadcast.js';

/** Positions of confirmed transactions, if the node indexes them (`-txindex`). */
export interface TransactionLookup {
  find(txid: Hash256): { readonly blockHash: Hash256; readonly position: number } | undefined;
  /** False while the index is catching up with the chain. */
  readonly synced: boolean;
}

/** Modules for operations on raw transactions. */
export interface RawtransactionsModules extends BroadcastModules {
  readonly chain: Pick<
    Chain,
    'params' | 'tip' | 'genesis' | 'entry' | 'isActive' | 'confirmations' | 'block' | 'coin' | 'hasUnspent' | 'state'
  >;
  readonly txIndex?: TransactionLookup | undefined;
  /** True if transactions in hex contain witness data: `-rpcserialversion` above 0. */
  readonly showsWitness: boolean;
}
