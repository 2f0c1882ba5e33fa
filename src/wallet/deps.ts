import type { Chain } from '../chain/chain.js';
import type { Mempool } from '../mempool/mempool.js';
import type { Hash256 } from '../primitives/hash.js';
import type { Transaction } from '../primitives/transaction.js';
import type { ImpersonatedOwners } from '../script/impersonation.js';
import type { Clock } from '../util/clock.js';
import type { Logger } from '../util/logger.js';
import type { Terminal } from '../util/progress.js';
import type { ReportWork } from '../util/work-report.js';
import type { WalletSettings } from './options.js';
import type { DerivationCost } from './store/records.js';
import type { WalletTx } from './txs/wallet-tx.js';

export type WalletChain = Pick<
  Chain,
  | 'params'
  | 'tip'
  | 'genesis'
  | 'entry'
  | 'entryAt'
  | 'isActive'
  | 'confirmations'
  | 'forkPoint'
  | 'block'
  | 'mayHave'
  | 'header'
  | 'coin'
  | 'state'
  | 'snapshot'
  | 'isInitialDownload'
  | 'isPruned'
  | 'lowestStored'
  | 'pruning'
  | 'on'
>;

/** Announces transactions to peers. */
export interface Relay {
  announce(tx: Transaction): void;
}

/** Parts of the node that a wallet uses. */
export interface WalletDeps {
  readonly chain: WalletChain;
  readonly mempool: Mempool;
  readonly clock: Clock;
  readonly log: Logger;
  /** Terminal for the progress of scans. */
  readonly terminal?: Terminal | undefined;
  /** Receiver of that progress. */
  readonly report?: ReportWork | undefined;
  readonly settings: WalletSettings;
  /** Minters order transactions by fee rate, so that fees of confirmed transactions are a basis for estimates. */
  readonly feesDecide: boolean;
  /** Cost of the key derivation from a passphrase; lower only in tests. */
  readonly passphraseCost?: DerivationCost;
  /** Called for transactions of the wallet that are new or whose status changed. */
  readonly notify?: ((txid: Hash256) => void) | undefined;
  /** Called as `notify` is, and also for transactions whose block was disconnected. */
  readonly onTransaction?: ((wallet: { readonly name: string }, wtx: WalletTx) => void) | undefined;
  /** Owners that every wallet may act for without their keys; absent on networks that do not allow it. */
  readonly impersonated?: Pick<ImpersonatedOwners, 'has'> | undefined;
  /** Absent without peers. */
  readonly relay?: Relay | undefined;
}
