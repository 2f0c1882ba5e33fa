import type { Listener } from '../config/config.js';
import type { ExecutionOptions } from '../ethereum/calls/execution.js';
import { Filters } from '../ethereum/filters.js';
import { ETHEREUM_METHODS } from '../ethereum/methods.js';
import type { EthereumModules } from '../ethereum/modules.js';
import { EthereumRpc } from '../ethereum/service.js';
import { SyncStatus } from '../ethereum/sync-status.js';
import { LongWorkThread } from '../evm/long-work.js';
import { EthereumServer } from '../gateway/ethereum/ethereum-server.js';
import type { EthereumServerOptions } from '../gateway/ethereum/options.js';
import { images } from '../images.js';
import type { RpcMetrics } from '../metrics/rpc.js';
import { programVersion } from '../version.js';
import { listenerOptions, startListener } from './listeners.js';
import type { StartParts } from './parts.js';
import type { StartedNode } from './started-node.js';

/** Starts the servers for Ethereum's JSON-RPC. They start last, so that no call meets a node in warm-up. */
export async function startEthereum(parts: StartParts, started: StartedNode, metrics: RpcMetrics): Promise<void> {
  const { ethereum, rpc } = parts.config;
  if (!rpc.enabled) return;
  const log = parts.log.child('ethereum');
  const { maxResponseBytes } = ethereum;
  const service = new EthereumRpc({
    modules: modulesOf(parts, started),
    methods: ETHEREUM_METHODS,
    maxSubscriptions: ethereum.maxConnections,
    maxResultBytes: maxResponseBytes,
    metrics,
    log,
  });
  const start = async (name: string, names: OptionNames, listener: Listener | undefined): Promise<void> => {
    if (!listener) return;
    const server = new EthereumServer({ ...serverOptions(parts, listener), ...names }, { service, rejected: metrics.rejected, log });
    await startListener(parts, log, name, server, listener);
  };
  await start('Ethereum JSON-RPC server', { bindOption: '-ethrpcbind', portOption: '-ethrpcport' }, ethereum.http);
  await start('Ethereum WebSocket server', { bindOption: '-wsbind', portOption: '-wsport' }, ethereum.webSocket);
}

function modulesOf(parts: StartParts, { chain, devNetwork, execution, mempool, network, staker, wallets }: StartedNode): EthereumModules {
  return {
    chain,
    mempool,
    wallets,
    devNetwork,
    relay: network.sync,
    version: programVersion(),
    peers: network.peers,
    minting: { isMinting: () => staker?.running === true },
    filters: new Filters(),
    sync: new SyncStatus(chain),
    isStrict: parts.config.rpc.strict,
    execution,
  };
}

/** Settings of calls and traces, with the thread for long computations. */
export function executionOptions({ config: { ethereum }, lifecycle }: StartParts): ExecutionOptions {
  const thread = new LongWorkThread(images.longWorkWorker);
  lifecycle.onStop('long computations', () => thread.stop());
  const { debug, debugTrace } = ethereum;
  return { ...ethereum, offload: thread.offload, isDebug: debug, isTracing: debugTrace };
}

type OptionNames = Pick<EthereumServerOptions, 'bindOption' | 'portOption'>;

function serverOptions({ config }: StartParts, listener: Listener): Omit<EthereumServerOptions, keyof OptionNames> {
  const { allowHosts, corsOrigin } = config.rpc;
  const { maxConnections, maxResponseBytes } = config.ethereum;
  const connections = { total: maxConnections, perAddress: maxConnections };
  return { ...listenerOptions(config, listener), allowHosts, corsOrigin, connections, maxResponseBytes };
}
