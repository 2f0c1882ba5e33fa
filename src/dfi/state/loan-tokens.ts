import { bool, i64, struct, u32, u32be } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';
import { attributeAt } from '../governance/attribute-path.js';
import { storedAttributes, valueAs } from '../governance/attributes.js';
import type { PricePair } from './oracles.js';
import { byteString, getToken } from './tokens.js';

/** A token that vaults may borrow. */
export interface LoanToken extends PricePairOfToken {
  readonly mintable: boolean;
  /** Per year, in satoshis of a percent. */
  readonly interest: bigint;
}

interface PricePairOfToken {
  readonly pair: PricePair;
}

/** As it was kept before it became attributes. */
export interface LegacyLoanToken extends LoanToken {
  readonly symbol: string;
  readonly name: string;
  readonly creationTx: Hash256;
  readonly creationHeight: number;
}

/** A token that vaults may hold, as it was kept before it became attributes. */
export interface LegacyCollateral extends PricePairOfToken {
  readonly tokenId: number;
  readonly factor: bigint;
  readonly activateAfterBlock: number;
  readonly creationHeight: number;
}

const pair = struct<PricePair>({ token: byteString, currency: byteString });

/** By token id, ascending. */
export const legacyLoanTokens: Column<number, LegacyLoanToken> = {
  name: 'dfi/loan-token',
  key: u32be,
  value: struct<LegacyLoanToken>({
    symbol: byteString,
    name: byteString,
    pair,
    mintable: bool,
    interest: i64,
    creationTx: hash256,
    creationHeight: u32,
  }),
};

/** By the transaction that set it. */
export const legacyCollaterals: Column<Hash256, LegacyCollateral> = {
  name: 'dfi/collateral-token',
  key: hash256,
  value: struct<LegacyCollateral>({ tokenId: u32, factor: i64, pair, activateAfterBlock: u32, creationHeight: u32 }),
};

export const loanTokenColumns: readonly AnyColumn[] = [legacyLoanTokens, legacyCollaterals];

/** Keys of the attributes that make a token one for loans. */
export function loanAttributes(id: number) {
  const at = (name: string) => attributeAt(`v0/token/${id}/${name}`);
  return {
    pair: at('fixed_interval_price_id'),
    mintingEnabled: at('loan_minting_enabled'),
    interest: at('loan_minting_interest'),
    collateralEnabled: at('loan_collateral_enabled'),
    factor: at('loan_collateral_factor'),
  };
}

export function getLoanToken(view: StateView, id: number): LoanToken | undefined {
  const legacy = view.get(legacyLoanTokens, id);
  if (legacy) return legacy;
  const keys = loanAttributes(id);
  const source = storedAttributes(view);
  const mintable = valueAs(source, keys.mintingEnabled, 'bool');
  const interest = valueAs(source, keys.interest, 'amount');
  const found = valueAs(source, keys.pair, 'pair');
  if (mintable === undefined || interest === undefined || !found || !getToken(view, id)) return undefined;
  return { pair: found, mintable, interest };
}

export function isLoanToken(view: StateView, id: number): boolean {
  return getLoanToken(view, id) !== undefined;
}
