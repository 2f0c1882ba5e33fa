import { EMPTY_BYTES } from '../util/bytes.js';
import type { ScriptVersion, SignatureChecker } from './checker.js';
import { VerifyFlag, type VerifyFlags } from './flags.js';
import { isSmallInteger, Op, smallIntegerOf } from './opcodes.js';
import { OPERATIONS } from './operations.js';
import { encodeScriptNumber, MAX_PUSH_SIZE, MAX_SCRIPT_SIZE, readOp, type ScriptOp } from './script.js';
import { ScriptError } from './script-error.js';
import { decodeNumber, isTrue } from './values.js';

const MAX_OPS = 201;
const MAX_STACK_SIZE = 1000;
/** Opcodes that make a script fail even in a branch that is not executed. */
const DISABLED: ReadonlySet<number> = new Set([
  Op.CAT,
  Op.SUBSTR,
  Op.LEFT,
  Op.RIGHT,
  Op.INVERT,
  Op.AND,
  Op.OR,
  Op.XOR,
  Op.TWO_MUL,
  Op.TWO_DIV,
  Op.MUL,
  Op.DIV,
  Op.MOD,
  Op.LSHIFT,
  Op.RSHIFT,
]);

/** Context of a script execution. */
export interface Execution {
  readonly flags: VerifyFlags;
  readonly checker: SignatureChecker;
  readonly version: ScriptVersion;
}

/**
 * Execution of one script. Operations work on `stack`, whose last element is the top.
 * @see docs/protocol/chain.md 2.7
 */
export class Machine {
  readonly #conditions: boolean[] = [];
  readonly altStack: Uint8Array[] = [];
  #opCount = 0;
  /** Start of the script code for signatures: after the last executed OP_CODESEPARATOR. */
  codeStart = 0;

  constructor(
    readonly script: Uint8Array,
    readonly stack: Uint8Array[],
    readonly execution: Execution,
  ) {}

  /** @throws {ScriptError} */
  run(): void {
    if (this.script.length > MAX_SCRIPT_SIZE) throw new ScriptError('SCRIPT_SIZE');
    for (let op = readOp(this.script, 0); op; op = readOp(this.script, op.end)) {
      if (!op.ok) throw new ScriptError('BAD_OPCODE');
      this.#step(op);
      if (this.stack.length + this.altStack.length > MAX_STACK_SIZE) throw new ScriptError('STACK_SIZE');
    }
    if (this.#conditions.length > 0) throw new ScriptError('UNBALANCED_CONDITIONAL');
  }

  has(flag: number): boolean {
    return (this.execution.flags & flag) !== 0;
  }

  #step(op: ScriptOp): void {
    const { opcode } = op;
    if (op.data && op.data.length > MAX_PUSH_SIZE) throw new ScriptError('PUSH_SIZE');
    if (opcode > Op.SIXTEEN) this.countOperations(1);
    if (DISABLED.has(opcode)) throw new ScriptError('DISABLED_OPCODE');
    if (opcode === Op.CODESEPARATOR && this.execution.version === 'legacy' && this.has(VerifyFlag.CONST_SCRIPTCODE)) {
      throw new ScriptError('OP_CODESEPARATOR');
    }
    const running = this.#conditions.every((condition) => condition);
    if (opcode <= Op.SIXTEEN && opcode !== Op.RESERVED) {
      if (running) this.#push(op);
    } else if (opcode >= Op.IF && opcode <= Op.ENDIF) this.#branch(opcode, running);
    else if (running) this.#operate(op);
  }

  #push({ opcode, data }: ScriptOp): void {
    if (data) {
      if (this.has(VerifyFlag.MINIMALDATA) && !isMinimalPush(opcode, data)) throw new ScriptError('MINIMALDATA');
      this.stack.push(data);
    } else this.stack.push(encodeScriptNumber(opcode === Op.ONE_NEGATE ? -1 : smallIntegerOf(opcode)));
  }

  #operate({ opcode, end }: ScriptOp): void {
    if (opcode === Op.CODESEPARATOR) {
      this.codeStart = end;
      return;
    }
    const operation = OPERATIONS.get(opcode);
    if (!operation) throw new ScriptError('BAD_OPCODE');
    operation(this);
  }

  #branch(opcode: number, running: boolean): void {
    const conditions = this.#conditions;
    if (opcode === Op.IF || opcode === Op.NOTIF) {
      conditions.push(running && this.#condition() === (opcode === Op.IF));
    } else if (opcode === Op.ELSE || opcode === Op.ENDIF) {
      const last = conditions.pop();
      if (last === undefined) throw new ScriptError('UNBALANCED_CONDITIONAL');
      if (opcode === Op.ELSE) conditions.push(!last);
    } else throw new ScriptError('BAD_OPCODE'); // OP_VERIF and OP_VERNOTIF, executed or not
  }

  #condition(): boolean {
    const value = this.stack.pop();
    if (!value) throw new ScriptError('UNBALANCED_CONDITIONAL');
    const minimal = value.length === 0 || (value.length === 1 && value[0] === 1);
    if (this.execution.version === 'witness0' && this.has(VerifyFlag.MINIMALIF) && !minimal) throw new ScriptError('MINIMALIF');
    return isTrue(value);
  }

  /** @throws {ScriptError} above 201 operations; each key of a multisig counts as one */
  countOperations(count: number): void {
    this.#opCount += count;
    if (this.#opCount > MAX_OPS) throw new ScriptError('OP_COUNT');
  }

  /** The element at `depth`; 0 is the top. */
  peek(depth = 0): Uint8Array {
    const value = this.stack[this.stack.length - 1 - depth];
    if (!value) throw new ScriptError('INVALID_STACK_OPERATION');
    return value;
  }

  pop(): Uint8Array {
    const value = this.stack.pop();
    if (!value) throw new ScriptError('INVALID_STACK_OPERATION');
    return value;
  }

  /** @throws {ScriptError} if there are fewer elements */
  require(count: number): void {
    if (this.stack.length < count) throw new ScriptError('INVALID_STACK_OPERATION');
  }

  /** @param maxSize maximum bytes of the number */
  number(value: Uint8Array, maxSize = 4): number {
    return decodeNumber(value, this.has(VerifyFlag.MINIMALDATA), maxSize);
  }

  popNumber(): number {
    return this.number(this.pop());
  }

  pushNumber(value: number): void {
    this.stack.push(encodeScriptNumber(value));
  }

  pushBool(value: boolean): void {
    this.stack.push(value ? TRUE : EMPTY_BYTES);
  }
}

const TRUE = Uint8Array.of(1);

/** True if no shorter opcode pushes the same data. */
function isMinimalPush(opcode: number, data: Uint8Array): boolean {
  const [first] = data;
  if (first === undefined) return opcode === Op.ZERO;
  if (data.length === 1 && (first === 0x81 || (first >= 1 && first <= 16))) return isSmallInteger(opcode);
  if (data.length < Op.PUSHDATA1) return opcode === data.length;
  return opcode === (data.length <= 0xff ? Op.PUSHDATA1 : data.length <= 0xffff ? Op.PUSHDATA2 : Op.PUSHDATA4);
}
