import { type Codec, i32, i64, struct, u8 } from '../../primitives/codec.js';
import { type Hash256, hash256, parseHash256 } from '../../primitives/hash.js';
import { varInt32 } from '../../primitives/var-int.js';
import type { AnyColumn, Column, StateView, WritableView } from '../../storage/view.js';
import { exactUint32 } from '../../util/numbers.js';
import { trimBlanks } from '../../util/trim.js';
import { byteString } from '../kernel/text.js';

/** Bits of a token's flags. @see docs/protocol/accounts.md 4.1 */
export const TokenFlag = {
  mintable: 0x01,
  tradeable: 0x02,
  /** Digital asset token (DAT): its symbol alone is its key. */
  dat: 0x04,
  /** Share of a liquidity pool. */
  poolShare: 0x08,
  finalized: 0x10,
  loanToken: 0x20,
  deprecated: 0x40,
} as const;

export type TokenFlagName = keyof typeof TokenFlag;

/** Properties that the creator of a token sets. Texts hold one char per byte: they are cut and compared as bytes. */
export interface TokenFields {
  readonly symbol: string;
  readonly name: string;
  /** Always 8 in practice; no rule reads it. */
  readonly decimal: number;
  readonly limit: bigint;
  readonly flags: number;
}

/** Record of a token. Amounts are satoshis; transactions are null hashes if there is none. */
export interface Token extends TokenFields {
  readonly minted: bigint;
  readonly creationTx: Hash256;
  readonly destructionTx: Hash256;
  readonly creationHeight: number;
  /** -1 while the token exists. */
  readonly destructionHeight: number;
}

export const tokenFields: Codec<TokenFields> = struct<TokenFields>({
  symbol: byteString,
  name: byteString,
  decimal: u8,
  limit: i64,
  flags: u8,
});

const storedToken: Codec<Token> = struct<Token>({
  symbol: byteString,
  name: byteString,
  decimal: u8,
  limit: i64,
  flags: u8,
  minted: i64,
  creationTx: hash256,
  destructionTx: hash256,
  creationHeight: i32,
  destructionHeight: i32,
});

/** Tokens by id. Rules iterate them in the order of these bytes, which is that of numbers below 16,512. */
export const tokens: Column<number, Token> = { name: 'dfi/token', key: varInt32, value: storedToken };
/** Token by symbol key: `GOLD#128`, for DATs the symbol alone. */
export const tokenSymbols: Column<string, number> = { name: 'dfi/token-symbol', key: byteString, value: varInt32 };
/** Token by the transaction that created it. */
export const tokenCreations: Column<Hash256, number> = { name: 'dfi/token-creation', key: hash256, value: varInt32 };
/** Last id assigned to a token other than a DAT, under the single key 0. */
const lastTokenIds: Column<number, number> = { name: 'dfi/token-last-id', key: u8, value: varInt32 };
/** Token whose collateral was moved, by the transaction that holds the collateral now. */
export const movedCollaterals: Column<Hash256, number> = { name: 'dfi/token-collateral', key: hash256, value: varInt32 };
/** Transaction that holds the collateral of a token, if it was moved. */
export const tokenCollaterals: Column<number, Hash256> = { name: 'dfi/token-collateral-tx', key: varInt32, value: hash256 };

/** Columns of tokens. */
export const tokenColumns: readonly AnyColumn[] = [tokens, tokenSymbols, tokenCreations, lastTokenIds, movedCollaterals, tokenCollaterals];

/** First id of tokens other than DATs. */
export const FIRST_COMMON_ID = 128;
const ONLY_KEY = 0;

export function hasFlag({ flags }: Pick<Token, 'flags'>, flag: TokenFlagName): boolean {
  return (flags & TokenFlag[flag]) !== 0;
}

/** Key of {@link tokenSymbols}: the symbol of a DAT, otherwise symbol, `#` and id. */
export function symbolKey(token: Pick<Token, 'symbol' | 'flags'>, id: number): string {
  return hasFlag(token, 'dat') ? token.symbol : `${token.symbol}#${id}`;
}

/** True after a token split replaced the token. */
export function isDestroyed(token: Token): boolean {
  return token.destructionHeight !== -1;
}

/** A token with its id. */
export interface IdentifiedToken {
  readonly id: number;
  readonly token: Token;
}

/** Token with an id; undefined if there is none. */
export function getToken(view: StateView, id: number): Token | undefined {
  return view.get(tokens, id);
}

/** Token that this transaction created. */
export function tokenByCreation(view: StateView, creationTx: Hash256): IdentifiedToken | undefined {
  return identified(view, view.get(tokenCreations, creationTx));
}

/** Token with this symbol key, see {@link symbolKey}. */
export function tokenBySymbol(view: StateView, key: string): IdentifiedToken | undefined {
  return identified(view, view.get(tokenSymbols, key));
}

const HASH = /^[0-9a-fA-F]{64}$/;

/**
 * Id of the token that a text names. An empty text is DFI, a number is an id whether or not the token exists, then come the txid of the
 * transaction that created a token, and a symbol key.
 * @param text one char per byte
 * @see docs/protocol/accounts.md 4.1
 */
export function tokenIdByBytes(view: StateView, text: string): number | undefined {
  const trimmed = trimBlanks(text);
  if (trimmed === '') return 0;
  const number = exactUint32(trimmed);
  if (number !== undefined) return number;
  if (HASH.test(trimmed)) return tokenByCreation(view, parseHash256(trimmed))?.id;
  return tokenBySymbol(view, trimmed)?.id;
}

function identified(view: StateView, id: number | undefined): IdentifiedToken | undefined {
  const token = id === undefined ? undefined : view.get(tokens, id);
  return id === undefined || !token ? undefined : { id, token };
}

/** Tokens in ascending order of ids, from `fromId` on. */
export function* listTokens(view: StateView, fromId = 0): Generator<IdentifiedToken> {
  for (const [id, token] of view.entries(tokens, { from: fromId })) yield { id, token };
}

/** Stores a token and its index entries by symbol key and creation transaction. */
export function putToken(view: WritableView, id: number, token: Token): void {
  view.put(tokens, id, token);
  view.put(tokenSymbols, symbolKey(token, id), id);
  view.put(tokenCreations, token.creationTx, id);
}

/** Id after the largest one of a DAT; 128 if all smaller ids are used. */
export function nextAssetId(view: StateView): number {
  let last = 0;
  for (const [id] of view.entries(tokens, { from: 0 })) {
    if (id >= FIRST_COMMON_ID) break;
    last = id;
  }
  return last + 1;
}

/** Reserves the next id for a token other than a DAT. */
export function reserveCommonId(view: WritableView): number {
  const last = view.get(lastTokenIds, ONLY_KEY);
  const id = last === undefined ? FIRST_COMMON_ID : last + 1;
  view.put(lastTokenIds, ONLY_KEY, id);
  return id;
}

/** Transaction whose output 1 is the collateral of the token. */
export function collateralTxOf(view: StateView, id: number, token: Token): Hash256 {
  return view.get(tokenCollaterals, id) ?? token.creationTx;
}
