import type {
  AbortRescanRequest,
  AbortRescanResponse,
  RescanBlockchainRequest,
  RescanBlockchainResponse,
} from '../../../../gen/ts/dfi/wallet/v1/wallet.js';
import type { Handler } from '../../../rpc/handler.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { type WalletModules, walletOf } from '../modules.js';

/** @see docs/protocol/wallet.md 3.2 */
export const abortRescan: Handler<WalletModules, AbortRescanRequest, AbortRescanResponse> = (modules, _request, call) => ({
  aborted: walletOf(modules, call).rescan.abort(),
});

/**
 * Refuses an operation if blocks were pruned. A node with pruning enabled that has all its blocks passes.
 * @param operation name of the operation in the error text
 * @throws {NodeError}
 */
export function requireAllBlocks(chain: Pick<WalletModules['chain'], 'isPruned' | 'lowestStored'>, operation: string): void {
  if (chain.isPruned && chain.lowestStored().height > 0) throw new NodeError('wallet', `${operation} is disabled when blocks are pruned`);
}

/** True if a block of the range was pruned. Pruned blocks are the lowest, so the search ends early. */
function hasPruned(chain: WalletModules['chain'], first: number, last: number): boolean {
  for (let height = first; height <= last; height++) if (chain.entryAt(height)?.isPruned) return true;
  return false;
}

/** @see docs/protocol/wallet.md 3.42 */
export const rescanBlockchain: Handler<WalletModules, RescanBlockchainRequest, RescanBlockchainResponse> = async (
  modules,
  request,
  call,
) => {
  const wallet = walletOf(modules, call);
  const { chain } = modules;
  const release = wallet.rescan.reserve();
  try {
    const start = request.startHeight ?? 0;
    const first = chain.entryAt(start);
    if (start < 0 || !first) throw invalidParameter('Invalid start_height');
    const { stopHeight } = request;
    const stop = stopHeight === undefined ? undefined : chain.entryAt(stopHeight);
    if (stopHeight !== undefined && (stopHeight < 0 || !stop)) throw invalidParameter('Invalid stop_height');
    if (stopHeight !== undefined && stopHeight < start) {
      throw invalidParameter('stop_height must be greater than start_height');
    }
    if (modules.chain.isPruned && hasPruned(modules.chain, start, stop?.height ?? chain.tip.height)) {
      throw new NodeError('misc', "Can't rescan beyond pruned data. Use RPC call getblockchaininfo to determine your pruned height.");
    }
    const { status, last } = await wallet.rescan.run(first, stop ? { stop } : {});
    wallet.commit();
    if (status === 'failure') throw new NodeError('misc', 'Rescan failed. Potentially corrupted data files.');
    if (status === 'aborted') throw new NodeError('misc', 'Rescan aborted.');
    return { startHeight: start, stopHeight: { form: last && { $case: 'height', value: last.height } } };
  } finally {
    release();
  }
};
