import { accountTypes } from '../accounts/transactions.js';
import { auctionTypes } from '../auctions/transactions.js';
import type { AnyCustomTx, CustomTxType } from '../context/custom-tx.js';
import { transferDomainTypes } from '../evm/transfer-domain.js';
import { contractTypes } from '../futures/smart-contract.js';
import { governanceTypes } from '../governance/transactions.js';
import { claimDfcHtlc } from '../icx/claim-transactions.js';
import { icxHtlcTypes } from '../icx/htlc-transactions.js';
import { icxOrderTypes } from '../icx/order-transactions.js';
import { loanTokenTypes } from '../loan-tokens/transactions.js';
import { paybackTypes } from '../loans/payback-transactions.js';
import { loanSchemeTypes } from '../loans/scheme-transactions.js';
import { takeLoan } from '../loans/transactions.js';
import { masternodeTypes } from '../masternodes/transactions.js';
import { oracleTypes } from '../oracles/transactions.js';
import { poolLiquidityTypes } from '../pools/liquidity-transactions.js';
import { poolSwapTypes } from '../pools/swap-transactions.js';
import { poolTypes } from '../pools/transactions.js';
import { proposalTypes } from '../proposals/transactions.js';
import { tokenLockTypes } from '../tokens/lock-transactions.js';
import { tokenTypes } from '../tokens/transactions.js';
import { vaultTypes } from '../vaults/transactions.js';
import { markerTypes } from './markers.js';

/** Custom transactions by feature. */
const families: readonly (readonly AnyCustomTx[])[] = [
  masternodeTypes,
  tokenTypes,
  accountTypes,
  oracleTypes,
  governanceTypes,
  loanTokenTypes,
  loanSchemeTypes,
  vaultTypes,
  [takeLoan],
  paybackTypes,
  poolTypes,
  poolLiquidityTypes,
  poolSwapTypes,
  contractTypes,
  proposalTypes,
  auctionTypes,
  tokenLockTypes,
  icxOrderTypes,
  icxHtlcTypes,
  [claimDfcHtlc],
  markerTypes,
  transferDomainTypes,
];

/**
 * Types that this program does not execute. Such a transaction is valid in a block and has no effect; from then on failing custom
 * transactions make no block invalid.
 */
export const unsupportedTypes: readonly CustomTxType[] = [
  // EVM
  { type: '9', name: 'Evm', since: 'metachain', evm: 'transaction' },
];

/** All types that are executed. */
export const customTxs: readonly AnyCustomTx[] = families.flat();

const executed = new Map(customTxs.map((definition) => [definition.type, definition]));
const known = new Map<string, CustomTxType>([...unsupportedTypes, ...customTxs].map((type) => [type.type, type]));

/** Type of a letter, executed or not; undefined for unused letters. */
export function customTxType(type: string): CustomTxType | undefined {
  return known.get(type);
}

/** Definition of a type; undefined for types that are not executed. */
export function customTxOf(type: string): AnyCustomTx | undefined {
  return executed.get(type);
}

/** Name of a type byte in the history; `None` for 0 and unknown ones. */
export function categoryName(category: number): string {
  return category === 0 ? 'None' : (known.get(String.fromCharCode(category))?.name ?? 'None');
}

/** Type byte of a name, the smaller one if two types share it; undefined for other texts. */
export function categoryOf(name: string): number | undefined {
  const bytes = [...known.values()].filter((type) => type.name === name).map(({ type }) => type.charCodeAt(0));
  return bytes.length > 0 ? Math.min(...bytes) : undefined;
}
