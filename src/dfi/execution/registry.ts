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

/** Every family of custom transactions that is executed. */
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
 * Types that no family executes: a transaction of one of them stands in its block without effect, and from there on failing
 * transactions do not make blocks invalid.
 */
export const unbuiltTypes: readonly CustomTxType[] = [
  // EVM
  { type: '9', name: 'Evm', since: 'metachain' },
];

/** The types that are executed. */
export const customTxs: readonly AnyCustomTx[] = families.flat();

const executed = new Map(customTxs.map((definition) => [definition.type, definition]));
const known = new Map<string, CustomTxType>([...unbuiltTypes, ...customTxs].map((type) => [type.type, type]));

/** The type of a letter; undefined for letters that stand for none. */
export function customTxType(type: string): CustomTxType | undefined {
  return known.get(type);
}

/** What executes a type; undefined where nothing does yet. */
export function customTxOf(type: string): AnyCustomTx | undefined {
  return executed.get(type);
}

/** Name of a type byte as the history shows it. */
export function categoryName(category: number): string {
  return category === 0 ? 'None' : (known.get(String.fromCharCode(category))?.name ?? 'None');
}

/** Type byte of a name; of two with one name the smaller. Undefined for any other text. */
export function categoryOf(name: string): number | undefined {
  const bytes = [...known.values()].filter((type) => type.name === name).map(({ type }) => type.charCodeAt(0));
  return bytes.length > 0 ? Math.min(...bytes) : undefined;
}
