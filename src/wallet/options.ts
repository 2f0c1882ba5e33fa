import type { AddressType } from '../script/multisig.js';
import type { CoinSearch } from './coin-search.js';

/** What an operator sets for all wallets. Fee rates in satoshis per 1,000 virtual bytes. @see docs/protocol/wallet.md 1.13 */
export interface WalletSettings {
  readonly keypoolSize: number;
  readonly addressType: AddressType;
  /** Undefined follows the recipients. */
  readonly changeType: AddressType | undefined;
  /** 0 asks the estimator. */
  readonly payFeeRate: bigint;
  readonly minFeeRate: bigint;
  /** Where nothing can be estimated; 0 refuses to guess. */
  readonly fallbackFeeRate: bigint;
  /** Up to this rate change is given away as fee. */
  readonly discardFeeRate: bigint;
  /** Satoshis; no transaction pays more. */
  readonly maxFee: bigint;
  /** Blocks within which transactions should confirm. */
  readonly confirmTarget: number;
  readonly spendUnconfirmedChange: boolean;
  readonly replaceable: boolean;
  readonly rejectLongChains: boolean;
  readonly avoidPartialSpends: boolean;
  readonly coinSearch: CoinSearch;
  readonly broadcast: boolean;
}

/** What a wallet does when it is loaded, beyond the usual. */
export interface LoadOptions {
  /** Look through the whole chain. */
  readonly rescan: boolean;
  /** Forget transactions first, and look for them again. */
  readonly forgets: 'transactions' | 'everything' | undefined;
}

export const USUAL_LOAD: LoadOptions = { rescan: false, forgets: undefined };
