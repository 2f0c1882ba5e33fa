import {
  makeTransaction,
  type Transaction,
  type TransactionFields,
  type TxFormat,
  type TxIn,
  type TxOut,
  virtualSize,
} from '../../primitives/transaction.js';
import type { KeySource } from '../../script/key-source.js';
import { completeSignature } from '../../script/sign.js';
import { SignatureData } from '../../script/signature-data.js';
import { dummySigner, type Signer } from '../../script/signer.js';
import { classify } from '../../script/standard.js';
import { EMPTY_BYTES } from '../../util/bytes.js';

/** Longest signature: 71 bytes and the type. */
const LONGEST_SIGNATURE = longestSignature();
/** Signatures of keys that others hold may be a byte longer than ours. */
const foreignSigner: Signer = { ...dummySigner, sign: () => LONGEST_SIGNATURE };

function longestSignature(): Uint8Array {
  const r = [0x02, 33, 0x00, 0x80, ...new Uint8Array(31)];
  const s = [0x02, 32, 0x01, ...new Uint8Array(31)];
  return Uint8Array.from([0x30, r.length + s.length, ...r, ...s, 0x01]);
}

/** Bytes of an input's base and of its witness. */
interface Placeholder {
  readonly scriptSig: Uint8Array;
  readonly witness: readonly Uint8Array[];
}

/**
 * Tells how large inputs will be, by signing them with signatures that only have the right size. What spends a single key of a
 * kind is made once and then remembered.
 */
export class InputSizes {
  readonly #known = new Map<string, Placeholder>();
  readonly #sizes = new WeakMap<Placeholder, number>();

  constructor(
    private readonly keys: KeySource,
    private readonly format: TxFormat,
  ) {}

  /** @param foreign its keys may be held by others @returns undefined if what it takes to spend is not known */
  placeholder({ scriptPubKey }: Pick<TxOut, 'scriptPubKey'>, foreign: boolean): Placeholder | undefined {
    const kind = this.#kindOf(scriptPubKey, foreign);
    const known = kind === undefined ? undefined : this.#known.get(kind);
    if (known) return known;
    const data = new SignatureData();
    if (!completeSignature(this.keys, foreign ? foreignSigner : dummySigner, scriptPubKey, data)) return undefined;
    const made = { scriptSig: data.scriptSig, witness: data.witness };
    if (kind !== undefined) this.#known.set(kind, made);
    return made;
  }

  /** Outputs of one kind take inputs of one size. */
  #kindOf(script: Uint8Array, foreign: boolean): string | undefined {
    const { type, solutions } = classify(script);
    const [first = EMPTY_BYTES] = solutions;
    const suffix = foreign ? '!' : '';
    if (type === 'pubkeyhash' || type === 'witness_v0_keyhash') {
      const key = this.keys.publicKey(first);
      return key && `${type}${key.length}${suffix}`;
    }
    const inner = type === 'scripthash' ? this.keys.script(first) : undefined;
    const within = inner ? classify(inner) : undefined;
    if (within?.type !== 'witness_v0_keyhash') return undefined;
    return this.keys.publicKey(within.solutions[0] ?? EMPTY_BYTES)?.length === 33 ? `nested${suffix}` : undefined;
  }

  /** Virtual bytes of an input that spends the output. */
  inputSize(out: Pick<TxOut, 'scriptPubKey'>, foreign: boolean): number | undefined {
    const filled = this.placeholder(out, foreign);
    if (!filled) return undefined;
    const known = this.#sizes.get(filled);
    if (known !== undefined) return known;
    const size = this.#measure(filled);
    this.#sizes.set(filled, size);
    return size;
  }

  #measure(filled: Placeholder): number {
    const input: TxIn = { prevout: { txid: new Uint8Array(32), vout: 0 }, sequence: 0, ...filled };
    const bare = { version: 2, vin: [input], vout: [], lockTime: 0 };
    return inputWeight(makeTransaction(bare, this.format), filled);
  }

  /** A transaction with placeholders for all signatures. @returns undefined if one cannot be made */
  filled(fields: TransactionFields, spent: readonly TxOut[], foreign: boolean): Transaction | undefined {
    const vin: TxIn[] = [];
    for (const [i, input] of fields.vin.entries()) {
      const out = spent[i];
      const filled = out && this.placeholder(out, foreign);
      if (!filled) return undefined;
      vin.push({ ...input, ...filled });
    }
    return makeTransaction({ ...fields, vin }, this.format);
  }

  /** Virtual bytes of a transaction once it is signed. */
  transactionSize(fields: TransactionFields, spent: readonly TxOut[], foreign: boolean): number | undefined {
    const tx = this.filled(fields, spent, foreign);
    return tx && virtualSize(tx);
  }
}

/** Version, counts and lock time of a transaction without witness. */
const BARE_SIZE = 10;

function inputWeight({ strippedSize, raw }: Transaction, { witness }: Placeholder): number {
  const base = strippedSize - BARE_SIZE;
  // Marker and flag are no part of the input; without witness data the empty stack still counts one byte.
  const witnessSize = witness.length > 0 ? raw.length - strippedSize - 2 : 1;
  return Math.ceil((base * 4 + witnessSize) / 4);
}
