import { keccak256 } from '../crypto/keccak.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import { readWord } from './words.js';

const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** Code of a contract, with its jump targets, pushed words and hash, each derived once. */
export class Code {
  #targets: Uint8Array | undefined;
  #hash: bigint | undefined;
  readonly #pushed: (bigint | undefined)[] = [];

  constructor(readonly bytes: Uint8Array) {}

  get size(): number {
    return this.bytes.length;
  }

  /** Keccak-256 of the code as contracts see it (EXTCODEHASH). */
  get hash(): bigint {
    this.#hash ??= readWord(keccak256(this.bytes), 0);
    return this.#hash;
  }

  /** True if a jump may go there: a JUMPDEST that is no operand of a PUSH. */
  isTarget(at: number): boolean {
    if (at >= this.bytes.length) return false;
    this.#targets ??= findTargets(this.bytes);
    return ((this.#targets[at >> 3] as number) & (1 << (at & 7))) !== 0;
  }

  /** Operand of the PUSH before `at`; bytes beyond the end of the code are zeros on the right. */
  pushed(at: number, size: number): bigint {
    let word = this.#pushed[at];
    if (word === undefined) {
      word = readWord(this.bytes, at, size);
      this.#pushed[at] = word;
    }
    return word;
  }
}

/** No code: accounts without a contract. */
export const NO_CODE: Code = new Code(EMPTY_BYTES);

function findTargets(bytes: Uint8Array): Uint8Array {
  const targets = new Uint8Array((bytes.length >> 3) + 1);
  for (let at = 0; at < bytes.length; at++) {
    const op = bytes[at] as number;
    if (op === JUMPDEST) targets[at >> 3] = (targets[at >> 3] as number) | (1 << (at & 7));
    else if (op >= PUSH1 && op <= PUSH32) at += op - PUSH1 + 1;
  }
  return targets;
}
