import type { Chain } from '../chain/chain.js';
import type { Mempool } from '../mempool/mempool.js';
import type { Hash256 } from '../primitives/hash.js';
import type { Transaction } from '../primitives/transaction.js';
import type { Clock } from '../util/clock.js';
import type { Logger } from '../util/logger.js';
import type { WalletSettings } from './options.js';

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
  | 'header'
  | 'coin'
  | 'state'
  | 'isInitialDownload'
  | 'pruning'
  | 'lowestStored'
  | 'on'
>;

/** Tells peers of a transaction. */
export interface Relay {
  announce(tx: Transaction): void;
}

/** What a wallet needs of the node. */
export interface WalletDeps {
  readonly chain: WalletChain;
  readonly mempool: Mempool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: WalletSettings;
  /** Blocks take what pays most first, so that what was paid tells what to pay. */
  readonly feesDecide: boolean;
  /** Work to open a passphrase, as a power of two; the usual one by default. */
  readonly passphraseCost?: number;
  /** Told of transactions of the wallet that are new or stand elsewhere. */
  readonly notify?: ((txid: Hash256) => void) | undefined;
  /** Absent without peers. */
  readonly relay?: Relay | undefined;
}
