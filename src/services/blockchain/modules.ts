import type { BlockIndexEntry } from '../../chain/block-index.js';
import type { Chain } from '../../chain/chain.js';
import type { ChainQueries } from '../../chain/reader.js';
import type { Warnings } from '../../chain/warnings.js';
import type { Mempool } from '../../mempool/mempool.js';
import type { MempoolPersistence } from '../../mempool/persistence.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { ReportWork } from '../../util/work-report.js';
import type { Wallets } from '../../wallet/wallets/manager.js';

/** Position of confirmed transactions, if the node keeps one (`-txindex`). */
export interface TransactionLookup {
  find(txid: Hash256): { readonly blockHash: Hash256 } | undefined;
}

/** Compact filters of blocks, if the node keeps them (`-blockfilterindex`). */
export interface FilterLookup {
  filter(entry: BlockIndexEntry): { readonly filter: Uint8Array; readonly header: Hash256 } | undefined;
  /** False while the index is catching up with the chain. */
  readonly synced: boolean;
}

/** Modules for operations on the mempool. */
export interface MempoolModules {
  readonly mempool: Pick<Mempool, 'pool' | 'maxBytes' | 'policy' | 'minimumFeeRate' | 'clear'>;
  readonly mempoolPersistence: Pick<MempoolPersistence, 'loaded' | 'save'>;
  /** Names listed in `-deprecatedrpc`. */
  readonly deprecated: readonly string[];
}

/** Modules for the blockchain operations. */
export interface BlockchainModules extends MempoolModules {
  readonly chain: ChainQueries & Pick<Chain, 'verify' | 'precious' | 'pruning' | 'isPruned' | 'history' | 'pruneTo'>;
  /** Undefined if wallets are disabled. */
  readonly wallets?: Pick<Wallets, 'find'> | undefined;
  readonly txIndex?: TransactionLookup | undefined;
  readonly filterIndex?: FilterLookup | undefined;
  /** Defaults of verifychain: `-checklevel` and `-checkblocks`. */
  readonly verification: { readonly level: number; readonly blocks: number };
  /** True if blocks in hex contain witness data: `-rpcserialversion` above 0. */
  readonly showsWitness: boolean;
  readonly warnings: Pick<Warnings, 'text'>;
  /** Receiver of the progress of long operations. */
  readonly report?: ReportWork | undefined;
}
