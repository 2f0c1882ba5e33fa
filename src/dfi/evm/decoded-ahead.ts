import {
  decodeEvmTransaction,
  decodeLongEvmTransaction,
  type SignatureRules,
  type SignedEvmTransaction,
} from '../../evm/codec/transaction.js';
import { zerosInSteps } from '../../evm/intrinsic-gas.js';
import { DecodeError } from '../../primitives/codec.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { Steps } from '../../util/slicer.js';

/** EVM transactions that were decoded ahead, or their errors, by their carriers. */
const decoded = new WeakMap<Pick<Transaction, 'vout'>, SignedEvmTransaction | DecodeError>();

/**
 * Decodes a carried transaction in slices. {@link decodeCarried} returns the result, so that neither checks nor the mempool decode it again.
 * @param rules those of the checks
 * @returns hash of the EVM transaction, 32 bytes in natural order; undefined if it does not decode
 */
export function* decodeAhead(carrier: Transaction, raw: Uint8Array, rules: SignatureRules): Steps<Uint8Array | undefined> {
  try {
    const signed = yield* decodeLongEvmTransaction(raw, rules);
    yield* zerosInSteps(signed.tx.data);
    decoded.set(carrier, signed);
    return signed.hash;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    decoded.set(carrier, error);
    return undefined;
  }
}

/** Decodes a carried transaction, unless {@link decodeAhead} did it. @throws {DecodeError} */
export function decodeCarried(carrier: Pick<Transaction, 'vout'>, raw: Uint8Array, rules: SignatureRules): SignedEvmTransaction {
  const ahead = decoded.get(carrier);
  if (ahead instanceof DecodeError) throw ahead;
  return ahead ?? decodeEvmTransaction(raw, rules);
}
