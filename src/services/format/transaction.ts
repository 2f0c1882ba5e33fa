import type { DecodedInput, DecodedOutput, DecodedTransaction } from '../../../gen/ts/dfi/types/v1/transaction.js';
import type { NetworkParams } from '../../params/network.js';
import { formatHash } from '../../primitives/hash.js';
import {
  isCoinbase,
  strippedBytes,
  type Transaction,
  TX_VERSION_TOKENS,
  type TxIn,
  type TxOut,
  transactionWeight,
  virtualSize,
} from '../../primitives/transaction.js';
import { scriptAsm } from '../../script/asm.js';
import { toHex } from '../../util/bytes.js';
import { formatScriptPubKey } from './script.js';

export interface TransactionOptions {
  readonly params: Pick<NetworkParams, 'address'>;
  /** Shown where the caller asked about a block: display order. */
  readonly blockhash?: string;
  /** Its serialisation, where that is shown too. */
  readonly hex?: string;
}

/** Serialisation of a transaction in hex; without its witness where `-rpcserialversion=0` asks for that. */
export function transactionHex(tx: Transaction, { txFormat }: Pick<NetworkParams, 'txFormat'>, showsWitness: boolean): string {
  return toHex(showsWitness ? tx.raw : strippedBytes(tx, txFormat));
}

/** A transaction taken apart. @see spec: rpc-chain 3.0.4 */
export function formatTransaction(tx: Transaction, { params, blockhash, hex }: TransactionOptions): DecodedTransaction {
  const txid = formatHash(tx.txid);
  return {
    txid,
    hash: tx.wtxid === tx.txid ? txid : formatHash(tx.wtxid),
    version: tx.version,
    size: tx.raw.length,
    vsize: virtualSize(tx),
    weight: transactionWeight(tx),
    locktime: tx.lockTime,
    vin: formatInputs(tx),
    vout: formatOutputs(tx, params),
    blockhash,
    hex,
  };
}

function formatInputs(tx: Transaction): DecodedInput[] {
  return isCoinbase(tx) ? tx.vin.map(formatCoinbaseInput) : tx.vin.map(formatInput);
}

function formatCoinbaseInput({ scriptSig, sequence }: TxIn): DecodedInput {
  return { coinbase: toHex(scriptSig), scriptsig: undefined, txinwitness: undefined, sequence };
}

function formatInput({ prevout, scriptSig, witness, sequence }: TxIn): DecodedInput {
  const hex = toHex(scriptSig);
  return {
    txid: formatHash(prevout.txid),
    vout: prevout.vout,
    scriptsig: { asm: scriptAsm(scriptSig, { sighash: true, hex }), hex },
    txinwitness: witness.length === 0 ? undefined : { items: witness.map(toHex) },
    sequence,
  };
}

function formatOutputs(tx: Transaction, params: Pick<NetworkParams, 'address'>): DecodedOutput[] {
  const namesToken = tx.version >= TX_VERSION_TOKENS;
  return tx.vout.map((out, n) => formatOutput(out, n, namesToken, params));
}

function formatOutput(out: TxOut, n: number, namesToken: boolean, params: Pick<NetworkParams, 'address'>): DecodedOutput {
  return {
    value: out.value,
    n,
    scriptpubkey: formatScriptPubKey(out.scriptPubKey, params),
    tokenid: namesToken ? out.tokenId : undefined,
  };
}
