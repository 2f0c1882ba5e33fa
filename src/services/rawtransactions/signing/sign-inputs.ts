import type { SignRawTransactionWithKeyResponse } from '../../../../gen/ts/dfi/rawtransactions/v1/rawtransactions.js';
import type { SigningError } from '../../../../gen/ts/dfi/types/v1/building.js';
import { formatAmount, MAX_MONEY } from '../../../primitives/amount.js';
import { formatHash } from '../../../primitives/hash.js';
import type { OutPoint } from '../../../primitives/outpoint.js';
import type { Transaction, TxOut } from '../../../primitives/transaction.js';
import { type SigningOptions as ScriptSigningOptions, type SigningFault, signLongInputs } from '../../../script/sign-inputs.js';
import { toHex } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import { toLongHex } from '../../../util/long-hex.js';
import type { Steps } from '../../../util/slicer.js';

/** Sentinel for an amount that is unknown, in satoshis. */
export const UNKNOWN_AMOUNT = MAX_MONEY;

/** Outputs that a transaction spends: those known to the node, and those that the caller passed. */
export class SpentOutputs {
  readonly #known = new Map<string, TxOut>();

  /** Outputs of a transaction's inputs that the node finds. */
  static *of(tx: Pick<Transaction, 'vin'>, find: (point: OutPoint) => TxOut | undefined): Steps<SpentOutputs> {
    const outputs = new SpentOutputs();
    for (const { prevout } of tx.vin) {
      const output = find(prevout);
      if (output) outputs.set(prevout, output);
      yield;
    }
    return outputs;
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

/** Options of {@link signInputs}, with the outputs to look spent coins up in. */
export interface SigningOptions extends Omit<ScriptSigningOptions, 'output'> {
  readonly outputs: Pick<SpentOutputs, 'get'>;
}

/**
 * Signs with the available keys, keeps existing valid signatures, and runs the scripts of every input.
 * @throws {NodeError} `type` if a witness was made for an unknown amount
 * @see docs/protocol/rpc-chain.md 3.3.8, rule 8
 */
export function* signInputs(tx: Transaction, { outputs, ...options }: SigningOptions): Steps<SignRawTransactionWithKeyResponse> {
  const signed = yield* signLongInputs(tx, { ...options, output: (point) => outputs.get(point) });
  for (const { prevout, witness } of signed.tx.vin) {
    const output = outputs.get(prevout);
    if (output?.value === UNKNOWN_AMOUNT && witness.length > 0) throw new NodeError('type', `Missing amount for ${describe(output)}`);
  }
  const errors: SigningError[] = [];
  for (const fault of signed.faults) {
    errors.push(formatFault(fault));
    yield;
  }
  return { hex: yield* toLongHex(signed.tx.raw), complete: errors.length === 0, errors: errors.length > 0 ? { errors } : undefined };
}

function formatFault({ input: { prevout, scriptSig, witness, sequence }, text }: SigningFault): SigningError {
  const { txid, vout } = prevout;
  return { txid: formatHash(txid), vout, witness: Array.from(witness, toHex), scriptsig: toHex(scriptSig), sequence, error: text };
}

const SHOWN_DIGITS = 30;

function describe({ value, tokenId, scriptPubKey }: TxOut): string {
  return `CTxOut(nValue=${formatAmount(value)}, nTokenId=${tokenId}, scriptPubKey=${toHex(scriptPubKey).slice(0, SHOWN_DIGITS)})`;
}
