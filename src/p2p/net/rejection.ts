import type { BlockInvalid, InvalidKind } from '../../consensus/errors.js';
import type { Rejection } from '../../mempool/mempool.js';
import { RejectCode, rejectCodeOf } from '../../mempool/reject.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Reject } from '../wire/reject.js';

/** Codes from here on are for our own callers; peers are told nothing. */
const FIRST_INTERNAL = RejectCode.HIGH_FEE;
/** Refusals that say nothing about the block itself. */
const UNTOLD: ReadonlySet<InvalidKind> = new Set<InvalidKind>(['cached', 'missing-parent', 'surplus', 'crowded']);
const NOTHING = new Uint8Array();

/** Why a message is refused that is about no block or transaction. */
export function rejectMessage(message: string, code: RejectCode, reason: string): Reject {
  return { message, code, reason, data: NOTHING };
}

/** What the peer that sent a block is told; undefined where nothing new can be said of the block itself. */
export function rejectBlock(hash: Hash256, error: BlockInvalid): Reject | undefined {
  if (UNTOLD.has(error.kind)) return undefined;
  return { message: 'block', code: blockCodeOf(error), reason: error.reason, data: hash };
}

function blockCodeOf({ kind, reason }: BlockInvalid): RejectCode {
  if (kind === 'checkpoint') return RejectCode.CHECKPOINT;
  if (reason.startsWith('bad-version(')) return RejectCode.OBSOLETE;
  return reason === 'bad-custom-tx' ? RejectCode.CUSTOM_TX : rejectCodeOf({ reason });
}

/** What the peer that sent a transaction is told, if anything. */
export function rejectTransaction(txid: Hash256, { code, reason }: Pick<Rejection, 'code' | 'reason'>): Reject | undefined {
  return code < FIRST_INTERNAL ? { message: 'tx', code, reason, data: txid } : undefined;
}
