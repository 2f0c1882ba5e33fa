import { DevNetwork } from '../../../src/devnet/dev-network.js';
import type { Mempool } from '../../../src/mempool/mempool.js';
import type { Invoker } from '../../../src/rpc/invoke.js';
import type { ImpersonatedOwners } from '../../../src/script/impersonation.js';
import { devHandlers } from '../../../src/services/dev/index.js';
import { silentLogger } from '../../../src/util/logger.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

/** A node with a wallet and control of its time and state. */
export interface DevNode extends FounderNode {
  readonly devNetwork: DevNetwork;
  readonly mempool: Mempool;
}

/** @param impersonated for a network that allows it */
export async function startDevNode(heights?: Parameters<typeof startFounderNode>[0], impersonated?: ImpersonatedOwners): Promise<DevNode> {
  const node = await startFounderNode(heights, [], impersonated ? { impersonated } : {});
  const { chain, clock, wallets, minter: devMinter } = node;
  const mempool = node.modules.mempool as Mempool;
  const devNetwork = new DevNetwork({
    ...{ chain, clock, wallets, impersonated, devMinter, mempool, log: silentLogger },
    stopping: node.stopping.signal,
  });
  (node.modules.calls as Invoker).bind('dfi.dev.v1.DevService', devHandlers, { chain, devNetwork });
  return { ...node, devNetwork, mempool };
}
