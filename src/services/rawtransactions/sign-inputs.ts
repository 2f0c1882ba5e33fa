import type { SignRawTransactionWithKeyResponse } from '../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { SigningError } from '../../../gen/ts/dfi/types/v1/building.js';
import { formatAmount, MAX_MONEY } from '../../primitives/amount.js';
import { formatHash } from '../../primitives/hash.js';
import type { OutPoint } from '../../primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxFormat, type TxIn, type TxOut } from '../../primitives/transaction.js';
import { TransactionChecker } from '../../script/checker.js';
import { extractSignatures } from '../../script/extract.js';
import { STANDARD_FLAGS } from '../../script/flags.js';
import type { KeySource } from '../../script/key-source.js';
import { ScriptError } from '../../script/script-error.js';
import { WitnessHashes } from '../../script/sighash.js';
import { completeSignature } from '../../script/sign.js';
import { SIGHASH_ANYONECANPAY, SIGHASH_SINGLE } from '../../script/signature-encoding.js';
import { TransactionSigner } from '../../script/signer.js';
import { verifyScript } from '../../script/verify.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';

/** Stands for an amount that nobody told. */
export const UNKNOWN_AMOUNT = MAX_MONEY;

/** The outputs that a transaction spends: those the node knows, and those it was told of instead. */
export class SpentOutputs {
  readonly #known = new Map<string, TxOut>();

  constructor(find: (point: OutPoint) => TxOut | undefined, tx: Pick<Transaction, 'vin'>) {
    for (const { prevout } of tx.vin) {
      const output = find(prevout);
      if (output) this.set(prevout, output);
    }
  }

  get(point: OutPoint): TxOut | undefined {
    return this.#known.get(idOf(point));
  }

  set(point: OutPoint, output: TxOut): void {
    this.#known.set(idOf(point), output);
  }
}

function idOf({ txid, vout }: OutPoint): string {
  return `${toHex(txid)}:${vout}`;
}

export interface SigningOptions {
  readonly format: TxFormat;
  readonly keys: KeySource;
  readonly outputs: Pick<SpentOutputs, 'get'>;
  readonly hashType: number;
}

/**
 * Signs what the keys can sign, keeps right signatures that are there, and runs the scripts of every input.
 * @throws {NodeError} `type` where a witness was made for an amount that nobody told
 * @see spec: rpc-chain 3.3.8, rule 8
 */
export function signInputs(tx: Transaction, options: SigningOptions): SignRawTransactionWithKeyResponse {
  const { format, outputs } = options;
  const hashes = new WitnessHashes(tx, format);
  const errors: SigningError[] = [];
  const vin = tx.vin.map((input, i) => {
    const output = outputs.get(input.prevout);
    const signed = output ? signInput(tx, i, output, options, hashes) : input;
    if (output && output.value === UNKNOWN_AMOUNT && signed.witness.length > 0) {
      throw new NodeError('type', `Missing amount for ${describe(output)}`);
    }
    const checker = output && new TransactionChecker(tx, format, i, output.value, { hashes });
    const fault = checker ? faultOf({ ...signed, scriptPubKey: output.scriptPubKey }, checker) : 'Input already spent';
    if (fault !== undefined) errors.push(formatError(signed, fault));
    return signed;
  });
  const hex = toHex(makeTransaction({ ...tx, vin }, format).raw);
  return { hex, complete: errors.length === 0, errors: errors.length > 0 ? { errors } : undefined };
}

function signInput(tx: Transaction, index: number, output: TxOut, options: SigningOptions, hashes: WitnessHashes): TxIn {
  const { format, keys, hashType } = options;
  const input = tx.vin[index] as TxIn;
  const { value, scriptPubKey } = output;
  const data = extractSignatures(input, output, new TransactionChecker(tx, format, index, value, { hashes }));
  // A signature of the output beside an input says nothing where there is none.
  const isSingle = (hashType & ~SIGHASH_ANYONECANPAY) === SIGHASH_SINGLE;
  if (!isSingle || index < tx.vout.length) {
    completeSignature(keys, new TransactionSigner({ tx, format, input: index, value, hashType, hashes }), scriptPubKey, data);
  }
  return { ...input, scriptSig: data.scriptSig, witness: data.witness };
}

/** Why a spend fails; undefined where it does not. */
function faultOf(spend: Parameters<typeof verifyScript>[0], checker: TransactionChecker): string | undefined {
  try {
    verifyScript(spend, STANDARD_FLAGS, checker);
    return undefined;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    // Mostly the signatures are not there at all.
    if (error.kind === 'INVALID_STACK_OPERATION') return 'Unable to sign input, invalid stack size (possibly missing key)';
    return error.message;
  }
}

function formatError({ prevout, scriptSig, witness, sequence }: TxIn, error: string): SigningError {
  const { txid, vout } = prevout;
  return { txid: formatHash(txid), vout, witness: witness.map(toHex), scriptsig: toHex(scriptSig), sequence, error };
}

const SHOWN_DIGITS = 30;

function describe({ value, scriptPubKey }: TxOut): string {
  return `CTxOut(nValue=${formatAmount(value)}, scriptPubKey=${toHex(scriptPubKey).slice(0, SHOWN_DIGITS)})`;
}
