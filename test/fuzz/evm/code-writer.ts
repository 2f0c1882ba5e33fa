import { Op as KnownOp } from '../../../src/evm/instructions/operands.js';
import { wordBytes } from '../../../src/evm/words.js';

export const Op = {
  ...KnownOp,
  stop: 0x00,
  add: 0x01,
  sub: 0x03,
  pop: 0x50,
  jump: 0x56,
  jumpi: 0x57,
  jumpdest: 0x5b,
  push0: 0x5f,
  dup1: 0x80,
  swap1: 0x90,
  log0: 0xa0,
  invalid: 0xfe,
} as const;

const PUSH1 = 0x60;

/** Code under construction, with the number of operands on the stack. */
export class CodeWriter {
  readonly #bytes: number[] = [];
  height = 0;

  /** @param addresses accounts that the code calls and asks about */
  constructor(readonly addresses: readonly bigint[]) {}

  get size(): number {
    return this.#bytes.length;
  }

  get code(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  /** Appends an opcode. @param effect change of the height of the stack */
  op(opcode: number, effect: number): void {
    this.#bytes.push(opcode);
    this.height += effect;
  }

  /** Pushes a number with the shortest opcode. */
  push(value: bigint): void {
    const bytes = wordBytes(value);
    const start = bytes.findIndex((byte) => byte !== 0);
    if (start < 0) this.op(Op.push0, 1);
    else this.pushBytes(bytes.subarray(start));
  }

  /** Pushes up to 32 bytes. */
  pushBytes(bytes: Uint8Array): void {
    this.op(PUSH1 + bytes.length - 1, 1);
    this.#bytes.push(...bytes);
  }

  /** Stores bytes in memory, filled up with zeros to whole words. */
  store(offset: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 32) {
      const word = new Uint8Array(32);
      word.set(bytes.subarray(at, at + 32));
      this.pushBytes(word);
      this.push(BigInt(offset + at));
      this.op(Op.mstore, -2);
    }
  }

  /** Pushes a target that is known later. @returns its position, for `setTarget` */
  pushTarget(): number {
    this.pushBytes(new Uint8Array(2));
    return this.size - 2;
  }

  /** Makes the next opcode the target. */
  setTarget(position: number): void {
    this.#bytes[position] = this.size >> 8;
    this.#bytes[position + 1] = this.size & 0xff;
    this.op(Op.jumpdest, 0);
  }

  /** Appends bytes that need not be opcodes. */
  raw(bytes: Uint8Array): void {
    this.#bytes.push(...bytes);
  }
}
