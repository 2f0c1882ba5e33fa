import type { Message } from '../execute.js';
import type { Failure } from '../failure.js';
import type { Frame } from '../frame.js';
import type { Exit } from '../interpreter.js';
import type { Machine } from '../machine.js';
import type { ChildCall, ChildCreation } from '../requests.js';

/** The trace exceeds a limit. */
export class TraceTooLong extends Error {
  constructor(readonly limit: 'size' | 'length') {
    super('the trace is too long');
  }
}

/** Observer of an execution. */
export interface Tracer {
  /** Before anything is done. @param created address that a creation will get @param intrinsic gas that is charged first */
  start(message: Message, created: bigint | undefined, intrinsic: bigint): void;
  /** Before an opcode and its checks. */
  step(frame: Frame, op: number, machine: Machine): void;
  /** After an opcode. @param failure reason for which it ended the frame */
  stepped(frame: Frame, op: number, machine: Machine, failure: Failure | undefined): void;
  /** The code of a frame has ended without an opcode that ends it. */
  ranOff(frame: Frame): void;
  /** Before a call or creation. @param parent frame that asked for it, without the gas that it hands over */
  enter(request: ChildCall | ChildCreation, caller: bigint, parent: Frame | undefined): void;
  /** Before a precompiled contract is charged. @param gas all that it was given */
  charged?(gas: bigint): void;
  /** After a call or creation, before its parent continues. @param request undefined if the transaction ended before its first frame */
  leave(exit: Exit, request: ChildCall | ChildCreation | undefined, parent: Frame | undefined): void;
}
