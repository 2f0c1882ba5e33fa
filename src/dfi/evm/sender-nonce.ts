import { DecodeError } from '../../primitives/codec.js';
import type { Transaction } from '../../primitives/transaction.js';
import { customTxPayload } from '../../script/custom-tx.js';
import type { StateView } from '../../storage/view.js';
import { decodeBody } from '../context/custom-tx.js';
import { TxRejected } from '../kernel/rejected.js';
import { evmAccount } from './ledger.js';
import { decodeTransaction } from './transaction.js';
import { transferDomain } from './transfer-domain.js';
import { Domain, type TransferDomain, transferDomainBody } from './transfer-domain-body.js';

/** Sender and nonce of an EVM transaction, which order it among those of the same sender. */
export interface SenderNonce {
  /** 20 bytes. */
  readonly sender: Uint8Array;
  readonly nonce: bigint;
}

/** Sender and nonce of the EVM transaction inside a transfer; undefined for other transactions. */
export function evmNonceOf(tx: Pick<Transaction, 'vout'>): SenderNonce | undefined {
  const payload = customTxPayload(tx);
  if (payload?.type !== transferDomain.type) return undefined;
  try {
    const raw = embedded(decodeBody(transferDomainBody, payload.body));
    return raw && decodeTransaction(raw);
  } catch (error) {
    if (error instanceof DecodeError || error instanceof TxRejected) return undefined;
    throw error;
  }
}

/** Like {@link evmNonceOf}, with the next nonce of the sender in a state. */
export function evmNonceIn(tx: Pick<Transaction, 'vout'>, view: StateView): (SenderNonce & { readonly next: bigint }) | undefined {
  const found = evmNonceOf(tx);
  return found && { ...found, next: evmAccount(view, found.sender).nonce };
}

function embedded({ transfers: [transfer] }: TransferDomain): Uint8Array | undefined {
  if (transfer?.dst.domain === Domain.evm) return transfer.dst.data;
  return transfer?.src.domain === Domain.evm ? transfer.src.data : undefined;
}
