import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { RegtestBitcoin } from '../bitcoin/regtest-bitcoin.js';
import type { Chain } from '../chain/chain.js';
import type { Config } from '../config/config.js';
import { ecdsaBackend } from '../crypto/ecdsa.js';
import type { Gateway } from '../gateway/gateway.js';
import type { NodeHealth } from '../gateway/health.js';
import { observeAnswers } from '../metrics/answers.js';
import { createRegistry } from '../metrics/registry.js';
import { rpcMetrics } from '../metrics/rpc.js';
import { AnswerCache } from '../rpc/answer-cache.js';
import { observeCalls } from '../rpc/call-log.js';
import { CallStats } from '../rpc/call-stats.js';
import type { Catalogue } from '../rpc/catalogue.js';
import { Invoker } from '../rpc/invoke.js';
import { ImpersonatedOwners } from '../script/impersonation.js';
import type { EventsModules } from '../services/events/modules.js';
import type { SystemClock } from '../util/clock.js';
import type { LogCategories } from '../util/log-categories.js';
import type { Logger } from '../util/logger.js';
import type { ReportWork } from '../util/work-report.js';
import { programVersion } from '../version.js';
import { startAnchors } from './anchors.js';
import { startChain } from './chain.js';
import { discardUnfinishedWorld, startControl, startDevelopment } from './devnet.js';
import { executionOptions, startEthereum } from './ethereum.js';
import { noteMempool, notePeers, type StartedEvents, startEvents } from './events.js';
import { generations } from './generations.js';
import { Lifecycle } from './lifecycle.js';
import { startMempool } from './mempool.js';
import { type OperatorKeys, startMinting } from './minting.js';
import { stopAnnouncer } from './notify.js';
import { ownCalls } from './own-calls.js';
import { type StartedNetwork, startNetwork } from './p2p.js';
import type { StartParts } from './parts.js';
import { bindEvents, bindServices, eventsModules } from './services.js';
import { startSinks } from './sinks.js';
import { startValidation } from './snapshot-validation.js';
import type { StartedNode } from './started-node.js';
import { projectCatalogue, type Served, startTransports } from './transports.js';
import { startWallets } from './wallets.js';
import { startWarnings } from './warnings.js';
import { startZmq } from './zmq.js';

/** Clock and log of a node. */
export interface NodeDeps {
  readonly clock: SystemClock;
  readonly log: Logger;
  readonly logCategories: LogCategories;
}

/** Time in which streams send the event of the shutdown. */
const STOP_NOTICE_MS = 50;
/**
 * Time from the height of -stopatheight to the shutdown. `defid` looks for requests to stop five times a second, and clients that mint the
 * last block ask for its hash.
 */
const STOP_LATENCY_MS = 200;
/** Number of peers that the node needs to be ready, on networks that do not mint without peers. */
const NEEDED_PEERS = 1;

/**
 * The composition root: builds all modules in the order of the arrows, connects them, and stops them in reverse order. The transports
 * start first and reject calls with the status of the start-up until it is complete.
 */
export class Node {
  /** Resolves at the end of the shutdown; rejects if the node stopped because of an error. */
  readonly stopped: Promise<void>;
  readonly #parts: StartParts;
  readonly #logCategories: LogCategories;
  readonly #startedAt: number;
  readonly #catalogue: Catalogue;
  readonly #served: Served;
  #gateway: Gateway | undefined;
  #chain: Chain | undefined;
  #network: StartedNetwork | undefined;
  #events: StartedEvents | undefined;
  #resolveStopped: () => void = () => {};
  #rejectStopped: (error: Error) => void = () => {};

  static create(config: Config, deps: NodeDeps): Node {
    return new Node(config, deps);
  }

  private constructor(config: Config, { clock, log, logCategories }: NodeDeps) {
    this.stopped = new Promise((resolve, reject) => {
      this.#resolveStopped = resolve;
      this.#rejectStopped = reject;
    });
    const registry = createRegistry({ version: programVersion(), nativeEcdsa: ecdsaBackend === 'native' });
    const report: ReportWork = (work) => this.#events?.note({ kind: 'node', state: 'progress', work });
    this.#parts = { config, clock, log, registry, report, lifecycle: new Lifecycle(log, () => this.#announceStop()) };
    this.#logCategories = logCategories;
    this.#startedAt = clock.seconds();
    this.#catalogue = projectCatalogue(config.rpc.strict);
    const metrics = rpcMetrics(registry, () => [...invoker.active].length);
    const observer = observeCalls(metrics, log.child('rpc'));
    const invoker: Invoker = new Invoker({ catalogue: this.#catalogue, log: log.child('rpc'), observer });
    const callStats = config.rpc.keepsStats ? new CallStats(() => clock.now()) : undefined;
    const cache = config.rpc.cacheBytes > 0 ? new AnswerCache(config.rpc.cacheBytes, observer) : undefined;
    if (cache) observeAnswers(registry, cache);
    this.#served = { catalogue: this.#catalogue, invoker, metrics, cache, callStats, health: () => this.#health() };
  }

  /** @throws {Error} if the node cannot run: a port is in use, or data is locked, damaged or of a newer version */
  async start(): Promise<void> {
    const { lifecycle, log } = this.#parts;
    try {
      await this.#start();
    } catch (error) {
      // A shutdown request during start-up aborts it; not an error.
      if (!lifecycle.isStopping) throw error;
      log.debug('shutdown during start-up', { error: String(error) });
    }
  }

  async #start(): Promise<void> {
    const { invoker } = this.#served;
    const parts = this.#parts;
    invoker.setWarmup('RPC server started');
    this.#gateway = await startTransports(parts, this.#served);
    discardUnfinishedWorld(parts);
    const started = await startChain(parts, {
      setWarmup: (status) => invoker.setWarmup(status),
      opened: (chain) => {
        this.#chain = chain;
        this.#events = startEvents(parts, { chain });
        bindEvents(invoker, this.#eventsModules(chain, this.#events));
      },
      requestStop: () => void setTimeout(STOP_LATENCY_MS, undefined, { ref: false }).then(() => this.stop()),
    });
    const events = this.#events;
    if (!events) throw new Error('the chain was not opened');
    const warnings = startWarnings(parts, { ...started, ...events });
    const pool = await startMempool(parts, started);
    noteMempool(events, pool.mempool.pool);
    const zmq = await startZmq(parts, { ...started, ...pool });
    invoker.setWarmup('Starting network threads...');
    const bitcoin = started.chain.params.isRegtest && parts.config.bitcoin.follow ? new RegtestBitcoin(parts.clock) : undefined;
    // The wallets are loaded later; until then no masternode is known to be ours.
    let ownKeys: OperatorKeys = () => undefined;
    const anchors = startAnchors(parts, { ...started, bitcoin, key: (operator) => ownKeys(operator) });
    const network = await startNetwork(parts, { ...started, ...pool, anchors, warnings });
    this.#network = network;
    notePeers(events, network.peers);
    const impersonated = started.chain.params.allowsImpersonation ? new ImpersonatedOwners() : undefined;
    const needs = { ...started, ...pool, note: events.note, relay: network.sync, impersonated };
    const { wallets } = await startWallets(parts, invoker, needs);
    parts.lifecycle.onStop('pending blocks', () => network.sync.drain());
    ownKeys = (operator) => wallets?.privateKey(operator);
    const minting = startMinting(parts, { ...started, ...pool, walletKeys: ownKeys, anchors, peers: network.peers });
    const devNetwork = startControl(parts, { ...started, ...pool, ...minting, wallets, impersonated }, invoker);
    const node = {
      ...started,
      ...events,
      ...pool,
      ...zmq,
      ...minting,
      network,
      bitcoin,
      anchors,
      wallets,
      warnings,
      devNetwork,
      execution: executionOptions(parts),
    };
    this.#bind(node);
    await startDevelopment(parts, node, invoker, ownCalls(this.#served, parts.lifecycle.interrupt));
    await startEthereum(parts, node, this.#served.metrics);
    // Loaded on demand, because most nodes do not serve light wallets.
    if (parts.config.ocean.server) await (await import('./ocean.js')).startOcean(parts, node, this.#served);
    this.#served.cache?.start(generations({ ...started, ...pool, ...minting, network, wallets, warnings }, parts.clock));
    invoker.setWarmup(undefined);
    events.note({ kind: 'node', state: 'ready' });
    startValidation(parts, { ...started, ...events }, { fail: (error) => void this.stop(error) });
    startSinks(parts, { modules: this.#eventsModules(started.chain, events), store: started.store, catalogue: this.#catalogue });
    // From now on the space of young objects grows with the load; src/launch.ts had limited it.
    void Promise.resolve(wallets?.filling).then(() => setFlagsFromString('--semi-space-growth-factor=2'));
    parts.log.info('ready', { height: started.chain.tip.height, ecdsa: ecdsaBackend });
  }

  #eventsModules(chain: Chain, events: StartedEvents): EventsModules {
    return eventsModules({ chain, ...events }, { config: this.#parts.config, catalogue: this.#catalogue });
  }

  #bind(started: StartedNode): void {
    const { config, clock, lifecycle, log, registry, report } = this.#parts;
    bindServices(this.#served.invoker, started, {
      config,
      clock,
      catalogue: this.#catalogue,
      callStats: this.#served.callStats,
      log,
      logCategories: this.#logCategories,
      registry,
      report,
      process: {
        startedAt: this.#startedAt,
        logPath: config.paths.logFile ?? '',
        stopping: lifecycle.interrupt,
        announceStop: () => this.#gateway?.drain(),
        requestStop: () => void this.stop(),
      },
    });
  }

  /**
   * Stops all modules in reverse order of their start; a second call waits for the first.
   * @param error reason for which the node cannot run any longer: `stopped` then rejects with it
   */
  async stop(error?: Error): Promise<void> {
    await this.#parts.lifecycle.stop();
    if (error) this.#rejectStopped(error);
    this.#resolveStopped();
  }

  /** Runs the commands of -shutdownnotify, and lets streams send the event. */
  async #announceStop(): Promise<void> {
    const { config, log } = this.#parts;
    this.#events?.note({ kind: 'node', state: 'stopping' });
    await stopAnnouncer(config, log)?.();
    if (this.#events?.passing.hasListeners) await setTimeout(STOP_NOTICE_MS);
  }

  #health(): NodeHealth {
    const chain = this.#chain;
    return {
      warmup: this.#served.invoker.warmup,
      synced: chain !== undefined && chain.tip.height >= this.#networkHeight(chain),
      p2p: this.#network !== undefined,
      activePeers: this.#network?.peers.ready().length ?? 0,
      neededPeers: chain?.params.mintWithoutPeers === false ? NEEDED_PEERS : 0,
      diskFull: chain?.fault?.kind === 'disk-full',
      halted: chain?.fault?.kind === 'disk-full' ? undefined : chain?.fault?.message,
      damage: chain?.damage,
      stopping: this.#parts.lifecycle.isStopping,
    };
  }

  /**
   * Height of a synced chain: that of the best header in initial block download; afterwards headers of a single peer without their blocks
   * do not count.
   */
  #networkHeight(chain: Chain): number {
    if (!this.#network || chain.isInitialDownload()) return chain.bestHeader.height;
    return this.#network.sync.sharedHeight;
  }
}
