import type { BlockInvalid, InvalidKind } from '../../../consensus/errors.js';
import { formatHash, type Hash256 } from '../../../primitives/hash.js';
import type { Logger } from '../../../util/logger.js';
import type { Peer } from '../peer.js';
import { SCORES } from './scores.js';

export interface PunishOptions {
  readonly log: Logger;
  /** Hash of the block or header. */
  readonly hash: Hash256;
  /** The block or header arrived in a compact block, which peers may relay before validation. */
  readonly compact?: boolean;
}

/** Points for an invalid block or header (docs/protocol/chain.md 7.4). */
function scoreOf(kind: InvalidKind, peer: Peer, compact: boolean): number {
  switch (kind) {
    case 'consensus':
    case 'mutated':
      return compact ? 0 : SCORES.invalidBlock;
    case 'cached':
      // Inbound and manual peers may be on another chain; peers of the node's choice must be on ours.
      return compact || peer.inbound || peer.kind === 'manual' ? 0 : SCORES.cachedInvalidBlock;
    case 'header':
    case 'checkpoint':
    case 'invalid-parent':
      return SCORES.invalidHeader;
    case 'missing-parent':
      return SCORES.missingParent;
    case 'too-many-headers':
      return SCORES.surplusHeaders;
    case 'time':
    case 'too-many-headers-total':
    case 'interrupted':
      return 0;
  }
}

/** Logs an invalid block or header and adds to the sender's ban score. */
export function punish(peer: Peer, error: BlockInvalid, { compact = false, log, hash }: PunishOptions): void {
  // Peer, hash and reason are in one line, as in the log of defid, because operators search for them together.
  log.debug(`invalid block or header from peer=${peer.id}: ${formatHash(hash)}, ${error.message}`, { kind: error.kind });
  const score = scoreOf(error.kind, peer, compact);
  if (score > 0) peer.misbehave(score, error.message);
}
