import type { PeersOptions } from '../../../src/p2p/net/options.js';
import type { SyncOptions } from '../../../src/p2p/sync-parts.js';

/** A node that neither listens nor looks up names; otherwise the defaults of the daemon. */
export const defaultPeersOptions: PeersOptions = {
  port: 0,
  listen: false,
  bind: [],
  whiteBind: [],
  connect: [],
  addNodes: [],
  seedNodes: [],
  dns: false,
  dnsSeed: false,
  forceDnsSeed: false,
  discover: false,
  externalIps: [],
  advertiseLoopback: false,
  onlyNets: [],
  proxy: undefined,
  onionProxy: undefined,
  onionService: undefined,
  maxConnections: 125,
  whitelist: [],
  whitelistRelay: true,
  whitelistForceRelay: false,
  connectTimeoutMs: 5000,
  peerTimeoutSec: 60,
  banScore: 100,
  banTimeSec: 86_400,
  maxReceiveBytes: 5_000_000,
  maxSendBytes: 1_000_000,
  maxUploadBytes: 0,
  maxTimeAdjustmentSec: 4200,
  addressRate: undefined,
  addressBurst: undefined,
  userAgentComments: [],
  logsAddresses: false,
  blocksOnly: false,
  sendsRejects: false,
  services: 0x409n,
  directory: undefined,
};

/** Defaults of the daemon, as far as tests need them. */
export const defaultSyncOptions: SyncOptions = {
  pruned: false,
  blocksOnly: false,
  feeFilter: true,
  bloomFilters: false,
  maxOrphans: 100,
  extraTransactions: 100,
};
