import { NodeError } from './errors.js';

/** Time in which a client has to read something of a stream that has messages for it, ms. */
export const STALL_MS = 30_000;

/** The part of a stream that is written to. */
interface Drained {
  once(event: 'drain', listener: () => void): unknown;
  off(event: 'drain', listener: () => void): unknown;
}

/**
 * Waits until a stream that is full has room.
 * @throws {NodeError} `resource-exhausted` if its client reads nothing for `stallMs`; the reason of the signal
 */
export function drained(stream: Drained, signal: AbortSignal, stallMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      stream.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const onDrain = (): void => end(resolve);
    const onAbort = (): void => end(() => reject(signal.reason as Error));
    const timer = setTimeout(() => end(() => reject(tooSlow())), stallMs);
    stream.once('drain', onDrain);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/** Error of a stream whose client does not read it. */
export function tooSlow(): NodeError {
  return new NodeError('resource-exhausted', 'The client reads too slowly; continue after the last cursor');
}
