import type { TransactionPlace } from '../../chain/block-store.js';
import type { Chain } from '../../chain/chain.js';
import type { ChainQueries } from '../../chain/reader.js';
import type { Mempool } from '../../mempool/mempool.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Transaction } from '../../primitives/transaction.js';

/** Announces transactions to peers. */
export interface TransactionRelay {
  announce(tx: Transaction): void;
}

/** Modules for sending transactions. */
export interface BroadcastModules {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'hasUnspent'>;
  readonly mempool: Pick<Mempool, 'accept' | 'test' | 'pool'>;
  /** Undefined without P2P. */
  readonly relay?: TransactionRelay | undefined;
}

/** Positions of confirmed transactions, if the node indexes them (`-txindex`). */
export interface TransactionLookup {
  find(txid: Hash256): (TransactionPlace & { readonly blockHash: Hash256 }) | undefined;
  /** False while the index is catching up with the chain. */
  readonly synced: boolean;
}

/** Modules for operations on raw transactions. */
export interface RawtransactionsModules extends BroadcastModules {
  readonly chain: ChainQueries;
  readonly mempool: BroadcastModules['mempool'] & Pick<Mempool, 'policy'>;
  readonly txIndex?: TransactionLookup | undefined;
  /** True if transactions in hex contain witness data: `-rpcserialversion` above 0. */
  readonly showsWitness: boolean;
}
