/**
 * What an invalid block or transaction says about its sender, which decides how it is punished and whether the verdict is kept.
 * - `consensus`: breaks a rule for ever
 * - `mutated`: these bytes are wrong, but the block they claim to be may be right
 * - `header`: the header itself breaks a rule
 * - `time`: too far in the future; may be right later
 * - `missing-parent`, `invalid-parent`: its parent is unknown, or known to be invalid
 * - `checkpoint`: forks below a reached checkpoint
 * - `cached`: was found invalid before
 * - `surplus`: breaks no rule, but its sender has too many headers here without their blocks
 * - `crowded`: the same, of all peers together
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
  | 'surplus'
  | 'crowded';

/** A block or header that breaks a rule; blames whoever sent it. Any other error is ours. */
export class BlockInvalid extends Error {
  override name = 'BlockInvalid';

  constructor(
    /** BIP22 reject reason; may be empty. */
    readonly reason: string,
    readonly kind: InvalidKind = 'consensus',
    /** More for people, e.g. which amount was compared with which. */
    readonly debug = '',
  ) {
    super(debug ? `${reason}, ${debug}` : reason);
  }
}

/** A transaction that breaks a rule of the network. */
export class TxInvalid extends Error {
  override name = 'TxInvalid';

  constructor(
    readonly reason: string,
    readonly debug = '',
  ) {
    super(debug ? `${reason}, ${debug}` : reason);
  }
}
