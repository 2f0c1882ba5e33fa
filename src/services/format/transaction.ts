import type { DecodedInput, DecodedOutput, DecodedTransaction } from '../../../gen/ts/dfi/types/v1/transaction.js';
import type { NetworkParams } from '../../params/network.js';
import { formatHash } from '../../primitives/hash.js';
import { isNullOutPoint } from '../../primitives/outpoint.js';
import {
  isCoinbase,
  strippedBytes,
  type Transaction,
  TX_VERSION_TOKENS,
  type TxIn,
  transactionWeight,
  virtualSize,
} from '../../primitives/transaction.js';
import { type AsmOptions, longScriptAsm, scriptAsm } from '../../script/asm.js';
import { MAX_SCRIPT_SIZE } from '../../script/script.js';
import { EMPTY_BYTES, toHex } from '../../util/bytes.js';
import { toLongHex } from '../../util/long-hex.js';
import { finish, type Steps } from '../../util/slicer.js';
import { formatLongScriptPubKey, formatScriptPubKey, type ScriptParams, scriptOptions } from './script.js';

/** Inputs or outputs formatted between two yields. */
const ITEMS_AT_ONCE = 64;

/** Options for formatting a transaction. */
export interface TransactionOptions {
  readonly params: ScriptParams;
  /** Block hash in display order, if the caller asked for a transaction of a block. */
  readonly blockhash?: string;
  /** Serialised transaction, if it is shown too. */
  readonly hex?: string;
}

/** Serialised transaction in hex; without witness data if `-rpcserialversion=0` is set. */
export function transactionHex(tx: Transaction, { txFormat }: Pick<NetworkParams, 'txFormat'>, showsWitness: boolean): string {
  return toHex(showsWitness ? tx.raw : strippedBytes(tx, txFormat));
}

/** Transaction with all its parts. @see docs/protocol/rpc-chain.md 3.0.4 */
export function formatTransaction(tx: Transaction, options: TransactionOptions): DecodedTransaction {
  return finish(formatLongTransaction(tx, options));
}

/** Like {@link formatTransaction} for a transaction of up to megabytes, in steps. */
export function* formatLongTransaction(tx: Transaction, { params, blockhash, hex }: TransactionOptions): Steps<DecodedTransaction> {
  const txid = formatHash(tx.txid);
  const asmOptions = { sighash: true, ...scriptOptions(params) };
  const formatEach = isCoinbase(tx) ? formatCoinbaseInput : formatInput;
  const vin: DecodedInput[] = [];
  for (const input of tx.vin) {
    if (vin.length % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield;
    vin.push(isLongInput(input) ? yield* formatLongInput(input, asmOptions) : formatEach(input, asmOptions));
  }
  const namesToken = tx.version >= TX_VERSION_TOKENS;
  const vout: DecodedOutput[] = [];
  for (const { value, scriptPubKey, tokenId } of tx.vout) {
    const n = vout.length;
    if (n % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield;
    const isLong = scriptPubKey.length > MAX_SCRIPT_SIZE;
    const scriptpubkey = isLong ? yield* formatLongScriptPubKey(scriptPubKey, params) : formatScriptPubKey(scriptPubKey, params);
    vout.push({ value, n, scriptpubkey, tokenid: namesToken ? tokenId : undefined });
  }
  return {
    txid,
    hash: tx.wtxid === tx.txid ? txid : formatHash(tx.wtxid),
    version: tx.version,
    size: tx.raw.length,
    vsize: virtualSize(tx),
    weight: transactionWeight(tx),
    locktime: tx.lockTime,
    vin,
    vout,
    blockhash,
    hex,
  };
}

function formatCoinbaseInput({ scriptSig, sequence }: TxIn): DecodedInput {
  return { coinbase: toHex(scriptSig), scriptsig: undefined, txinwitness: undefined, sequence };
}

function formatInput({ prevout, scriptSig, witness, sequence }: TxIn, asmOptions: AsmOptions): DecodedInput {
  const hex = toHex(scriptSig);
  return {
    txid: formatHash(prevout.txid),
    vout: prevout.vout,
    scriptsig: { asm: scriptAsm(scriptSig, { ...asmOptions, hex }), hex },
    txinwitness: witness.length === 0 ? undefined : { items: Array.from(witness, toHex) },
    sequence,
  };
}

/** True for an input whose scripts or witness are large. Coinbase inputs are not: at most 100 bytes in a valid block. */
function isLongInput({ prevout, scriptSig, witness }: TxIn): boolean {
  return (scriptSig.length > MAX_SCRIPT_SIZE || witness.length > ITEMS_AT_ONCE) && !isNullOutPoint(prevout);
}

function* formatLongInput(input: TxIn, asmOptions: AsmOptions): Steps<DecodedInput> {
  const { scriptSig, witness } = input;
  const hex = yield* toLongHex(scriptSig);
  const asm = yield* longScriptAsm(scriptSig, { ...asmOptions, hex });
  const items: string[] = [];
  for (const item of witness) {
    if (items.length % ITEMS_AT_ONCE === 0) yield;
    items.push(toHex(item));
  }
  return {
    ...formatInput({ ...input, scriptSig: EMPTY_BYTES, witness: [] }, asmOptions),
    scriptsig: { asm, hex },
    txinwitness: witness.length === 0 ? undefined : { items },
  };
}
