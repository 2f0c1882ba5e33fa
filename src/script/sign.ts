import { uncompressed } from '../crypto/ecdsa.js';
import { hash160, ripemd160 } from '../crypto/hash.js';
import { concatBytes, EMPTY_BYTES, equalBytes, reverseBytes, toHex } from '../util/bytes.js';
import { scriptOf } from './address.js';
import type { ScriptVersion, SignatureChecker } from './checker.js';
import { keccakScript } from './erc55.js';
import { STANDARD_FLAGS, VerifyFlag, type VerifyFlags } from './flags.js';
import { IMPERSONATION } from './impersonation.js';
import type { KeySource } from './key-source.js';
import { Op, smallIntegerOpcode } from './opcodes.js';
import { pushData } from './script.js';
import { ScriptError } from './script-error.js';
import type { SignatureData } from './signature-data.js';
import type { Signer } from './signer.js';
import { type ClassifyOptions, classify, type OutputType } from './standard.js';
import { type Spend, verifyScript } from './verify.js';

/** Stack elements that satisfy a script, whether they are complete, and the template of the script. */
interface Answer {
  readonly pushes: readonly Uint8Array[];
  readonly solved: boolean;
  readonly type: OutputType;
}

/** Templates that are not allowed in a redeem script, and in a witness script. */
const NOT_BEHIND_HASH: ReadonlySet<OutputType> = new Set(['scripthash']);
const NOT_IN_WITNESS: ReadonlySet<OutputType> = new Set(['scripthash', 'witness_v0_scripthash', 'witness_v0_keyhash']);

/**
 * Builds `scriptSig` and `witness` of a spend from the collected signatures and the keys, complete or not. The data receives new
 * signatures, scripts, keys with their origin, and the list of missing parts.
 * @returns true if the spend is complete and valid under the flags of relay
 */
export function completeSignature(keys: KeySource, signer: Signer, scriptPubKey: Uint8Array, data: SignatureData): boolean {
  if (data.complete) return true;
  if (keys.impersonates?.(scriptPubKey)) {
    data.scriptSig = IMPERSONATION;
    data.complete = true;
    return true;
  }
  const attempt = new Attempt(keys, signer, data);
  let answer = attempt.answer(scriptPubKey, 'legacy');
  data.witness = [];
  let redeemScript: Uint8Array | undefined;
  if (answer.solved && answer.type === 'scripthash') {
    redeemScript = answer.pushes[0] as Uint8Array;
    data.redeemScript = redeemScript;
    answer = attempt.answer(redeemScript, 'legacy', NOT_BEHIND_HASH);
  }
  if (answer.solved) answer = answerWitness(attempt, answer, data);
  const pushes = redeemScript ? [...answer.pushes, redeemScript] : answer.pushes;
  data.scriptSig = concatBytes(...pushes.map(shortPush));
  data.complete = answer.solved && satisfies({ ...data, scriptPubKey }, signer.checker, signingFlags(keys));
  return data.complete;
}

/** Solves the script behind a witness program, and moves its pushes into the witness. */
function answerWitness(attempt: Attempt, answer: Answer, data: SignatureData): Answer {
  const [first = EMPTY_BYTES] = answer.pushes;
  const inner = keyAnswer(attempt, answer.type, first);
  if (inner) {
    data.witness = inner.pushes;
    data.isWitness = true;
    return { ...answer, pushes: [], solved: inner.solved };
  }
  if (answer.type === 'witness_v0_scripthash') {
    data.witnessScript = first;
    const inner = attempt.answer(first, 'witness0', NOT_IN_WITNESS);
    data.witness = [...inner.pushes, first];
    data.isWitness = true;
    return { ...answer, pushes: [], solved: inner.solved };
  }
  return answer;
}

/** Solves the script behind a witness program of a single key; undefined for other programs. */
function keyAnswer(attempt: Attempt, type: OutputType, program: Uint8Array): Answer | undefined {
  if (type === 'witness_v0_keyhash') return attempt.answer(scriptOf({ type: 'pkh', hash: program }), 'witness0');
  return type === 'witness_v16_ethhash' ? attempt.answer(keccakScript(program), 'witness16') : undefined;
}

/** Flags of relay. @param options.metachain verify spends of outputs to EVM addresses */
export function signingFlags({ metachain = false }: ClassifyOptions): VerifyFlags {
  return metachain ? STANDARD_FLAGS | VerifyFlag.METACHAIN : STANDARD_FLAGS;
}

/** True if a spend is valid, by default under the flags of relay. */
export function satisfies(spend: Spend, checker: SignatureChecker, flags: VerifyFlags = STANDARD_FLAGS): boolean {
  try {
    verifyScript(spend, flags, checker);
    return true;
  } catch (error) {
    if (error instanceof ScriptError) return false;
    throw error;
  }
}

/** Push of the bytes, the shortest one except for 0x81: `defid` pushes that as data, for which relay refuses the spend. */
function shortPush(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return Uint8Array.of(Op.ZERO);
  const [first = 0] = bytes;
  if (bytes.length === 1 && first >= 1 && first <= 16) return Uint8Array.of(smallIntegerOpcode(first));
  return pushData(bytes);
}

/** One attempt to satisfy the scripts of an output. */
class Attempt {
  constructor(
    private readonly keys: KeySource,
    private readonly signer: Signer,
    private readonly data: SignatureData,
  ) {}

  /** @param refused templates that do not count as solved at this level */
  answer(script: Uint8Array, version: ScriptVersion, refused?: ReadonlySet<OutputType>): Answer {
    const { type, solutions, reqSigs = 0 } = classify(script, this.keys);
    if (type === 'multisig') return this.#answerMultisig(solutions, reqSigs, script, version);
    const pushes = this.#pushes(type, solutions, script, version);
    return { type, pushes: pushes ?? [], solved: pushes !== undefined && refused?.has(type) !== true };
  }

  #pushes(type: OutputType, [first = EMPTY_BYTES]: readonly Uint8Array[], script: Uint8Array, version: ScriptVersion) {
    switch (type) {
      case 'pubkey': {
        const signature = this.#sign(first, script, version);
        return signature && [signature];
      }
      case 'pubkeyhash':
        return this.#answerKeyHash(first, script, version);
      case 'witness_v0_keyhash':
      case 'witness_v16_ethhash':
        return [first];
      case 'scripthash':
        return this.#reveal(first, () => {
          this.data.missing.redeemScript = first;
        });
      case 'witness_v0_scripthash':
        return this.#reveal(ripemd160(first), () => {
          this.data.missing.witnessScript = first;
        });
      default:
        return undefined;
    }
  }

  #answerKeyHash(keyId: Uint8Array, script: Uint8Array, version: ScriptVersion): readonly Uint8Array[] | undefined {
    const publicKey = version === 'witness16' ? this.#evmKey(keyId) : this.#publicKey(keyId);
    if (!publicKey) {
      this.data.missing.publicKeys.push(keyId);
      return undefined;
    }
    const signature = this.#sign(publicKey, script, version);
    return signature && [signature, publicKey];
  }

  /** Pushes the available signatures, at most `required`, and empty elements in place of missing ones. */
  #answerMultisig(publicKeys: readonly Uint8Array[], required: number, script: Uint8Array, version: ScriptVersion): Answer {
    const signatures: Uint8Array[] = [];
    for (const publicKey of publicKeys) {
      const signature = signatures.length < required ? this.#sign(publicKey, script, version) : undefined;
      if (signature) signatures.push(signature);
    }
    const solved = signatures.length === required;
    // `defid` counts its pushes twice, so it leaves room for half of the missing signatures, rounded up.
    const gaps = Array.from({ length: Math.ceil((required - signatures.length) / 2) }, () => EMPTY_BYTES);
    // OP_CHECKMULTISIG pops one element too many, the first.
    return { type: 'multisig', solved, pushes: [EMPTY_BYTES, ...signatures, ...gaps] };
  }

  #reveal(scriptId: Uint8Array, noteMissing: () => void): readonly Uint8Array[] | undefined {
    const { redeemScript, witnessScript } = this.data;
    const script = this.keys.script(scriptId) ?? [redeemScript, witnessScript].find((known) => equalBytes(hash160(known), scriptId));
    if (!script) noteMissing();
    return script && [script];
  }

  /** Key of an EVM address, whose spends contain the uncompressed form. @param program the address, its bytes reversed */
  #evmKey(program: Uint8Array): Uint8Array | undefined {
    const publicKey = this.keys.publicKeyOfEvm?.(reverseBytes(program));
    return publicKey && uncompressed(publicKey);
  }

  #publicKey(keyId: Uint8Array): Uint8Array | undefined {
    const id = toHex(keyId);
    return this.data.signatures.get(id)?.publicKey ?? this.data.keys.get(id)?.publicKey ?? this.keys.publicKey(keyId);
  }

  #sign(publicKey: Uint8Array, scriptCode: Uint8Array, version: ScriptVersion): Uint8Array | undefined {
    const keyId = hash160(publicKey);
    const known = this.data.signatures.get(toHex(keyId));
    if (known) return known.signature;
    const origin = this.keys.origin(publicKey);
    if (origin) this.data.addKey(publicKey, origin);
    const signature = this.signer.sign(this.keys, keyId, scriptCode, version);
    if (signature) this.data.addSignature(publicKey, signature);
    else this.data.missing.signatures.push(keyId);
    return signature;
  }
}
