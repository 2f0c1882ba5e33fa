import { COMPRESSED_KEY_SIZE } from '../../crypto/ecdsa.js';
import {
  measureTransaction,
  type TransactionFields,
  type TransactionSize,
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
import type { Keys } from '../keys/keys.js';

/** Longest DER signature: 71 bytes and the hash type. */
const LONGEST_SIGNATURE = longestSignature();
/** Other wallets need not grind for a low R as this one does, so their signatures may be a byte longer. */
const foreignSigner: Signer = { ...dummySigner, sign: () => LONGEST_SIGNATURE };

function longestSignature(): Uint8Array {
  const r = [0x02, 33, 0x00, 0x80, ...new Uint8Array(31)];
  const s = [0x02, 32, 0x01, ...new Uint8Array(31)];
  return Uint8Array.from([0x30, r.length + s.length, ...r, ...s, 0x01]);
}

/** Dummy signature data of the final size for an input. */
interface Placeholder {
  readonly scriptSig: Uint8Array;
  readonly witness: readonly Uint8Array[];
}

/**
 * Sizes of signed inputs, found by signing with dummy signatures of the right size. Placeholders for outputs to a single key are
 * cached by kind.
 */
export class InputSizes {
  readonly #known = new Map<string, Placeholder>();
  readonly #sizes = new WeakMap<Placeholder, number>();

  constructor(
    private readonly keys: KeySource & Pick<Keys, 'exactKey'>,
    private readonly format: TxFormat,
  ) {}

  /** @param foreign another wallet may sign @returns undefined if the wallet does not know how to spend the output */
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

  /** Outputs of one kind are spent by inputs of one size. @returns undefined for outputs that are measured one by one */
  #kindOf(script: Uint8Array, foreign: boolean): string | undefined {
    const { type, solutions } = classify(script);
    const [first = EMPTY_BYTES] = solutions;
    const suffix = foreign ? '!' : '';
    if (type === 'pubkeyhash' || type === 'witness_v0_keyhash') {
      const key = this.keys.exactKey(first);
      return key && `${type}${key.length}${suffix}`;
    }
    const inner = type === 'scripthash' ? this.keys.script(first) : undefined;
    const within = inner ? classify(inner) : undefined;
    if (within?.type !== 'witness_v0_keyhash') return undefined;
    return this.keys.exactKey(within.solutions[0] ?? EMPTY_BYTES)?.length === COMPRESSED_KEY_SIZE ? `nested${suffix}` : undefined;
  }

  /** Virtual bytes of an input that spends the output; undefined as for {@link placeholder}. */
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
    return inputSizeOf(measureTransaction(bare, this.format), filled);
  }

  /** Adds placeholders for all signatures. @param spent output of each input @returns undefined if one of them cannot be made */
  filled(fields: TransactionFields, spent: readonly TxOut[], foreign: boolean): TransactionFields | undefined {
    const vin: TxIn[] = [];
    for (const [i, input] of fields.vin.entries()) {
      const out = spent[i];
      const filled = out && this.placeholder(out, foreign);
      if (!filled) return undefined;
      vin.push({ ...input, ...filled });
    }
    return { ...fields, vin };
  }

  /** Virtual bytes of the signed transaction; undefined as for {@link filled}. */
  transactionSize(fields: TransactionFields, spent: readonly TxOut[], foreign: boolean): number | undefined {
    const filled = this.filled(fields, spent, foreign);
    return filled && virtualSize(measureTransaction(filled, this.format));
  }
}

/** Bytes of version, counts and lock time in a transaction without witness data. */
const BARE_SIZE = 10;

/** Virtual bytes of the only input of a transaction without outputs. */
function inputSizeOf({ strippedSize, raw }: TransactionSize, { witness }: Placeholder): number {
  const base = strippedSize - BARE_SIZE;
  // Marker and flag are not part of the input; without witness data the empty stack still counts one byte.
  const witnessSize = witness.length > 0 ? raw.length - strippedSize - 2 : 1;
  return Math.ceil((base * 4 + witnessSize) / 4);
}
