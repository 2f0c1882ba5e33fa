import { formatHash } from '../../primitives/hash.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import type { Transaction, TransactionFields, TxOut } from '../../primitives/transaction.js';
import { type SigningFault, signInputs } from '../../script/sign-inputs.js';
import { SIGHASH_ALL } from '../../script/signature-encoding.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { Wallet } from '../wallet.js';

/**
 * Signs all inputs and verifies their scripts.
 * @param auth auto-auth transaction that was not sent yet; inputs may spend its outputs
 * @throws {NodeError} `verify-error`
 */
export function sign(wallet: Wallet, draft: TransactionFields, auth: Transaction | undefined): Transaction {
  const { chain, mempool } = wallet.deps;
  const output = (point: OutPoint): TxOut | undefined => outputOf(auth, point) ?? mempool.pool.output(point) ?? chain.coin(point)?.out;
  const signed = signInputs(draft, { format: chain.params.txFormat, keys: wallet.keys, output, hashType: SIGHASH_ALL });
  if (signed.faults.length > 0) throw new NodeError('verify-error', `Can't sign TX: ${JSON.stringify(signed.faults.map(formatFault))}`);
  return signed.tx;
}

/** Output of a transaction that is neither in the mempool nor in the chain; undefined if the outpoint is not its own. */
export function outputOf(tx: Transaction | undefined, { txid, vout }: OutPoint): TxOut | undefined {
  return tx && toHex(tx.txid) === toHex(txid) ? tx.vout[vout] : undefined;
}

/** The member of `errors` that `signrawtransactionwithwallet` returns for an input. */
function formatFault({ input: { prevout, scriptSig, witness, sequence }, text }: SigningFault): object {
  return {
    txid: formatHash(prevout.txid),
    vout: prevout.vout,
    witness: Array.from(witness, toHex),
    scriptSig: toHex(scriptSig),
    sequence,
    error: text,
  };
}
