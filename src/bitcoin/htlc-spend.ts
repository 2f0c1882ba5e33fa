import { hash160 } from '../crypto/hash.js';
import {
  makeTransaction,
  SEQUENCE_FINAL,
  type Transaction,
  type TransactionFields,
  type TxIn,
  type TxOut,
} from '../primitives/transaction.js';
import type { KeySource } from '../script/key-source.js';
import { TransactionSigner } from '../script/signer.js';
import { NodeError } from '../util/errors.js';
import { DUST, inputOf } from './form.js';
import { claimScriptSig, type HtlcTerms, refundScriptSig } from './htlc.js';
import { htlcFee } from './payment.js';
import { BITCOIN_FORMAT } from './regtest-bitcoin.js';
import type { BitcoinWallet, HtlcOutput } from './wallet.js';

/** An HTLC of a wallet. */
export interface Htlc {
  readonly terms: HtlcTerms;
  readonly script: Uint8Array;
}

/** A claim or a refund of all outputs of HTLCs. */
export interface HtlcSpend {
  readonly htlcs: readonly Htlc[];
  /** Undefined for a refund. */
  readonly seed: Uint8Array | undefined;
  /** Script that gets the bitcoins. */
  readonly destination: Uint8Array;
  /** Satoshis of bitcoin per 1,000 bytes. */
  readonly feeRate: bigint;
  readonly keys: KeySource;
}

/** An output to spend with its HTLC. */
interface SpentOutput {
  readonly output: HtlcOutput;
  readonly htlc: Htlc;
}

/** Estimated bytes of a signature with its push, of the push of seed or branch, of the branch, and of the push of the script. */
const PUSHES_SIZE = 73 + 1 + 1 + 1;
/** Relative lock times need this version (BIP68). */
const TX_VERSION = 2;

/**
 * Makes the signed transaction that spends the outputs of HTLCs: for a claim all of them, for a refund those that have the required
 * confirmations.
 * @throws {NodeError} `wallet` if there is no key or no such output, `misc` if the outputs do not pay for the fee
 */
export function spendHtlcs(wallet: BitcoinWallet, spend: HtlcSpend): Transaction {
  const { htlcs, seed, destination, feeRate, keys } = spend;
  const isRefund = seed === undefined;
  const signable = htlcs.filter(({ terms }) => keys.privateKey(hash160(signerOf(terms, isRefund))) !== undefined);
  if (signable.length === 0) throw new NodeError('wallet', 'Private key relating to a HTLC pubkey is not available in the wallet');
  const spent = signable.flatMap((htlc) => outputsOf(wallet, htlc, isRefund).map((output) => ({ output, htlc })));
  if (spent.length === 0) throw new NodeError('wallet', 'No unspent HTLC outputs found');
  const sum = spent.reduce((total, { output }) => total + output.output.value, 0n);
  const sizes = spent.map(({ htlc }) => PUSHES_SIZE + (seed?.length ?? 0) + htlc.script.length);
  const target: TxOut = { value: DUST, scriptPubKey: destination, tokenId: 0 };
  const fee = htlcFee(sizes, target, feeRate);
  if (sum < fee + DUST) throw new NodeError('misc', 'Not enough funds to cover fee');
  const vin = spent.map(({ output, htlc }) => inputOf(output.prevout, isRefund ? htlc.terms.blocks : SEQUENCE_FINAL));
  const fields = { version: TX_VERSION, vin, vout: [{ ...target, value: sum - fee }], lockTime: 0 };
  return signSpend(fields, spent, spend);
}

/** Key that signs a spend. */
function signerOf({ receiver, owner }: HtlcTerms, isRefund: boolean): Uint8Array {
  return isRefund ? owner : receiver;
}

function outputsOf(wallet: BitcoinWallet, { terms, script }: Htlc, isRefund: boolean): HtlcOutput[] {
  return [...wallet.htlcOutputs(hash160(script))].filter(({ prevout }) => {
    if (wallet.spender(prevout)) return false;
    // The difference is negative after the height was lowered. `defid` then wraps around at 2^32.
    return !isRefund || wallet.confirmations(prevout.txid) >>> 0 >= terms.blocks;
  });
}

function signSpend(fields: TransactionFields, spent: readonly SpentOutput[], { seed, keys }: HtlcSpend): Transaction {
  const vin = fields.vin.map((input, i): TxIn => {
    const { output, htlc } = spent[i] as SpentOutput;
    const signer = new TransactionSigner({ tx: fields, format: BITCOIN_FORMAT, input: i, value: output.output.value });
    const keyId = hash160(signerOf(htlc.terms, seed === undefined));
    const signature = signer.sign(keys, keyId, htlc.script, 'legacy');
    if (!signature) throw new NodeError('wallet', 'Failed to sign transaction.');
    const { script } = htlc;
    return { ...input, scriptSig: seed ? claimScriptSig(signature, seed, script) : refundScriptSig(signature, script) };
  });
  return makeTransaction({ ...fields, vin }, BITCOIN_FORMAT);
}
