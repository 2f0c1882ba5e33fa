import type { BlockInvalid, InvalidKind } from '../../consensus/errors.js';
import type { Rejection } from '../../mempool/mempool.js';
import { blockRejectCodeOf, RejectCode } from '../../mempool/reject.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { Reject } from '../wire/reject.js';

/** First code that is internal and not sent to peers. */
const FIRST_INTERNAL = RejectCode.HIGH_FEE;
/** Errors that are not reported, because they say nothing new about the block, or nothing at all. */
const UNREPORTED: ReadonlySet<InvalidKind> = new Set<InvalidKind>([
  'cached',
  'missing-parent',
  'too-many-headers',
  'too-many-headers-total',
  'interrupted',
]);
const NOTHING = new Uint8Array();

/** `reject` of a message other than a block or transaction. */
export function rejectMessage(message: string, code: RejectCode, reason: string): Reject {
  return { message, code, reason, data: NOTHING };
}

/** `reject` of a block; undefined if the error says nothing new about it. */
export function rejectBlock(hash: Hash256, error: BlockInvalid): Reject | undefined {
  if (UNREPORTED.has(error.kind)) return undefined;
  return { message: 'block', code: blockRejectCodeOf(error), reason: error.reason, data: hash };
}

/** `reject` of a transaction; undefined if the code is internal. */
export function rejectTransaction(txid: Hash256, { code, reason }: Pick<Rejection, 'code' | 'reason'>): Reject | undefined {
  return code < FIRST_INTERNAL ? { message: 'tx', code, reason, data: txid } : undefined;
}
