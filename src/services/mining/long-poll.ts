import type { Hash256 } from '../../primitives/hash.js';
import { equalBytes } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { MiningModules } from './modules.js';

/** State from which a template was made; a long poll waits for another one. */
export interface Watched {
  /** Hash of the tip. */
  readonly tip: Hash256;
  /** Value of the mempool's change counter. */
  readonly poolUpdates: number;
}

/** Intervals of a long poll. */
export interface Pauses {
  /** Time before the first check of the mempool. */
  readonly firstMs: number;
  /** Time between later checks. */
  readonly thenMs: number;
}

/** Intervals of `defid`. */
export const LONG_POLL_PAUSES: Pauses = { firstMs: 60_000, thenMs: 10_000 };

type Modules = Pick<MiningModules, 'stopping'> & {
  readonly chain: Pick<MiningModules['chain'], 'tip' | 'on'>;
  readonly mempool: { readonly pool: Pick<MiningModules['mempool']['pool'], 'updates'> };
};

/**
 * Waits for another tip, or after some time for a changed mempool.
 * @param caller aborted when the caller disconnects
 * @throws {NodeError} if the node stops, or the caller disconnects
 * @see BIP22
 */
export async function waitForChange(
  { chain, mempool, stopping }: Modules,
  watched: Watched,
  caller: AbortSignal,
  pauses: Pauses,
): Promise<void> {
  const isTip = () => equalBytes(chain.tip.hash, watched.tip);
  const ended = AbortSignal.any([stopping, caller]);
  if (isTip() && !ended.aborted) {
    await new Promise<void>((resolve) => {
      let timer = setTimeout(look, pauses.firstMs);
      const unsubscribe = chain.on('tip', () => {
        if (!isTip()) done();
      });
      ended.addEventListener('abort', done, { once: true });
      function look(): void {
        if (mempool.pool.updates !== watched.poolUpdates) done();
        else timer = setTimeout(look, pauses.thenMs);
      }
      function done(): void {
        clearTimeout(timer);
        unsubscribe();
        ended.removeEventListener('abort', done);
        resolve();
      }
    });
  }
  if (stopping.aborted) throw new NodeError('not-connected', 'Shutting down');
  if (caller.aborted) throw new NodeError('cancelled', 'the caller has disconnected');
}
