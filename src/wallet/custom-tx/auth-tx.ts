import { feeForSize } from '../../mempool/fee-rate.js';
import { dustThreshold } from '../../mempool/policy.js';
import { makeTransaction, type Transaction, type TxOut } from '../../primitives/transaction.js';
import { customTxScript } from '../../script/custom-tx.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { CoinSearch } from '../coin-search.js';
import { chooseFeeRate } from '../spend/fees.js';
import type { Wallet } from '../wallet.js';
import type { CoinReservation } from './coin-reservation.js';
import { fund, nextVersion } from './draft.js';
import { sign } from './sign.js';

/** Letter of the type that lends its outputs to another transaction as proof of who sent it. */
const AUTO_AUTH = 'A';
/** What the transaction that spends the proof is expected to take, in bytes. */
const EXPECTED_SIZE = 1_000;

/**
 * A signed transaction that gives each of these scripts an output to show itself with. It is not sent.
 * @throws {NodeError}
 * @see docs/protocol/accounts.md 6.4
 */
export function makeAuthTx(
  wallet: Wallet,
  scripts: readonly Uint8Array[],
  coinSearch: CoinSearch | undefined,
  aside: CoinReservation,
): Transaction {
  try {
    const [sole, ...others] = scripts;
    return sole && others.length === 0 ? makeForOne(wallet, sole, coinSearch, aside) : makeForSeveral(wallet, scripts, coinSearch, aside);
  } catch (error) {
    if (error instanceof NodeError) throw new NodeError(error.kind, `Add-on auth TX failed: ${error.message}`, { cause: error });
    throw error;
  }
}

/** One gets the change too, so that it need not pay with yet another coin. */
function makeForOne(wallet: Wallet, script: Uint8Array, coinSearch: CoinSearch | undefined, aside: CoinReservation): Transaction {
  const value = feeForSize(chooseFeeRate(wallet, {}).rate, EXPECTED_SIZE);
  const funded = fund(wallet, fieldsOf(wallet, [{ value, scriptPubKey: script, tokenId: 0 }]), { coinSearch }, aside);
  const [message, proof, change] = funded.vout;
  if (!message || !proof || !change) return sign(wallet, funded, undefined);
  const vout = [message, { ...proof, value: proof.value + change.value }];
  return sign(wallet, makeTransaction({ ...funded, vout }, wallet.deps.chain.params.txFormat), undefined);
}

function makeForSeveral(
  wallet: Wallet,
  scripts: readonly Uint8Array[],
  coinSearch: CoinSearch | undefined,
  aside: CoinReservation,
): Transaction {
  const { mempool, chain } = wallet.deps;
  const outputs = scripts.map((scriptPubKey) => {
    const out = { value: 1n, scriptPubKey, tokenId: 0 };
    return { ...out, value: dustThreshold(out, nextVersion(wallet), mempool.policy, chain.params.txFormat) };
  });
  return sign(wallet, fund(wallet, fieldsOf(wallet, outputs), { coinSearch }, aside), undefined);
}

function fieldsOf(wallet: Wallet, outputs: readonly TxOut[]) {
  const message = { value: 0n, scriptPubKey: customTxScript({ type: AUTO_AUTH, body: EMPTY_BYTES }), tokenId: 0 };
  return { version: nextVersion(wallet), vin: [], vout: [message, ...outputs], lockTime: 0 };
}
