import { TracelessError } from '../util/errors.js';

/**
 * Class of a violation, which decides the penalty of the peer and whether the block is marked as invalid.
 * - `consensus`: permanently invalid
 * - `mutated`: these bytes are invalid, but a block with the same hash may be valid
 * - `header`: the header is invalid
 * - `time`: too far in the future; may be valid later
 * - `missing-parent`, `invalid-parent`: its parent is unknown, or known to be invalid
 * - `checkpoint`: forks below a reached checkpoint
 * - `cached`: already known to be invalid
 * - `too-many-headers`: not invalid, but the peer has sent too many headers without their blocks
 * - `too-many-headers-total`: not invalid, but all peers together have sent too many headers without their blocks
 * - `interrupted`: the operator interrupts block processing at this block or below it
 */
export type InvalidKind =
  | 'consensus'
  | 'mutated'
  | 'header'
  | 'time'
  | 'missing-parent'
  | 'invalid-parent'
  | 'checkpoint'
  | 'cached'
  | 'too-many-headers'
  | 'too-many-headers-total'
  | 'interrupted';

/** An invalid block or header, for which the peer is responsible. Other errors are faults of this node. */
export class BlockInvalid extends TracelessError {
  override name = 'BlockInvalid';

  constructor(
    /** BIP22 reject reason; may be empty. */
    readonly reason: string,
    readonly kind: InvalidKind = 'consensus',
    /** Details for logs and clients, e.g. the compared amounts. */
    readonly debug = '',
  ) {
    super(debug ? `${reason}, ${debug}` : reason);
  }
}

/** A transaction that violates consensus or policy. */
export class TxInvalid extends TracelessError {
  override name = 'TxInvalid';

  constructor(
    readonly reason: string,
    readonly debug = '',
  ) {
    super(debug ? `${reason}, ${debug}` : reason);
  }
}
