import { ByteReader, type Codec, DecodeError, i64, list, struct, u32, varBytes, varInt } from '../../primitives/codec.js';
import type { Transaction } from '../../primitives/transaction.js';
import { customTxPayload } from './payload.js';

/** An amount of one token, in satoshis. */
export interface TokenAmount {
  readonly tokenId: number;
  readonly amount: bigint;
}

/** Body of a transaction that pays account balance out as outputs. */
export interface AccountToUtxos {
  readonly from: Uint8Array;
  readonly balances: readonly TokenAmount[];
  /** Index of the first output that is paid from the account. */
  readonly mintingOutputsStart: number;
}

export const accountToUtxos: Codec<AccountToUtxos> = struct<AccountToUtxos>({
  from: varBytes,
  balances: list(struct<TokenAmount>({ tokenId: u32, amount: i64 })),
  mintingOutputsStart: varInt,
});

/**
 * Index of the first output that is created out of an account, so that no input pays for it; the number of outputs where there is
 * none. Excess bytes and upgrade heights do not matter here.
 * @see spec: accounts 1, non-minted outputs
 */
export function firstMintedOutput(tx: Transaction): number {
  const payload = customTxPayload(tx);
  if (payload?.type !== 'b') return tx.vout.length;
  try {
    return Math.min(accountToUtxos.read(new ByteReader(payload.body)).mintingOutputsStart, tx.vout.length);
  } catch (error) {
    if (error instanceof DecodeError) return tx.vout.length;
    throw error;
  }
}
