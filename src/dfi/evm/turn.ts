import { DecodeError } from '../../primitives/codec.js';
import type { Transaction } from '../../primitives/transaction.js';
import type { StateView } from '../../storage/view.js';
import { decodeBody } from '../context/custom-tx.js';
import { customTxPayload } from '../kernel/payload.js';
import { TxRejected } from '../kernel/rejected.js';
import { evmAccount } from './ledger.js';
import { decodeTransaction } from './transaction.js';
import { transferDomain } from './transfer-domain.js';
import { Domain, type TransferDomain, transferDomainBody } from './transfer-domain-body.js';

/** Sender and nonce of an EVM transaction, which order it among those of the same sender. */
export interface EvmTurn {
  /** 20 bytes. */
  readonly sender: Uint8Array;
  readonly nonce: bigint;
}

/** Sender and nonce of the EVM transaction inside a transfer; undefined for other transactions. */
export function evmTurnOf(tx: Pick<Transaction, 'vout'>): EvmTurn | undefined {
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

/** Like {@link evmTurnOf}, with the next nonce of the sender in a state. */
export function turnInEvm(tx: Pick<Transaction, 'vout'>, view: StateView): (EvmTurn & { readonly next: bigint }) | undefined {
  const turn = evmTurnOf(tx);
  return turn && { ...turn, next: evmAccount(view, turn.sender).nonce };
}

function embedded({ transfers: [transfer] }: TransferDomain): Uint8Array | undefined {
  if (transfer?.dst.domain === Domain.evm) return transfer.dst.data;
  return transfer?.src.domain === Domain.evm ? transfer.src.data : undefined;
}
