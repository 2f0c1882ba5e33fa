import { accountTypes } from '../accounts/transactions.js';
import { auctionTypes } from '../auctions/transactions.js';
import type { AnyCustomTx } from '../context/custom-tx.js';
import { evmTypes } from '../evm/evm-transaction.js';
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
  evmTypes,
];

/** All types. */
export const customTxs: readonly AnyCustomTx[] = families.flat();

const known = new Map(customTxs.map((definition) => [definition.type, definition]));

/** Definition of a type by its letter; undefined for unused letters. */
export function customTxOf(type: string): AnyCustomTx | undefined {
  return known.get(type);
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
