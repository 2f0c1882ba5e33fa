import type { Hash256 } from '../../primitives/hash.js';
import { equalBytes } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { MiningModules } from './modules.js';

/** What a template was made from, as a client that waits for the next one knows it. */
export interface Watched {
  /** Hash of the tip. */
  readonly tip: Hash256;
  /** How often the pool had changed. */
  readonly poolUpdates: number;
}

export interface Pauses {
  /** Before a change of the pool counts at all. */
  readonly firstMs: number;
  /** Between looks at the pool after that. */
  readonly thenMs: number;
}

export const LONG_POLL_PAUSES: Pauses = { firstMs: 60_000, thenMs: 10_000 };

type Modules = Pick<MiningModules, 'stopping'> & {
  readonly chain: Pick<MiningModules['chain'], 'tip' | 'on'>;
  readonly mempool: { readonly pool: Pick<MiningModules['mempool']['pool'], 'updates'> };
};

/**
 * Waits until there is another tip, or after a while a changed pool.
 * @param caller aborted when the caller leaves
 * @throws {NodeError} if the node stops, or the caller leaves
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
  if (caller.aborted) throw new NodeError('cancelled', 'the caller has left');
}
