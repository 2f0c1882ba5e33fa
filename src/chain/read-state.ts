import type { StateView } from '../storage/view.js';
import { type Abortable, type MaybePromise, Slicer, type Steps } from '../util/slicer.js';
import type { Chain } from './chain.js';

/**
 * Reads the state at the tip: synchronously if the turn of the event loop has time for it, else again from the start, in slices, on a
 * snapshot of the same tip.
 * @param read called once or twice; what it returns must depend on the view and on what is the same in both calls
 * @returns the result, or a promise that rejects with the reason of the signal if the work is aborted
 */
export function readState<T>(
  chain: Pick<Chain, 'state' | 'snapshot'>,
  call: Abortable,
  read: (view: StateView) => Steps<T>,
): MaybePromise<T> {
  const slicer = new Slicer(call);
  const steps = read(chain.state);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const paused = slicer.pause();
    if (!paused) continue;
    // Closes the iterators of the first reading.
    steps.return(undefined as T);
    const snapshot = chain.snapshot();
    return paused.then(() => slicer.run(read(snapshot))).finally(() => snapshot.close());
  }
}
