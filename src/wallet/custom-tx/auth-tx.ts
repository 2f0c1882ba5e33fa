import { feeForSize } from '../../mempool/fee-rate.js';
import type { Transaction, TransactionFields, TxOut } from '../../primitives/transaction.js';
import { customTxScript } from '../../script/custom-tx.js';
import { erc55Of } from '../../script/erc55.js';
import { EMPTY_BYTES } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { CoinSearch } from '../coin-search.js';
import { chooseFeeRate } from '../spend/fees.js';
import type { Wallet } from '../wallet.js';
import type { CoinReservation } from './coin-reservation.js';
import { fund, leastOutput, nextVersion } from './draft.js';
import { sign } from './sign.js';

/** Type byte of AutoAuth, a transaction whose outputs authorise another one. */
const AUTO_AUTH = 'A';
/** Assumed size of the transaction that spends the outputs, virtual bytes. */
const EXPECTED_SIZE = 1_000;

/**
 * Builds and signs an auto-auth transaction: it pays each script an output that the custom transaction spends as authorisation. The
 * caller sends it.
 * @param scripts each once
 * @throws {NodeError}
 * @see docs/protocol/accounts.md 6.4
 */
export function makeAuthTx(
  wallet: Wallet,
  scripts: readonly Uint8Array[],
  coinSearch: CoinSearch | undefined,
  reservation: CoinReservation,
): Transaction {
  try {
    const [sole, ...others] = scripts;
    // The change of the wallet must not become a coin of an impersonated owner.
    const isSole = sole && others.length === 0 && !wallet.keys.impersonates(sole);
    const draft = isSole ? draftForOne(wallet, sole, coinSearch, reservation) : draftForSeveral(wallet, scripts, coinSearch, reservation);
    return sign(wallet, draft, undefined);
  } catch (error) {
    if (error instanceof NodeError) throw new NodeError(error.kind, `Add-on auth TX failed: ${error.message}`, { cause: error });
    throw error;
  }
}

/** True if a script that the transaction pays is that of an EVM address. No node relays it, so the custom transaction can only be tested. */
export function paysEvmAddress({ vout }: Transaction): boolean {
  return vout.some(({ scriptPubKey }) => erc55Of(scriptPubKey) !== undefined);
}

/** The output includes the change, so that the custom transaction needs no further coin for its fee. */
function draftForOne(
  wallet: Wallet,
  script: Uint8Array,
  coinSearch: CoinSearch | undefined,
  reservation: CoinReservation,
): TransactionFields {
  const value = feeForSize(chooseFeeRate(wallet, {}).rate, EXPECTED_SIZE);
  const funded = fund(wallet, draftOf(wallet, [{ value, scriptPubKey: script, tokenId: 0 }]), { coinSearch }, reservation);
  const [message, proof, change] = funded.vout;
  if (!message || !proof || !change) return funded;
  return { ...funded, vout: [message, { ...proof, value: proof.value + change.value }] };
}

function draftForSeveral(
  wallet: Wallet,
  scripts: readonly Uint8Array[],
  coinSearch: CoinSearch | undefined,
  reservation: CoinReservation,
): TransactionFields {
  const outputs = scripts.map((script) => leastOutput(wallet, script));
  return fund(wallet, draftOf(wallet, outputs), { coinSearch }, reservation);
}

function draftOf(wallet: Wallet, outputs: readonly TxOut[]): TransactionFields {
  const message = { value: 0n, scriptPubKey: customTxScript({ type: AUTO_AUTH, body: EMPTY_BYTES }), tokenId: 0 };
  return { version: nextVersion(wallet), vin: [], vout: [message, ...outputs], lockTime: 0 };
}
