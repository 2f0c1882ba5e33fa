import type { BlockInvalid, InvalidKind } from '../consensus/errors.js';
import { SCORES } from './misbehaviour.js';
import type { Peer } from './peer.js';

export interface PunishOptions {
  /** The block or header came in a compact block, which may be relayed before it is checked. */
  readonly compact?: boolean;
}

/** Points for handing in what is invalid (spec: chain 7.4). */
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
    case 'time':
      return 0;
  }
}

export function punish(peer: Peer, error: BlockInvalid, { compact = false }: PunishOptions = {}): void {
  const score = scoreOf(error.kind, peer, compact);
  if (score > 0) peer.misbehave(score, error.message);
}
