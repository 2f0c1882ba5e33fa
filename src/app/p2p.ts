import type { Anchors } from '../anchors/anchors.js';
import type { Chain } from '../chain/chain.js';
import type { Warnings } from '../chain/warnings.js';
import type { Mempool } from '../mempool/mempool.js';
import { observePeers } from '../metrics/peers.js';
import { observeSync } from '../metrics/sync.js';
import { numericResolve, systemResolve } from '../p2p/addresses/dns.js';
import { localServices } from '../p2p/addresses/services.js';
import { resolveProxies, resolveTorControl } from '../p2p/dial/proxies.js';
import type { Peer } from '../p2p/net/peer.js';
import { Peers } from '../p2p/net/peers.js';
import type { PeerProgress } from '../p2p/sync/peer-progress.js';
import { Sync } from '../p2p/sync.js';
import { knowsWitness } from '../params/network.js';
import { PACKAGE_NAME } from '../version.js';
import type { StartParts } from './parts.js';
import { progressTerminal } from './terminal.js';

const WRONG_CLOCK = `Please check that your computer's date and time are correct! If your clock is wrong, ${PACKAGE_NAME} will not work properly.`;

/** Peer modules of a running node. */
export interface StartedNetwork {
  readonly peers: Peers;
  readonly sync: Sync;
  peerProgress(peer: Peer): PeerProgress | undefined;
}

/** Modules that the exchange with peers uses. */
interface NetworkNeeds {
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly anchors: Anchors;
  readonly warnings: Warnings;
}

/** Starts the connections to peers and the synchronisation with them. */
export async function startNetwork(parts: StartParts, { chain, mempool, anchors, warnings }: NetworkNeeds): Promise<StartedNetwork> {
  const { config, clock, lifecycle } = parts;
  const { p2p, paths } = config;
  const log = parts.log.child('p2p');
  const abilities = { bloomFilters: p2p.bloomFilters, witness: knowsWitness(chain.params) };
  const resolve = p2p.dns ? systemResolve : numericResolve;
  const proxies = await resolveProxies(p2p, resolve);
  const onionService = p2p.onionService && { ...p2p.onionService, control: await resolveTorControl(p2p.onionService.control, resolve) };
  const peers = new Peers(
    {
      ...p2p,
      ...proxies,
      onionService,
      // Services change once the blocks below a snapshot are stored. Peers that connect later receive the new ones.
      get services() {
        return localServices({ pruned: chain.isPruned, ...abilities });
      },
      directory: paths.networkDir,
    },
    { params: chain.params, chain, clock, log, onWrongClock: () => warnings.warn(WRONG_CLOCK) },
  );
  const terminal = progressTerminal(config);
  const syncOptions = {
    ...p2p,
    get pruned() {
      return chain.isPruned;
    },
  };
  const sync = new Sync(syncOptions, { chain, mempool, anchors, peers, clock, log, terminal });
  sync.start();
  lifecycle.onStop('sync', () => sync.stop());
  const ports = await peers.start();
  lifecycle.onStop('peers', () => peers.stop());
  if (ports.length > 0) log.info('listening for peers', { ports });
  observePeers(parts.registry, peers);
  observeSync(parts.registry, sync);
  return { peers, sync, peerProgress: (peer) => sync.progressOf(peer) };
}
