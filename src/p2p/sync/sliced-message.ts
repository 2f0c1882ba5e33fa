import { RejectCode } from '../../mempool/reject.js';
import { DecodeError } from '../../primitives/codec.js';
import type { Logger } from '../../util/logger.js';
import { rejectMessage } from '../net/rejection.js';
import type { SyncPeer } from './sync-peer.js';

/** A message of a peer that is processed in slices. */
export interface SlicedMessage {
  readonly command: 'block' | 'blocktxn' | 'getblocktxn';
  /** For the log. */
  readonly name: string;
  readonly log: Logger;
  /** Ends the work; then its failure is none. */
  readonly signal?: AbortSignal;
}

/**
 * Waits for work on a message. The next message of its sender is processed after it, and its requests do not time out until then; a message
 * that does not decode is rejected. Never rejects.
 */
export async function whileProcessing(sender: SyncPeer, work: Promise<void>, message: SlicedMessage): Promise<void> {
  const { peer } = sender;
  const release = peer.hold();
  sender.pendingWork += 1;
  try {
    await work;
  } catch (error) {
    if (!message.signal?.aborted) failed(sender, error, message);
  } finally {
    sender.pendingWork -= 1;
    release();
  }
}

function failed({ peer }: SyncPeer, error: unknown, { command, name, log }: SlicedMessage): void {
  const isMalformed = error instanceof DecodeError;
  if (isMalformed) peer.reject(rejectMessage(command, RejectCode.MALFORMED, 'error parsing message'));
  log[isMalformed ? 'debug' : 'error'](`${name} not processed`, { peer: peer.id, error: String(error) });
}
