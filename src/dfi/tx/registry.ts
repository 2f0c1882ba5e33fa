import { accountTypes } from './accounts.js';
import { auctionTypes } from './auctions.js';
import type { AnyCustomTx, CustomTxType } from './define.js';
import { governanceTypes } from './governance.js';
import { claimDfcHtlc } from './icx-claim.js';
import { icxHtlcTypes } from './icx-htlcs.js';
import { icxOrderTypes } from './icx-orders.js';
import { loanSchemeTypes } from './loan-schemes.js';
import { loanTokenTypes } from './loan-tokens.js';
import { takeLoan } from './loans.js';
import { markerTypes } from './markers.js';
import { masternodeTypes } from './masternodes.js';
import { oracleTypes } from './oracles.js';
import { paybackTypes } from './paybacks.js';
import { poolLiquidityTypes } from './pool-liquidity.js';
import { poolSwapTypes } from './pool-swaps.js';
import { poolTypes } from './pools.js';
import { proposalTypes } from './proposals.js';
import { contractTypes } from './smart-contract.js';
import { tokenLockTypes } from './token-locks.js';
import { tokenTypes } from './tokens.js';
import { transferDomainTypes } from './transfer-domain.js';
import { vaultTypes } from './vaults.js';

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
