import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { BroadcastModules } from './broadcast.js';

/** Places of confirmed transactions, if the node keeps them (`-txindex`). */
export interface TransactionLookup {
  find(txid: Hash256): { readonly blockHash: Hash256; readonly position: number } | undefined;
  /** False while the index is catching up with the chain. */
  readonly synced: boolean;
}

/** What the Rawtransactions operations need of the node. */
export interface RawtransactionsModules extends BroadcastModules {
  readonly chain: Pick<
    Chain,
    'params' | 'tip' | 'genesis' | 'entry' | 'isActive' | 'confirmations' | 'block' | 'coin' | 'hasUnspent' | 'state'
  >;
  readonly txIndex?: TransactionLookup | undefined;
  /** Whether transactions in hex carry witness data: `-rpcserialversion` above 0. */
  readonly showsWitness: boolean;
}
