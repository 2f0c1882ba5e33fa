import { bool, encode, i64, mapped, struct, u32, u32be } from '../../primitives/codec.js';
import { type Hash256, hash256, NULL_HASH } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';
import { listAttributes, storedAttributes, valueAs } from '../attributes/attributes.js';
import type { AttributeKey } from '../attributes/key.js';
import { keyCode, typeCode } from '../attributes/lookup.js';
import { attributeAt } from '../attributes/path.js';
import { byteString } from '../kernel/text.js';
import type { PricePair } from '../oracles/columns.js';
import { getToken, type TokenFields } from '../tokens/columns.js';

/** Terms of a token that vaults may borrow. */
export interface LoanToken extends PricePairOfToken {
  readonly mintable: boolean;
  /** Interest per year, in percent scaled by COIN. */
  readonly interest: bigint;
}

interface PricePairOfToken {
  readonly pair: PricePair;
}

/** Record of a loan token before the conversion to attributes. Symbol and name are those of the creating message, not trimmed or cut. */
export interface LegacyLoanToken extends LoanToken {
  readonly symbol: string;
  readonly name: string;
  readonly creationTx: Hash256;
  readonly creationHeight: number;
}

/** Terms of a token that vaults may hold as collateral. */
export interface CollateralToken extends PricePairOfToken {
  /** Part of its value that counts, scaled by COIN. */
  readonly factor: bigint;
}

/** Record of a collateral token before the conversion to attributes. */
export interface LegacyCollateral extends CollateralToken {
  readonly creationTx: Hash256;
  readonly creationHeight: number;
}

/** A token and the height from which its terms apply. */
export interface LegacyCollateralKey {
  readonly tokenId: number;
  readonly activateAfterBlock: number;
}

const pair = struct<PricePair>({ token: byteString, currency: byteString });

/** Records by token id, ascending. */
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

const descending = mapped(
  u32be,
  (value) => 0xffffffff - value,
  (value: number) => 0xffffffff - value,
);

/** Records by token id, then by the height from which they apply: the latest first. */
export const legacyCollaterals: Column<LegacyCollateralKey, LegacyCollateral> = {
  name: 'dfi/collateral-token',
  key: struct<LegacyCollateralKey>({ tokenId: u32be, activateAfterBlock: descending }),
  value: struct<LegacyCollateral>({ factor: i64, pair, creationTx: hash256, creationHeight: u32 }),
};

/** Columns of the settings of loan and collateral tokens before they became attributes. */
export const loanTokenColumns: readonly AnyColumn[] = [legacyLoanTokens, legacyCollaterals];

const ofAnyToken = (name: string): AttributeKey => attributeAt(`v0/token/0/${name}`);
/** The keys for token 0, from which those of the others are made. */
const LOAN_ATTRIBUTES = {
  pair: ofAnyToken('fixed_interval_price_id'),
  mintingEnabled: ofAnyToken('loan_minting_enabled'),
  interest: ofAnyToken('loan_minting_interest'),
  collateralEnabled: ofAnyToken('loan_collateral_enabled'),
  factor: ofAnyToken('loan_collateral_factor'),
};

/** Keys of the attributes with the loan and collateral terms of a token. */
export function loanAttributes(id: number): Readonly<Record<keyof typeof LOAN_ATTRIBUTES, AttributeKey>> {
  const { pair, mintingEnabled, interest, collateralEnabled, factor } = LOAN_ATTRIBUTES;
  return {
    pair: { ...pair, id },
    mintingEnabled: { ...mintingEnabled, id },
    interest: { ...interest, id },
    collateralEnabled: { ...collateralEnabled, id },
    factor: { ...factor, id },
  };
}

/** Terms of a loan token, from its record or its attributes; undefined for other tokens. */
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

/** Names of a loan token. Before the conversion to attributes they are those of the creating message, whatever the token is called now. */
export function loanTokenNames(view: StateView, id: number, token: TokenNames): TokenNames {
  return view.get(legacyLoanTokens, id) ?? token;
}

type TokenNames = Pick<TokenFields, 'symbol' | 'name'>;

/** Symbol of a loan token, from the same names; empty if there is no token. */
export function loanSymbol(view: StateView, id: number): string {
  return (view.get(legacyLoanTokens, id) ?? getToken(view, id))?.symbol ?? '';
}

/** True if the token has loan terms, whether or not loans are enabled. */
export function isLoanToken(view: StateView, id: number): boolean {
  return getLoanToken(view, id) !== undefined;
}

/** Collateral terms of a token at a height, whether or not it may still be deposited; undefined for other tokens. */
export function getCollateralToken(view: StateView, id: number, height: number): CollateralToken | undefined {
  return collateralAt(view, id, height)?.token;
}

/** A collateral token with its origin. */
export interface CollateralEntry {
  readonly tokenId: number;
  readonly token: CollateralToken;
  /** Transaction that set the collateral terms; with attributes, the one that created the token. */
  readonly creationTx: Hash256;
  /** 0 if the terms are attributes. */
  readonly activateAfterBlock: number;
}

/** Collateral terms of a token at a height, with their origin; undefined for other tokens. */
export function collateralAt(view: StateView, tokenId: number, height: number): CollateralEntry | undefined {
  const range = { from: { tokenId, activateAfterBlock: height }, prefix: encode(u32be, tokenId) };
  for (const entry of view.entries(legacyCollaterals, range)) return legacyEntry(entry);
  return governedCollateral(view, tokenId);
}

function legacyEntry([key, token]: readonly [LegacyCollateralKey, LegacyCollateral]): CollateralEntry {
  return { ...key, token, creationTx: token.creationTx };
}

function governedCollateral(view: StateView, tokenId: number): CollateralEntry | undefined {
  const keys = loanAttributes(tokenId);
  const source = storedAttributes(view);
  const factor = valueAs(source, keys.factor, 'amount');
  const found = valueAs(source, keys.pair, 'pair');
  if (factor === undefined || !found) return undefined;
  const creationTx = getToken(view, tokenId)?.creationTx ?? NULL_HASH;
  return { tokenId, token: { pair: found, factor }, creationTx, activateAfterBlock: 0 };
}

/** All records, or after the conversion, tokens for which the attribute is set to any value; by token, the latest first. */
export function listCollateralTokens(view: StateView): CollateralEntry[] {
  const legacy = [...view.entries(legacyCollaterals)].map(legacyEntry);
  if (legacy.length > 0) return legacy;
  return idsWith(view, COLLATERAL_ENABLED).flatMap((id) => governedCollateral(view, id) ?? []);
}

/** All records, or after the conversion, tokens for which the attribute is set to any value; by token. */
export function listLoanTokens(view: StateView): { readonly tokenId: number; readonly loanToken: LoanToken }[] {
  const legacy = [...view.entries(legacyLoanTokens)].map(([tokenId, loanToken]) => ({ tokenId, loanToken }));
  if (legacy.length > 0) return legacy;
  return idsWith(view, MINTING_ENABLED).flatMap((tokenId) => {
    const loanToken = getLoanToken(view, tokenId);
    return loanToken ? [{ tokenId, loanToken }] : [];
  });
}

const TOKEN = typeCode('token');
const COLLATERAL_ENABLED = keyCode('token', 'loan_collateral_enabled');
const MINTING_ENABLED = keyCode('token', 'loan_minting_enabled');

/** Tokens for which an attribute is set, to any value. */
function idsWith(view: StateView, key: number): number[] {
  return [...listAttributes(view)].filter((entry) => entry.key.type === TOKEN && entry.key.key === key).map((entry) => entry.key.id);
}

/** Numbers of loan and collateral tokens, including those without a price. */
export function countLoanTokens(view: StateView): { readonly loans: number; readonly collaterals: number } {
  return {
    loans: [...view.entries(legacyLoanTokens)].length + idsWith(view, MINTING_ENABLED).length,
    collaterals: [...view.entries(legacyCollaterals)].length + idsWith(view, COLLATERAL_ENABLED).length,
  };
}
