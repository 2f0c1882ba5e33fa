/** Reasons for a frame to end without success, in the words of `defid`. @see docs/protocol/evm-engine.md 2.9 */
export type FailureKind =
  | 'StackUnderflow'
  | 'StackOverflow'
  | 'InvalidJump'
  | 'InvalidRange'
  | 'CallTooDeep'
  | 'CreateCollision'
  | 'CreateContractLimit'
  | `InvalidCode(Opcode(${number}))`
  | 'OutOfOffset'
  | 'OutOfGas'
  | 'OutOfFund'
  | 'MaxNonce'
  | `Other("${string}")`;

/** Ends a frame: its gas is lost and its changes are discarded. Thrown often, so it carries no stack trace and is made once. */
export class Failure {
  constructor(readonly kind: FailureKind) {}
}

/** Failure of a precompiled contract, with the words of `defid`. */
export function refusedInput(text: string): Failure {
  return new Failure(`Other("${text}")`);
}

export const OUT_OF_GAS: Failure = new Failure('OutOfGas');
export const STACK_UNDERFLOW: Failure = new Failure('StackUnderflow');
export const STACK_OVERFLOW: Failure = new Failure('StackOverflow');
export const INVALID_JUMP: Failure = new Failure('InvalidJump');
export const OUT_OF_OFFSET: Failure = new Failure('OutOfOffset');
export const CALL_TOO_DEEP: Failure = new Failure('CallTooDeep');
export const OUT_OF_FUND: Failure = new Failure('OutOfFund');
export const MAX_NONCE: Failure = new Failure('MaxNonce');
export const CREATE_COLLISION: Failure = new Failure('CreateCollision');
export const CREATE_CONTRACT_LIMIT: Failure = new Failure('CreateContractLimit');

const INVALID_CODES = Array.from({ length: 256 }, (_, op) => new Failure(`InvalidCode(Opcode(${op}))`));

/** Failure of an opcode that is undefined, or forbidden in a static frame. */
export function invalidCode(op: number): Failure {
  return INVALID_CODES[op] as Failure;
}
