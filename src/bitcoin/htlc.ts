import { hasPublicKeySize } from '../crypto/ecdsa.js';
import { Op, smallIntegerOf } from '../script/opcodes.js';
import { buildScript, scriptNumber } from '../script/script.js';
import { concatBytes } from '../util/bytes.js';
import { NodeError } from '../util/errors.js';

/** Terms of an HTLC: the receiver can spend with the seed of the hash, the owner after a number of confirmations. */
export interface HtlcTerms {
  /** Public key, 33 or 65 bytes. */
  readonly receiver: Uint8Array;
  /** Public key, 33 or 65 bytes. */
  readonly owner: Uint8Array;
  /** Confirmations that an output needs for a refund. */
  readonly blocks: number;
  /** SHA256 of the seed, 32 bytes. */
  readonly hash: Uint8Array;
}

const HASH_SIZE = 32;
const KEY_SIZES: readonly number[] = [33, 65];
const MAX_NUMBER_SIZE = 4;
/** `defid` shows larger numbers of blocks as this one. */
const MAX_BLOCKS = 2 ** 16;

/** Script of an HTLC. The receiver's spend takes the first branch. */
export function htlcScript({ receiver, owner, blocks, hash }: HtlcTerms): Uint8Array {
  return concatBytes(
    buildScript(Op.IF, Op.SHA256, hash, Op.EQUALVERIFY, receiver, Op.ELSE),
    scriptNumber(blocks),
    buildScript(Op.CHECKSEQUENCEVERIFY, Op.DROP, owner, Op.ENDIF, Op.CHECKSIG),
  );
}

/**
 * Reads the terms of an HTLC by the places of its parts. As in `defid`, opcodes are not compared, so other scripts of the same sizes
 * pass too.
 * @throws {NodeError} `invalid-address`
 */
export function parseHtlcScript(script: Uint8Array): HtlcTerms {
  const reader = new PlaceReader(script);
  // Sizes of what must follow are checked before each part, in the order of `defid`.
  reader.require(1 + 1 + 1 + HASH_SIZE + 1 + 1);
  reader.skip(2);
  if (reader.byte() !== HASH_SIZE) throw fault('Incorrect seed hash length');
  const hash = reader.bytes(HASH_SIZE);
  reader.skip(1);
  const receiver = reader.key('seller', (rest) => rest >= 2);
  reader.skip(1);
  const blocks = readBlocks(reader);
  reader.require(3);
  reader.skip(2);
  const owner = reader.key('buyer', (rest) => rest === 2);
  return { receiver, owner, blocks, hash };
}

function readBlocks(reader: PlaceReader): number {
  const size = reader.byte();
  if (size >= Op.ONE && size <= Op.SIXTEEN) return smallIntegerOf(size);
  if (size > MAX_NUMBER_SIZE) throw fault('Incorrect timeout length');
  reader.require(size);
  const blocks = reader.bytes(size).reduceRight((value, byte) => value * 256 + byte, 0);
  return Math.min(blocks, MAX_BLOCKS);
}

/** Reads a script whose parts are at known places. */
class PlaceReader {
  #at = 0;

  constructor(private readonly script: Uint8Array) {}

  /** Requires bytes after the place. */
  require(count: number): void {
    if (this.#at + count > this.script.length) throw wrongLength();
  }

  skip(count: number): void {
    this.#at += count;
  }

  byte(): number {
    this.#at += 1;
    return this.script[this.#at - 1] as number;
  }

  bytes(count: number): Uint8Array {
    this.#at += count;
    return this.script.subarray(this.#at - count, this.#at);
  }

  /** Reads a public key with its size. @param fits judges the number of bytes that follow it, negative if the key is incomplete */
  key(name: 'seller' | 'buyer', fits: (rest: number) => boolean): Uint8Array {
    const size = this.byte();
    if (!KEY_SIZES.includes(size)) throw fault(`${name === 'seller' ? 'Seller' : 'Buyer'} pubkey incorrect pubkey length`);
    if (!fits(this.script.length - this.#at - size)) throw wrongLength();
    const key = this.bytes(size);
    if (!hasPublicKeySize(key)) throw fault(`Invalid ${name} pubkey`);
    return key;
  }
}

function wrongLength(): NodeError {
  return fault('Incorrect redeemscript length');
}

function fault(text: string): NodeError {
  return new NodeError('invalid-address', text);
}

/** `scriptSig` of the receiver's spend. @param signature with hash type byte */
export function claimScriptSig(signature: Uint8Array, seed: Uint8Array, script: Uint8Array): Uint8Array {
  return buildScript(signature, seed, Op.ONE, script);
}

/** `scriptSig` of the owner's spend. @param signature with hash type byte */
export function refundScriptSig(signature: Uint8Array, script: Uint8Array): Uint8Array {
  return buildScript(signature, Op.ZERO, script);
}

/** Seed in the `scriptSig` of the receiver's spend; undefined for other spends. */
export function seedInScriptSig(scriptSig: Uint8Array): Uint8Array | undefined {
  const start = 1 + (scriptSig[0] ?? 0);
  const size = scriptSig[start];
  if (size === undefined) return undefined;
  const end = start + 1 + size;
  return scriptSig[end] === Op.ONE ? scriptSig.subarray(start + 1, end) : undefined;
}
