import type { Registry } from 'prom-client';
import type { Config } from '../config/config.js';
import { KnownRewards } from '../dfi/rewards/known-rewards.js';
import { observeKnownRewards } from '../metrics/known-rewards.js';
import { mayCall } from '../rpc/access.js';
import type { CallStats } from '../rpc/call-stats.js';
import type { Catalogue } from '../rpc/catalogue.js';
import type { Invoker } from '../rpc/invoke.js';
import { accountsHandlers } from '../services/accounts/index.js';
import { anchorsHandlers } from '../services/anchors/index.js';
import { bitcoinHandlers } from '../services/bitcoin/index.js';
import { bitcoinModules } from '../services/bitcoin/modules.js';
import { blockchainHandlers } from '../services/blockchain/index.js';
import { devHandlers } from '../services/dev/index.js';
import { eventsHandlers } from '../services/events/index.js';
import type { EventsModules } from '../services/events/modules.js';
import { evmHandlers } from '../services/evm/index.js';
import { icxHandlers } from '../services/icx/index.js';
import { loansHandlers } from '../services/loans/index.js';
import { miningHandlers } from '../services/mining/index.js';
import { nodeHandlers } from '../services/node/index.js';
import type { ProcessControl } from '../services/node/modules.js';
import { oraclesHandlers } from '../services/oracles/index.js';
import { poolsHandlers } from '../services/pools/index.js';
import { proposalsHandlers } from '../services/proposals/index.js';
import { rawtransactionsHandlers } from '../services/rawtransactions/index.js';
import { snapshotHandlers } from '../services/snapshot/index.js';
import { vaultsHandlers } from '../services/vaults/index.js';
import { walletHandlers } from '../services/wallet/index.js';
import { rawWalletHandlers } from '../services/wallet/spend/fund-raw.js';
import type { SystemClock } from '../util/clock.js';
import type { LogCategories } from '../util/log-categories.js';
import type { Logger } from '../util/logger.js';
import type { ReportWork } from '../util/work-report.js';
import { snapshotExports } from './snapshot.js';
import type { StartedNode } from './started-node.js';

/** Facts and modules that services use besides those of the running node. */
export interface ServiceNeeds {
  readonly config: Config;
  readonly clock: SystemClock;
  readonly catalogue: Catalogue;
  /** Undefined if no statistics are collected. */
  readonly callStats: CallStats | undefined;
  readonly log: Logger;
  readonly logCategories: LogCategories;
  readonly registry: Registry;
  readonly process: ProcessControl;
  readonly report: ReportWork;
}

/** Binds the handlers of every service to the modules that they use. */
export function bindServices(invoker: Invoker, started: StartedNode, needs: ServiceNeeds): void {
  const { config, clock, catalogue, callStats, log, logCategories, process, report } = needs;
  const { chain, mempool, network, wallets } = started;
  const { peers, sync, peerProgress } = network;
  const showsWitness = config.rpc.serialVersion > 0;
  const knownRewards = new KnownRewards();
  observeKnownRewards(needs.registry, knownRewards);
  invoker.bind('dfi.accounts.v1.AccountsService', accountsHandlers, {
    chain,
    knownRewards,
    wallets,
    keepsHistory: started.keepsHistory,
    singleKeyTransfers: config.rpc.singleKeyTransfers,
    ownAccountsOnly: config.rpc.ownAccountsOnly,
  });
  invoker.bind('dfi.blockchain.v1.BlockchainService', blockchainHandlers, {
    ...started,
    verification: { level: config.chain.checkLevel, blocks: config.chain.checkBlocks },
    showsWitness,
    deprecated: config.rpc.deprecated,
    report,
  });
  invoker.bind('dfi.oracles.v1.OraclesService', oraclesHandlers, { chain, clock, wallets });
  invoker.bind('dfi.rawtransactions.v1.RawtransactionsService', rawtransactionsHandlers, {
    ...started,
    relay: sync,
    showsWitness,
  });
  invoker.bind('dfi.mining.v1.MiningService', miningHandlers, { ...started, clock, catalogue, peers, stopping: process.stopping });
  if (wallets) {
    const modules = { chain, mempool, clock, wallets, showsWitness, deprecated: config.rpc.deprecated };
    invoker.bind('dfi.wallet.v1.WalletService', walletHandlers, modules);
    invoker.bind('dfi.rawtransactions.v1.RawtransactionsService', rawWalletHandlers, modules);
  }
  invoker.bind('dfi.node.v1.NodeService', nodeHandlers, {
    ...started,
    chain,
    clock,
    mempool,
    peers,
    peerProgress,
    ordersByFee: config.minting.ordering === 1,
    evmDumps: { enabled: config.ethereum.debug, maxBytes: config.ethereum.maxResponseBytes },
    catalogue,
    callStats,
    calls: invoker,
    log: log.child('rpc'),
    logCategories,
    process,
  });
  invoker.bind('dfi.node.v1.PoolsService', poolsHandlers, { chain, wallets });
  invoker.bind('dfi.node.v1.LoansService', loansHandlers, { chain, wallets });
  invoker.bind('dfi.node.v1.VaultsService', vaultsHandlers, {
    chain,
    wallets,
    keepsHistory: started.keepsHistory,
    keepsVaultHistory: started.keepsVaultHistory,
  });
  invoker.bind('dfi.node.v1.ProposalsService', proposalsHandlers, {
    chain,
    wallets,
    acceptsNeutralVotes: config.rpc.acceptsNeutralVotes,
    stopping: process.stopping,
  });
  invoker.bind('dfi.node.v1.IcxService', icxHandlers, { chain, wallets });
  invoker.bind('dfi.node.v1.AnchorsService', anchorsHandlers, started);
  invoker.bind('dfi.node.v1.BitcoinService', bitcoinHandlers, bitcoinModules(started.bitcoin, wallets, clock));
  invoker.bind('dfi.evm.v1.EvmService', evmHandlers, started);
  invoker.bind('dfi.dev.v1.DevService', devHandlers, started);
  invoker.bind('dfi.node.v1.SnapshotService', snapshotHandlers, { exports: snapshotExports(started, needs) });
}

/** Binds the stream of events, which is open during the start-up too: it has the progress of long work. */
export function bindEvents(invoker: Invoker, modules: EventsModules): void {
  invoker.bind('dfi.events.v1.EventsService', eventsHandlers, modules);
  invoker.exemptFromWarmup('dfi.events.v1.EventsService');
}

/** Modules of the stream of events. */
export function eventsModules(
  { chain, passing, log, streams }: Pick<StartedNode, 'chain' | 'passing' | 'log' | 'streams'>,
  { config, catalogue }: Pick<ServiceNeeds, 'config' | 'catalogue'>,
): EventsModules {
  const keepsEvents = config.chain.eventRetention > 0;
  const mayCallNamed: EventsModules['mayCall'] = (name, caller) => {
    const operation = catalogue.byName(name);
    return operation !== undefined && mayCall(operation, caller);
  };
  return { chain, passing, log, streams, keepsEvents, mayCall: mayCallNamed };
}
