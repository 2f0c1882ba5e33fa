import { transactionVersion } from '../../consensus/transaction.js';
import { dustThreshold } from '../../mempool/policy.js';
import { type OutPoint, pointKey } from '../../primitives/outpoint.js';
import { SEQUENCE_FINAL, type Transaction, type TransactionFields, type TxIn, type TxOut } from '../../primitives/transaction.js';
import type { Destination } from '../../script/address.js';
import { isUnspendable } from '../../script/script.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { CoinSearch } from '../coin-search.js';
import { BuildFailed } from '../spend/build-request.js';
import { fundTransaction } from '../spend/fund.js';
import type { Wallet } from '../wallet.js';
import type { CoinReservation } from './coin-reservation.js';

/** Version of a custom transaction in the next block. */
export function nextVersion({ deps: { chain } }: Wallet): number {
  return transactionVersion(chain.params, chain.tip.height + 1);
}

/** An unsigned input that is final and does not signal replaceability. */
export function finalInput(prevout: OutPoint): TxIn {
  return { prevout, scriptSig: EMPTY_BYTES, sequence: SEQUENCE_FINAL, witness: [] };
}

/** An output of DFI of the least value that is relayed. */
export function leastOutput(wallet: Wallet, scriptPubKey: Uint8Array): TxOut {
  const { mempool, chain } = wallet.deps;
  const out = { value: 1n, scriptPubKey, tokenId: 0 };
  return { ...out, value: dustThreshold(out, nextVersion(wallet), mempool.policy, chain.params.txFormat) };
}

/** Outputs of a transaction that can be spent, in order. */
export function spendableOutputs({ txid, vout }: Transaction): { readonly point: OutPoint; readonly out: TxOut }[] {
  return vout.flatMap((out, i) => (isUnspendable(out.scriptPubKey) ? [] : [{ point: { txid, vout: i }, out }]));
}

export interface FundingRules {
  /** Auto-auth transaction that was not sent yet; the draft spends its outputs. */
  readonly auth?: Transaction | undefined;
  /** Destination of change; a new address by default. */
  readonly changeTo?: Destination | undefined;
  /** Only coins with this script are added. */
  readonly payer?: Uint8Array | undefined;
  readonly coinSearch: CoinSearch | undefined;
}

/**
 * Adds coins of the wallet so that the draft pays for its outputs and fee, and reserves them; change is the last output.
 * @throws {NodeError} `wallet`
 */
export function fund(
  wallet: Wallet,
  draft: TransactionFields,
  { auth, changeTo, payer, coinSearch }: FundingRules,
  reservation: CoinReservation,
): TransactionFields {
  const linked = new Map((auth ? spendableOutputs(auth) : []).map(({ point, out }) => [pointKey(point), out]));
  try {
    const { tx } = fundTransaction(wallet, draft, {
      changeDestination: changeTo,
      changePosition: draft.vout.length,
      from: payer,
      linked,
      coinSearch,
      payers: new Set(),
      locksCoins: false,
    });
    for (const { prevout } of tx.vin.slice(draft.vin.length)) reservation.add(prevout);
    return tx;
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    // Keys may have been generated before the failure.
    wallet.commit();
    throw new NodeError('wallet', error.message);
  }
}
