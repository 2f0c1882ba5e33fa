import type {
  ChainTip,
  WaitForBlockHeightRequest,
  WaitForBlockHeightResponse,
  WaitForBlockRequest,
  WaitForBlockResponse,
  WaitForNewBlockRequest,
  WaitForNewBlockResponse,
} from '../../../../gen/ts/dfi/node/v1/chain.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import { formatHash } from '../../../primitives/hash.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { equalBytes } from '../../../util/bytes.js';
import type { NodeModules } from '../modules.js';

type Modules = Pick<NodeModules, 'process'> & { readonly chain: Pick<NodeModules['chain'], 'tip' | 'on'> };

export const waitForNewBlock: Handler<Modules, WaitForNewBlockRequest, WaitForNewBlockResponse> = async (modules, request, call) => {
  const { timeout = 0 } = request;
  const before = modules.chain.tip;
  return { tip: await tipWhere((tip) => tip !== before, timeout, modules, call) };
};

export const waitForBlock: Handler<Modules, WaitForBlockRequest, WaitForBlockResponse> = async (modules, request, call) => {
  const hash = parseHash(request.blockhash, 'blockhash');
  const { timeout = 0 } = request;
  return { tip: await tipWhere((tip) => equalBytes(tip.hash, hash), timeout, modules, call) };
};

export const waitForBlockHeight: Handler<Modules, WaitForBlockHeightRequest, WaitForBlockHeightResponse> = async (
  modules,
  request,
  call,
) => {
  const { height, timeout = 0 } = request;
  return { tip: await tipWhere((tip) => tip.height >= height, timeout, modules, call) };
};

/**
 * Waits for a tip that meets the condition; resolves with the current tip on timeout or when the node stops.
 * @param timeoutMs 0 means no timeout; a negative one has passed already
 */
function tipWhere(
  wanted: (tip: BlockIndexEntry) => boolean,
  timeoutMs: number,
  { chain, process }: Modules,
  { signal }: CallContext,
): Promise<ChainTip> {
  const now = (): ChainTip => ({ hash: formatHash(chain.tip.hash), height: chain.tip.height });
  if (wanted(chain.tip) || timeoutMs < 0 || process.stopping.aborted) return Promise.resolve(now());
  return new Promise((resolve) => {
    const timer = timeoutMs > 0 ? setTimeout(done, timeoutMs) : undefined;
    const unsubscribe = chain.on('tip', (tip) => {
      if (wanted(tip)) done();
    });
    const ends = [signal, process.stopping];
    for (const end of ends) end.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      unsubscribe();
      for (const end of ends) end.removeEventListener('abort', done);
      resolve(now());
    }
  });
}
