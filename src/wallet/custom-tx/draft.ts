import { isActive } from '../../params/network.js';
import { type OutPoint, pointKey } from '../../primitives/outpoint.js';
import {
  makeTransaction,
  type Transaction,
  type TransactionFields,
  TX_VERSION_TOKENS,
  type TxIn,
  type TxOut,
} from '../../primitives/transaction.js';
import type { Destination } from '../../script/address.js';
import { isUnspendable } from '../../script/script.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { CoinSearch } from '../coin-search.js';
import { BuildFailed } from '../spend/build-request.js';
import { fundTransaction } from '../spend/fund.js';
import type { Wallet } from '../wallet.js';
import type { CoinReservation } from './coin-reservation.js';

const VERSION_BEFORE_TOKENS = 2;
const SEQUENCE_FINAL = 0xffffffff;

/** Version of a transaction for the next block. */
export function nextVersion({ deps: { chain } }: Wallet): number {
  return isActive(chain.params, 'amk', chain.tip.height + 1) ? TX_VERSION_TOKENS : VERSION_BEFORE_TOKENS;
}

export function finalInput(prevout: OutPoint): TxIn {
  return { prevout, scriptSig: EMPTY_BYTES, sequence: SEQUENCE_FINAL, witness: [] };
}

/** Outputs of a transaction that can be spent, in order. */
export function spendableOutputs({ txid, vout }: Transaction): { readonly point: OutPoint; readonly out: TxOut }[] {
  return vout.flatMap((out, i) => (isUnspendable(out.scriptPubKey) ? [] : [{ point: { txid, vout: i }, out }]));
}

export interface FundingRules {
  /** A transaction that is not sent yet, and whose outputs are spent. */
  readonly auth?: Transaction | undefined;
  readonly changeTo?: Destination | undefined;
  readonly payer?: Uint8Array | undefined;
  readonly coinSearch: CoinSearch | undefined;
}

/**
 * Adds coins of the wallet until the transaction pays for itself; change comes last. The coins are set aside.
 * @throws {NodeError} `wallet`
 */
export function fund(
  wallet: Wallet,
  fields: TransactionFields,
  { auth, changeTo, payer, coinSearch }: FundingRules,
  aside: CoinReservation,
): Transaction {
  const draft = makeTransaction(fields, wallet.deps.chain.params.txFormat);
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
    for (const { prevout } of tx.vin.slice(draft.vin.length)) aside.add(prevout);
    return tx;
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    // Keys may have been made on the way.
    wallet.commit();
    throw new NodeError('wallet', error.message);
  }
}
