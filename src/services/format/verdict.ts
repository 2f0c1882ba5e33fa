import type { BlockInvalid } from '../../consensus/errors.js';
import { blockRejectCodeOf } from '../../mempool/reject.js';
import { describeRejection, type Submission, showsRejectCodes } from '../../mempool/submit.js';
import { NodeError } from '../../util/errors.js';

/** Reasons whose details `defid` writes to its log alone, although they begin like those that it reports. */
const LOGGED_DETAILS: ReadonlySet<string> = new Set(['bad-txns-BIP30', 'bad-txns-nonfinal', 'bad-txns-accumulated-fee-outofrange']);

/**
 * Reports the block that could not be connected after a command of the operator, as `defid` does.
 * @throws {NodeError} `database` if there is one
 */
export function requireActivated(chain: Submission['chain'], refusal: BlockInvalid | undefined): void {
  if (!refusal) return;
  const { kind, reason } = refusal;
  const isDetailed = kind === 'mutated' || (reason.startsWith('bad-txns-') && !LOGGED_DETAILS.has(reason));
  const rejection = { reason, debug: isDetailed ? refusal.debug : '', code: blockRejectCodeOf(refusal) };
  throw new NodeError('database', describeRejection(rejection, showsRejectCodes(chain)), { cause: refusal });
}
