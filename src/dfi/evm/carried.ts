import { decodeEvmTransaction, type SignatureRules, type SignedEvmTransaction } from '../../evm/codec/transaction.js';
import { varBytes } from '../../primitives/codec.js';
import type { Transaction } from '../../primitives/transaction.js';
import { customTxPayload } from '../../script/custom-tx.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { decodeBody } from '../context/custom-tx.js';
import { decodeCarried } from './decoded-ahead.js';
import { Domain, type TransferDomain, transferDomainBody } from './transfer-domain-body.js';

/** EVM transaction that a DVM transaction carries. */
export interface CarriedTransaction {
  /** `transaction`: a message that is executed as it is. `transfer`: the call of the contract inside a transfer between DVM and EVM. */
  readonly kind: 'transaction' | 'transfer';
  readonly signed: SignedEvmTransaction;
}

/** Type bytes of the messages that carry an EVM transaction. */
const KINDS: Readonly<Record<string, CarriedTransaction['kind']>> = { '9': 'transaction', '8': 'transfer' };

/** Kind of a DVM transaction that carries an EVM transaction; undefined for all others. */
export function carriedKind(tx: Pick<Transaction, 'vout'>): CarriedTransaction['kind'] | undefined {
  return KINDS[customTxPayload(tx)?.type ?? ''];
}

/**
 * EVM transaction that a DVM transaction carries; undefined if it carries none.
 * @param rules of the network. The transaction inside a transfer is signed by a key everywhere.
 * @throws {TxRejected} if the message does not decode
 * @throws {DecodeError} if the EVM transaction does not decode
 */
export function carriedTransaction(tx: Pick<Transaction, 'vout'>, rules: SignatureRules = {}): CarriedTransaction | undefined {
  const payload = customTxPayload(tx);
  const kind = carriedKind(tx);
  if (!payload || !kind) return undefined;
  if (kind === 'transaction') return { kind, signed: decodeCarried(tx, decodeBody(varBytes, payload.body), rules) };
  return { kind, signed: decodeEvmTransaction(embedded(decodeBody(transferDomainBody, payload.body))) };
}

/** Raw EVM transaction of a transfer, which is on its EVM side; empty if no side is one. */
function embedded({ transfers: [transfer] }: TransferDomain): Uint8Array {
  if (transfer?.dst.domain === Domain.evm) return transfer.dst.data;
  return transfer?.src.domain === Domain.evm ? transfer.src.data : EMPTY_BYTES;
}
