import type { ChainQueries } from '../../chain/reader.js';
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
  readonly chain: ChainQueries;
  readonly txIndex?: TransactionLookup | undefined;
  /** True if transactions in hex contain witness data: `-rpcserialversion` above 0. */
  readonly showsWitness: boolean;
}
