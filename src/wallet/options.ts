import type { AddressType } from '../script/multisig.js';
import type { CoinSearch } from './coin-search.js';
import type { KeyAddressType } from './keys/address-type.js';

/** Options that apply to all wallets. Fee rates in satoshis per 1,000 virtual bytes. @see docs/protocol/wallet.md 1.13 */
export interface WalletSettings {
  readonly keypoolSize: number;
  readonly addressType: KeyAddressType;
  /** Undefined for the type of the recipients. */
  readonly changeType: AddressType | undefined;
  /** 0 for the estimated rate. */
  readonly payFeeRate: bigint;
  readonly minFeeRate: bigint;
  /** Used if no rate can be estimated; 0 makes that an error. */
  readonly fallbackFeeRate: bigint;
  /** Change that costs more than its value to spend at this rate is added to the fee. */
  readonly discardFeeRate: bigint;
  /** Maximum fee of a transaction, satoshis. */
  readonly maxFee: bigint;
  /** Blocks within which transactions should confirm. */
  readonly confirmTarget: number;
  readonly spendUnconfirmedChange: boolean;
  /** Transactions signal replaceability (BIP125). */
  readonly replaceable: boolean;
  readonly rejectLongChains: boolean;
  readonly avoidPartialSpends: boolean;
  readonly coinSearch: CoinSearch;
  /** Submit and announce transactions that the wallet built (`-walletbroadcast`). */
  readonly broadcast: boolean;
}

/** Options for loading a wallet. */
export interface LoadOptions {
  /** Scan the whole chain. */
  readonly rescan: boolean;
  /** Remove transactions first and scan for them again (`-zapwallettxes`); with `transactions` their notes and times are restored. */
  readonly forgets: 'transactions' | 'everything' | undefined;
  /** The caller fills the key pool of a new wallet by `Wallet.fillKeyPool` after the wallet has started. */
  readonly fillsLater?: boolean;
}

export const DEFAULT_LOAD: LoadOptions = { rescan: false, forgets: undefined };
