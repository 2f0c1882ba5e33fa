import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BlockFiles } from './chain/block-files.js';
import { Chain } from './chain/chain.js';
import { chainColumns } from './chain/database.js';
import type { Config, GrpcConfig, MetricsConfig } from './config/config.js';
import { removeCookie, writeCookie } from './config/cookie.js';
import { DirectoryLock } from './config/lock.js';
import { VerifiedScripts } from './consensus/script-cache.js';
import { SignatureCache } from './consensus/signature-cache.js';
import { ecdsaBackend, publicKeyOf } from './crypto/ecdsa.js';
import { hash160 } from './crypto/hash.js';
import { type PrivateKey, parseWif } from './crypto/keys.js';
import { threadsOf, VerifyPool } from './crypto/verify-pool.js';
import { dfiColumns } from './dfi/state/columns.js';
import { Gateway } from './gateway/gateway.js';
import { type NodeHealth, readyz } from './gateway/health.js';
import { MetricsPort } from './gateway/metrics-port.js';
import { BlockFilterIndex } from './indexes/block-filters.js';
import { indexColumns } from './indexes/index.js';
import { TransactionIndex } from './indexes/transactions.js';
import { replacedFile } from './mempool/dump-file.js';
import { DvmGate } from './mempool/dvm-gate.js';
import { MempoolKeeper } from './mempool/keeper.js';
import { Mempool } from './mempool/mempool.js';
import { mempoolOptions } from './mempool/options.js';
import type { ScriptMemory } from './mempool/script-check.js';
import { observeChain } from './metrics/chain.js';
import { observeMempool } from './metrics/mempool.js';
import { createRegistry, type Registry } from './metrics/registry.js';
import { type RpcMetrics, rpcMetrics } from './metrics/rpc.js';
import { Minter } from './minting/minter.js';
import { networkParams } from './params/index.js';
import type { NetworkParams } from './params/network.js';
import type { Hash160 } from './primitives/hash.js';
import type { Catalogue } from './rpc/catalogue.js';
import { Credentials } from './rpc/credentials.js';
import { GrpcServer } from './rpc/grpc.js';
import { Invoker } from './rpc/invoke.js';
import { decodeDestination } from './script/address.js';
import { blockchainHandlers } from './services/blockchain/index.js';
import { miningHandlers } from './services/mining/index.js';
import { nodeHandlers } from './services/node/index.js';
import { rawtransactionsHandlers } from './services/rawtransactions/index.js';
import { admitWalletCall, walletHandlers } from './services/wallet/index.js';
import { StoreDamaged } from './storage/errors.js';
import { RocksStore } from './storage/rocks.js';
import { gatewayOptions, projectCatalogue } from './transports.js';
import { toHex } from './util/bytes.js';
import type { SystemClock } from './util/clock.js';
import type { LogCategories } from './util/log-categories.js';
import type { Logger } from './util/logger.js';
import { programVersion } from './version.js';
import type { Wallets } from './wallet/manager.js';
import { startWallets } from './wallet/start.js';

export interface NodeDeps {
  readonly clock: SystemClock;
  readonly log: Logger;
  readonly logCategories: LogCategories;
}

type Stop = () => void | Promise<void>;

interface Part {
  readonly name: string;
  readonly stop: Stop;
}

/**
 * The composition root: builds every module in the order of the arrows, hands each what it needs, and stops them in reverse. The
 * transports are up first and say what the node is busy with until it can answer.
 */
export class Node {
  readonly stopped: Promise<void>;
  readonly #config: Config;
  readonly #clock: SystemClock;
  readonly #log: Logger;
  readonly #logCategories: LogCategories;
  readonly #startedAt: number;
  readonly #registry: Registry;
  readonly #rpcMetrics: RpcMetrics;
  readonly #catalogue: Catalogue;
  readonly #invoker: Invoker;
  readonly #interrupt = new AbortController();
  /** What was started, in that order. */
  readonly #started: Part[] = [];
  /** What calls come in by: it stops before anything that a call may use. */
  readonly #transports: Part[] = [];
  #gateway: Gateway | undefined;
  #chain: Chain | undefined;
  #wallets: Wallets | undefined;
  #stopping: Promise<void> | undefined;
  #settle: () => void = () => {};

  static create(config: Config, deps: NodeDeps): Node {
    return new Node(config, deps);
  }

  private constructor(config: Config, { clock, log, logCategories }: NodeDeps) {
    this.stopped = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#config = config;
    this.#clock = clock;
    this.#log = log;
    this.#logCategories = logCategories;
    this.#startedAt = clock.seconds();
    this.#registry = createRegistry({ version: programVersion(), nativeEcdsa: ecdsaBackend === 'native' });
    this.#catalogue = projectCatalogue();
    this.#rpcMetrics = rpcMetrics(this.#registry, () => [...this.#invoker.active].length);
    this.#invoker = new Invoker({ catalogue: this.#catalogue, log: log.child('rpc'), metrics: this.#rpcMetrics });
  }

  /** @throws what keeps the node from running: a port that is taken, data that is locked, damaged or of a newer version */
  async start(): Promise<void> {
    try {
      await this.#startParts();
    } catch (error) {
      // Who stops early leaves something that cannot be gone on with; that is no failure.
      if (this.#stopping === undefined) throw error;
      this.#log.debug('stopped before it was ready', { error: String(error) });
    }
  }

  async #startParts(): Promise<void> {
    this.#invoker.setWarmup('RPC server started');
    const credentials = this.#startCredentials();
    if (this.#config.metrics) await this.#startMetricsPort(this.#config.metrics);
    if (this.#config.rpc.enabled) await this.#startGateway(credentials);
    if (this.#config.grpc) await this.#startGrpc(this.#config.grpc, credentials);
    this.#invoker.setWarmup('Loading block index...');
    const store = await this.#openStore();
    const memory = this.#scriptMemory();
    const chain = await this.#startChain(store, memory);
    const indexes = this.#startIndexes(store, chain);
    const pool = this.#startMempool(chain, memory);
    const wallets = await this.#startWallets(chain, pool.mempool);
    const minter = this.#startMinter(chain, wallets);
    this.#bindServices({ chain, minter, wallets, ...indexes, ...pool });
    this.#invoker.setWarmup(undefined);
    this.#log.info('ready', { height: chain.tip.height, ecdsa: ecdsaBackend });
  }

  /** Stops what was started, in reverse; a second call waits for the first. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    this.#interrupt.abort();
    await Promise.all(this.#transports.splice(0).map((part) => part.stop()));
    for (let part = this.#started.pop(); part; part = this.#started.pop()) {
      this.#log.debug('stopping', { part: part.name });
      await part.stop();
    }
    this.#settle();
  }

  #onStop(name: string, stop: Stop): void {
    this.#started.push({ name, stop });
  }

  #startCredentials(): Credentials {
    const { rpc, paths } = this.#config;
    const cookie = rpc.password === '' ? writeCookie(paths.cookieFile) : undefined;
    if (cookie) this.#onStop('cookie', () => removeCookie(paths.cookieFile));
    return new Credentials({ rpcUser: rpc.user, rpcPassword: rpc.password, rpcAuth: rpc.auth, cookie });
  }

  async #startGateway(credentials: Credentials): Promise<void> {
    const gateway = new Gateway(gatewayOptions(this.#config.rpc), {
      catalogue: this.#catalogue,
      invoker: this.#invoker,
      credentials,
      log: this.#log.child('gateway'),
      health: () => this.#health(),
    });
    const endpoints = await gateway.start();
    this.#transports.push({ name: 'gateway', stop: () => gateway.stop() });
    this.#log.info('JSON-RPC and REST', { endpoints });
  }

  async #startMetricsPort({ port, bind, allowIp, optional }: MetricsConfig): Promise<void> {
    const log = this.#log.child('metrics');
    const metricsPort = new MetricsPort({ port, bind, allowIp }, { registry: this.#registry, health: () => this.#health(), log });
    try {
      const endpoints = await metricsPort.start();
      this.#onStop('metrics', () => metricsPort.stop());
      log.info('metrics and probes', { endpoints });
    } catch (error) {
      if (!optional) throw error;
      log.warn('metrics port is taken, running without', { port });
    }
  }

  async #startGrpc(config: GrpcConfig, credentials: Credentials): Promise<void> {
    const log = this.#log.child('grpc');
    const isServing = () => readyz(this.#health()).ok;
    const parts = { catalogue: this.#catalogue, invoker: this.#invoker, credentials, isServing, log, metrics: this.#rpcMetrics };
    const server = new GrpcServer(config, parts);
    try {
      await server.start();
      this.#transports.push({ name: 'gRPC', stop: () => server.stop() });
    } catch (error) {
      if (!config.optional) throw error;
      log.warn('gRPC port is taken, running without', { port: config.port });
    }
  }

  #health(): NodeHealth {
    const chain = this.#chain;
    return {
      warmup: this.#invoker.warmup,
      synced: chain !== undefined && chain.tip.height >= chain.bestHeader.height,
      p2p: false,
      activePeers: 0,
      neededPeers: 0,
      diskFull: chain?.trouble?.kind === 'disk-full',
      stopping: this.#stopping !== undefined,
    };
  }

  async #openStore(): Promise<RocksStore> {
    const { paths, chain } = this.#config;
    const directory = join(paths.networkDir, 'chainstate');
    if (this.#rebuilds) dropDirectory(directory);
    const store = await RocksStore.open(directory, [...chainColumns, ...dfiColumns, ...indexColumns], { cacheBytes: chain.cacheBytes });
    this.#onStop('store', () => store.close());
    return store;
  }

  /** Half for signatures, half for whole transactions. */
  #scriptMemory(): ScriptMemory {
    const bytes = this.#config.mempool.signatureCacheBytes / 2;
    return { signatures: new SignatureCache(bytes), scripts: new VerifiedScripts(bytes) };
  }

  async #startChain(store: RocksStore, memory: ScriptMemory): Promise<Chain> {
    const { paths, network } = this.#config;
    const params = networkParams(network);
    const { pruneTargetBytes, reindexChainState, stopAtHeight, checkLevel, checkBlocks } = this.#config.chain;
    const prune = pruneTargetBytes === undefined ? undefined : { targetBytes: pruneTargetBytes };
    const blocks = new BlockFiles(paths.blocksDir, { magic: params.p2pMagic, pruned: true });
    this.#onStop('blocks', () => blocks.close());
    if (prune && reindexChainState) {
      throw new Error('Prune mode is incompatible with -reindex-chainstate. Use full -reindex instead.');
    }
    if (this.#rebuilds && (prune || blocks.files()[0]?.file !== 0)) blocks.removeBehindGap();
    const log = this.#log.child('chain');
    const pool = new VerifyPool(threadsOf(this.#config.chain.scriptThreads), {
      program: new URL('./verify-worker.js', import.meta.url),
      onError: (error) => log.warn('a verifying thread could not start', { error: error.message }),
    });
    this.#onStop('verifying threads', () => pool.stop());
    const chain = new Chain(
      { params, prune, stopAtHeight, accountHistory: this.#config.chain.accountIndex },
      { store, blocks, clock: this.#clock, log, scripts: { batch: pool, cache: memory.scripts } },
    );
    this.#onStop('chain', () => chain.close());
    this.#chain = chain;
    if (stopAtHeight > 0) {
      chain.on('tip', ({ height }) => {
        if (height >= stopAtHeight) void this.stop();
      });
    }
    chain.on('trouble', (trouble) => {
      if (trouble?.kind === 'disk-full') setTimeout(retry, RETRY_MS).unref();
    });
    const retry = () => {
      if (this.#stopping === undefined && !chain.retry()) setTimeout(retry, RETRY_MS).unref();
    };
    const rebuilding = chain.isRebuilding;
    if (rebuilding) {
      pool.start();
      this.#invoker.setWarmup('Reindexing blocks...');
    }
    const recovered = await chain.recover(this.#interrupt.signal);
    this.#interrupt.signal.throwIfAborted();
    if (recovered > 0) log.info('took in stored blocks', { blocks: recovered, height: chain.tip.height });
    pool.start();
    if (!rebuilding && chain.tip.height > 0) {
      this.#invoker.setWarmup('Verifying blocks...');
      const sound = await chain.verify(checkLevel, checkBlocks, this.#interrupt.signal);
      if (!sound) throw new StoreDamaged('Corrupted block database detected');
    }
    observeChain(this.#registry, chain);
    return chain;
  }

  /** The database is made anew out of the stored blocks. */
  get #rebuilds(): boolean {
    const { reindex, reindexChainState } = this.#config.chain;
    return reindex || reindexChainState;
  }

  #startIndexes(store: RocksStore, chain: Chain): Indexes {
    const deps = { store, chain, log: this.#log.child('indexes') };
    const txIndex = this.#config.chain.txIndex ? new TransactionIndex(deps) : undefined;
    const filterIndex = this.#config.chain.blockFilterIndex ? new BlockFilterIndex(deps) : undefined;
    for (const [name, index] of Object.entries({ txIndex, filterIndex })) {
      index?.start();
      this.#onStop(name, () => index?.stop());
    }
    return { txIndex, filterIndex };
  }

  #startMempool(chain: Chain, memory: ScriptMemory): WaitingTransactions {
    const { mempool: settings, paths } = this.#config;
    const deps = { chain, clock: this.#clock, log: this.#log.child('mempool') };
    const mempool = new Mempool(mempoolOptions(settings), { ...deps, memory, gate: new DvmGate(chain) });
    mempool.start();
    this.#onStop('mempool', () => mempool.stop());
    const file = replacedFile(join(paths.networkDir, 'mempool.dat'));
    const keeping = { persist: settings.persist, expirySec: settings.expirySec, format: chain.params.txFormat };
    const mempoolKeeper = new MempoolKeeper(keeping, { ...deps, mempool, file });
    void mempoolKeeper.start();
    this.#onStop('mempool file', () => mempoolKeeper.stop());
    observeMempool(this.#registry, mempool);
    return { mempool, mempoolKeeper };
  }

  /** Undefined where they are switched off. */
  async #startWallets(chain: Chain, mempool: Mempool): Promise<Wallets | undefined> {
    const { wallet: settings, paths } = this.#config;
    this.#invoker.setAdmission((op, call) => admitWalletCall(op, call, this.#wallets));
    if (!settings.enabled) return undefined;
    this.#invoker.setWarmup('Loading wallet...');
    const { networkDir } = paths;
    const lockDirectory = (directory: string) => lockBeside(networkDir, directory);
    const deps = { chain, mempool, clock: this.#clock, log: this.#log.child('wallet'), lockDirectory, networkDir };
    return startWallets(settings, deps, (wallets) => {
      this.#wallets = wallets;
      this.#onStop('wallets', () => wallets.stop());
    });
  }

  #startMinter(chain: Chain, wallets: Wallets | undefined): Minter {
    const { params } = chain;
    const published = publishedKeys(params);
    const keys = (operator: Hash160) => wallets?.privateKey(operator) ?? published(operator);
    const operators = this.#config.minting.operators.map((address) => requireKeyId(address, params));
    const minter = new Minter({ operators }, { chain, clock: this.#clock, keys, log: this.#log.child('minting') });
    this.#onStop('minter', () => minter.stop());
    return minter;
  }

  #bindServices({ chain, minter, wallets, txIndex, filterIndex, mempool, mempoolKeeper }: Served): void {
    const clock = this.#clock;
    const { checkLevel, checkBlocks } = this.#config.chain;
    const showsWitness = this.#config.rpc.serialVersion > 0;
    const verification = { level: checkLevel, blocks: checkBlocks };
    this.#invoker.bind('dfi.blockchain.v1.BlockchainService', blockchainHandlers, {
      chain,
      txIndex,
      filterIndex,
      verification,
      showsWitness,
      mempool,
      mempoolKeeper,
      deprecated: this.#config.rpc.deprecated,
    });
    this.#invoker.bind('dfi.rawtransactions.v1.RawtransactionsService', rawtransactionsHandlers, {
      chain,
      txIndex,
      showsWitness,
      mempool,
    });
    this.#invoker.bind('dfi.mining.v1.MiningService', miningHandlers, { chain, clock, minter, mempool });
    if (wallets) this.#invoker.bind('dfi.wallet.v1.WalletService', walletHandlers, { wallets, chain, mempool, clock });
    this.#invoker.bind('dfi.node.v1.NodeService', nodeHandlers, {
      chain,
      clock,
      minter,
      mempool,
      peers: undefined,
      ordersByFee: this.#config.minting.ordering === 1,
      catalogue: this.#catalogue,
      calls: this.#invoker,
      logCategories: this.#logCategories,
      process: {
        startedAt: this.#startedAt,
        logPath: this.#config.paths.logFile ?? '',
        stopping: this.#interrupt.signal,
        announceStop: () => this.#gateway?.drain(),
        requestStop: () => void this.stop(),
      },
    });
  }
}

/** The network directory is locked already; a wallet elsewhere needs a lock of its own. */
function lockBeside(networkDir: string, directory: string): () => void {
  if (directory === networkDir) return () => {};
  const lock = DirectoryLock.acquire(directory);
  return () => lock.release();
}

/** Deletes a directory so that a kill leaves it whole or not at all. */
function dropDirectory(directory: string): void {
  const dropped = `${directory}.dropped`;
  rmSync(dropped, { recursive: true, force: true });
  if (existsSync(directory)) renameSync(directory, dropped);
  rmSync(dropped, { recursive: true, force: true });
}

/** Key id of an operator's address. @throws {Error} as at start-up for any other text */
function requireKeyId(address: string, params: NetworkParams): Hash160 {
  const destination = decodeDestination(address, params.address);
  if (destination?.type === 'pkh' || destination?.type === 'wpkh') return destination.hash;
  throw new Error(`Invalid -masternode_operator address: ${address}`);
}

/** Time until the disk is looked at again after it was full. */
const RETRY_MS = 2_000;

/** Secrets of operators that everyone knows: those of regtest's genesis masternodes. They serve where no wallet has them. */
function publishedKeys(params: NetworkParams): (operator: Hash160) => PrivateKey | undefined {
  const keys = new Map<string, PrivateKey>();
  for (const { operatorKey } of params.masternode.genesis) {
    const key = operatorKey === undefined ? undefined : parseWif(operatorKey, params.address);
    if (key) keys.set(toHex(hash160(publicKeyOf(key.secret, key.compressed))), key);
  }
  return (operator) => keys.get(toHex(operator));
}

interface WaitingTransactions {
  readonly mempool: Mempool;
  readonly mempoolKeeper: MempoolKeeper;
}

/** What services are bound to. */
interface Served extends Indexes, WaitingTransactions {
  readonly chain: Chain;
  readonly minter: Minter;
  readonly wallets: Wallets | undefined;
}

interface Indexes {
  readonly txIndex: TransactionIndex | undefined;
  readonly filterIndex: BlockFilterIndex | undefined;
}
