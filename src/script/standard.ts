import { COMPRESSED_KEY_SIZE, hasPublicKeySize, UNCOMPRESSED_KEY_SIZE } from '../crypto/ecdsa.js';
import { isSmallInteger, Op, smallIntegerOf } from './opcodes.js';
import { isPayToScriptHash, isPushOnly, readOp, witnessProgram } from './script.js';

/** Types of output scripts, by their names in results (docs/protocol/rpc-chain.md 3.0.3). */
export type OutputType =
  | 'scripthash'
  | 'witness_v0_keyhash'
  | 'witness_v0_scripthash'
  | 'witness_v16_ethhash'
  | 'witness_unknown'
  | 'nulldata'
  | 'pubkey'
  | 'pubkeyhash'
  | 'multisig'
  | 'nonstandard';

export interface Classified {
  readonly type: OutputType;
  /** The hash or program; the key of `pubkey`; the keys of `multisig`; empty for `nulldata` and `nonstandard`. */
  readonly solutions: readonly Uint8Array[];
  /** Required signatures; absent if the script has no address. */
  readonly reqSigs?: number;
  /** Witness version of `witness_unknown`. */
  readonly version?: number;
}

export interface ClassifyOptions {
  /** Classify outputs to EVM addresses as such, as the 4.x releases of `defid` do. */
  readonly metachain?: boolean;
}

/** Maximum number of keys of a standard multisig script: the largest number that is an opcode. */
export const MAX_STANDARD_MULTISIG_KEYS = 16;
const NULL_DATA: Classified = { type: 'nulldata', solutions: [] };
const NON_STANDARD: Classified = { type: 'nonstandard', solutions: [] };

/** Classifies an output script by its template. */
export function classify(script: Uint8Array, { metachain = false }: ClassifyOptions = {}): Classified {
  if (isPayToScriptHash(script)) return { type: 'scripthash', solutions: [script.subarray(2, 22)], reqSigs: 1 };
  const witness = witnessProgram(script);
  if (witness) return classifyWitness(witness.version, witness.program, metachain);
  if (script[0] === Op.RETURN) return isPushOnly(script.subarray(1)) ? NULL_DATA : NON_STANDARD;
  return matchPubKey(script) ?? matchPubKeyHash(script, metachain) ?? matchMultisig(script) ?? NON_STANDARD;
}

function classifyWitness(version: number, program: Uint8Array, metachain: boolean): Classified {
  const solutions = [program];
  if (version === 0) {
    if (program.length === 20) return { type: 'witness_v0_keyhash', solutions, reqSigs: 1 };
    return program.length === 32 ? { type: 'witness_v0_scripthash', solutions, reqSigs: 1 } : NON_STANDARD;
  }
  if (metachain && version === 16 && program.length === 20) return { type: 'witness_v16_ethhash', solutions, reqSigs: 1 };
  return { type: 'witness_unknown', solutions, reqSigs: 1, version };
}

/** True for a script that pays a bare public key. */
export function isPublicKeyScript(script: Uint8Array): boolean {
  return matchPubKey(script) !== undefined;
}

function matchPubKey(script: Uint8Array): Classified | undefined {
  const size = script.length - 2;
  if ((size !== COMPRESSED_KEY_SIZE && size !== UNCOMPRESSED_KEY_SIZE) || script[0] !== size || script[size + 1] !== Op.CHECKSIG)
    return undefined;
  const key = script.subarray(1, size + 1);
  return hasPublicKeySize(key) ? { type: 'pubkey', solutions: [key], reqSigs: 1 } : undefined;
}

function matchPubKeyHash(script: Uint8Array, metachain: boolean): Classified | undefined {
  const hashes = script[1] === Op.HASH160 || (metachain && script[1] === Op.KECCAK);
  if (script.length !== 25 || script[0] !== Op.DUP || !hashes || script[2] !== 20) return undefined;
  if (script[23] !== Op.EQUALVERIFY || script[24] !== Op.CHECKSIG) return undefined;
  return { type: 'pubkeyhash', solutions: [script.subarray(3, 23)], reqSigs: 1 };
}

/** Matches m, keys, n, CHECKMULTISIG. The pushes need not be minimal. */
function matchMultisig(script: Uint8Array): Classified | undefined {
  if (script[script.length - 1] !== Op.CHECKMULTISIG) return undefined;
  let op = readOp(script, 0);
  if (!op?.ok || !isSmallInteger(op.opcode)) return undefined;
  const required = smallIntegerOf(op.opcode);
  const keys: Uint8Array[] = [];
  for (op = readOp(script, op.end); op?.data && hasPublicKeySize(op.data); op = readOp(script, op.end)) {
    keys.push(op.data);
    if (keys.length > MAX_STANDARD_MULTISIG_KEYS) return undefined;
  }
  if (!op?.ok || !isSmallInteger(op.opcode) || op.end + 1 !== script.length) return undefined;
  if (smallIntegerOf(op.opcode) !== keys.length || keys.length < required) return undefined;
  return { type: 'multisig', solutions: keys, reqSigs: required };
}
