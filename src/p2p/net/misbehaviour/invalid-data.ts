import type { BlockInvalid, InvalidKind } from '../../../consensus/errors.js';
import { formatHash, type Hash256 } from '../../../primitives/hash.js';
import type { Logger } from '../../../util/logger.js';
import type { Peer } from '../peer.js';
import { SCORES } from './scores.js';

export interface PunishOptions {
  readonly log: Logger;
  /** Of the block or header. */
  readonly hash: Hash256;
  /** The block or header came in a compact block, which may be relayed before it is checked. */
  readonly compact?: boolean;
}

/** Points for handing in what is invalid (docs/protocol/chain.md 7.4). */
function scoreOf(kind: InvalidKind, peer: Peer, compact: boolean): number {
  switch (kind) {
    case 'consensus':
    case 'mutated':
      return compact ? 0 : SCORES.invalidBlock;
    case 'cached':
      // Whoever connected to us may follow what it likes; those that we chose are to follow our chain.
      return compact || peer.inbound || peer.kind === 'manual' ? 0 : SCORES.cachedInvalidBlock;
    case 'header':
    case 'checkpoint':
    case 'invalid-parent':
      return SCORES.invalidHeader;
    case 'missing-parent':
      return SCORES.missingParent;
    case 'surplus':
      return SCORES.surplusHeaders;
    case 'time':
    case 'crowded':
      return 0;
  }
}

/** Charges a peer for what it handed in. */
export function punish(peer: Peer, error: BlockInvalid, { compact = false, log, hash }: PunishOptions): void {
  // Operators search the log for this form, in which the reference tells it too.
  log.debug(`invalid block or header from peer=${peer.id}: ${formatHash(hash)}, ${error.message}`, { kind: error.kind });
  const score = scoreOf(error.kind, peer, compact);
  if (score > 0) peer.misbehave(score, error.message);
}
