import type { DevOptions } from '../devnet/options.js';
import type { MetricsPortOptions } from '../gateway/metrics-port.js';
import type { GatewaySettings } from '../gateway/options.js';
import type { TlsFiles } from '../grpc/certificates.js';
import type { GrpcEndpoints } from '../grpc/listen.js';
import type { MempoolSettings } from '../mempool/options.js';
import type { AssemblySettings } from '../minting/assembler.js';
import type { ProxySettings } from '../p2p/dial/proxies.js';
import type { PeersSettings } from '../p2p/net/options.js';
import type { RelayOptions } from '../p2p/relay/relay.js';
import type { NetworkOptions } from '../params/index.js';
import type { AccessOptions } from '../rpc/access.js';
import type { CertificateRole } from '../rpc/certificate-roles.js';
import type { KafkaOptions } from '../sinks/kafka.js';
import type { NatsOptions } from '../sinks/nats.js';
import type { WebhookOptions } from '../sinks/webhook.js';
import type { LogLevel } from '../util/logger.js';
import type { WalletStart } from '../wallet/wallets/start.js';
import type { ZmqNotifier } from '../zmq/notifier.js';

/** Configuration of the process, read once and frozen. Sections are named after the modules that receive them. */
export interface Config {
  /** A gateway runs as a process of its own and connects to a node at `gateway.upstream`. */
  readonly mode: 'node' | 'gateway';
  /** Options of the network parameters, for `networkParams`. */
  readonly network: NetworkOptions;
  readonly paths: PathConfig;
  readonly log: LogConfig;
  readonly rpc: RpcConfig;
  readonly grpc: GrpcConfig | undefined;
  readonly metrics: MetricsConfig | undefined;
  readonly ethereum: EthereumConfig;
  readonly ocean: OceanConfig;
  readonly gateway: GatewayConfig;
  readonly chain: ChainConfig;
  readonly events: EventsConfig;
  readonly minting: MintingConfig;
  readonly bitcoin: BitcoinConfig;
  /** Undefined without -dev. */
  readonly dev: DevOptions | undefined;
  readonly mempool: MempoolConfig;
  /** -zmqpubhashblock, -zmqpubhashtx, -zmqpubrawblock, -zmqpubrawtx and their high-water marks. */
  readonly zmqNotifiers: readonly ZmqNotifier[];
  readonly p2p: P2pConfig;
  readonly wallet: WalletConfig;
}

/** The view of the Bitcoin chain. */
export interface BitcoinConfig {
  /** -spv */
  readonly follow: boolean;
}

/** Absolute paths. */
export interface PathConfig {
  /** -datadir, or the default of the platform. */
  readonly dataDir: string;
  /** True without -datadir: the data directory is created if missing. */
  readonly dataDirIsDefault: boolean;
  /** Directory of the network inside the data directory. */
  readonly networkDir: string;
  readonly blocksDir: string;
  readonly pidFile: string;
  readonly cookieFile: string;
  /** Undefined with -nodebuglogfile. */
  readonly logFile: string | undefined;
}

export interface LogConfig {
  readonly console: boolean;
  readonly shrinkFile: boolean;
  readonly microseconds: boolean;
  /** Categories of -debug; `all` for every category. */
  readonly categories: readonly string[];
  /** Categories of -debugexclude. */
  readonly excludedCategories: readonly string[];
  /** -loglevel by module; the empty name means all modules. */
  readonly levels: Readonly<Record<string, LogLevel>>;
}

/** Options of JSON-RPC and REST, and of calls on every transport. */
export interface RpcConfig extends GatewaySettings, AccessOptions {
  /** -server: serve JSON-RPC and REST. */
  readonly enabled: boolean;
  /** -rpcuser */
  readonly user: string;
  /** -rpcpassword; if empty, a cookie file is written. */
  readonly password: string;
  /** -rpcauth: `user:salt$hash` each. */
  readonly auth: readonly string[];
  readonly threads: number;
  readonly workQueue: number;
  readonly idleTimeoutSec: number;
  readonly serialVersion: 0 | 1;
  /** -rpcstrict: JSON-RPC answers have exactly the members of `defid`. */
  readonly strict: boolean;
  /** -rpcstats: collect statistics of calls. */
  readonly keepsStats: boolean;
  /** -rpccache: bound of the cache of answers; 0 turns it off. */
  readonly cacheBytes: number;
  /** -deprecatedrpc: names of deprecated behaviour to enable. */
  readonly deprecated: readonly string[];
  /** -rpc-governance-accept-neutral: operations cast neutral votes; undefined: from Metachain on. */
  readonly acceptsNeutralVotes: boolean | undefined;
  /** -tdsinglekeycheck: both sides of a transfer to or from the EVM belong to one key, unless a call says otherwise. */
  readonly singleKeyTransfers: boolean;
  /** -dvmownerskipcheck, which enables the check despite its name: DFI moves only to accounts of the wallet. */
  readonly ownAccountsOnly: boolean;
}

/** A listener that the node can run without. */
interface OptionalListener {
  /**
   * True if no option names the port: if it is in use, the node logs a warning and runs without the listener. Several nodes that are
   * started with the options of `defid` alone can thus run on one machine.
   */
  readonly optional: boolean;
}

export interface GrpcConfig extends GrpcEndpoints, OptionalListener {
  /** Undefined for plain connections. */
  readonly tls: TlsFiles | undefined;
  /** Addresses and networks that may connect besides loopback; empty for all. */
  readonly allowIp: readonly string[];
  /** -grpccertrole: clients that log in by the subject of their certificate. */
  readonly certificateRoles: readonly CertificateRole[];
}

export interface MetricsConfig extends MetricsPortOptions, OptionalListener {}

/** Listener without credentials: Ethereum's JSON-RPC, or the API of light wallets. */
export interface Listener extends OptionalListener {
  readonly port: number;
  /** `host`, `host:port` or `[v6]:port`; loopback if empty. */
  readonly bind: readonly string[];
}

/** Options of Ethereum's JSON-RPC. */
export interface EthereumConfig {
  /** -ethrpcport, -ethrpcbind; undefined with -ethrpcport=-1. */
  readonly http: Listener | undefined;
  /** -wsport, -wsbind; undefined with -wsport=-1 or -ethsubscription=0. */
  readonly webSocket: Listener | undefined;
  readonly maxConnections: number;
  readonly maxResponseBytes: number;
  /** -ethdebug: methods of the namespace `debug_`. */
  readonly debug: boolean;
  /** -ethdebugtrace: methods `debug_trace*`. */
  readonly debugTrace: boolean;
  /** -ethtracingmaxmemoryusage: maximum size of a trace in bytes. */
  readonly maxTraceBytes: number;
  /** -evmtxpriorityfeepercentile */
  readonly priorityFeePercentile: number;
  /** -evmestimategaserrorratio, in percent. */
  readonly estimateErrorRatio: number;
}

/** Options of the HTTP API of light wallets. */
export interface OceanConfig {
  /** -oceanarchive: keep its index. */
  readonly index: boolean;
  /** -oceanarchiveserver, -oceanarchiveport, -oceanarchivebind; undefined if it is not served. */
  readonly server: Listener | undefined;
}

export interface GatewayConfig {
  /** `host:port` of the node's gRPC listener; set in gateway mode. */
  readonly upstream: string | undefined;
  /** Undefined for a plain connection; without file the certificate authorities of the system are trusted. */
  readonly tls: { readonly caFile: string | undefined } | undefined;
}

/** Receivers of events. */
export interface EventsConfig {
  /** -eventkinds; empty for all. */
  readonly kinds: readonly string[];
  readonly webhooks: readonly WebhookOptions[];
  readonly nats: NatsOptions | undefined;
  readonly kafka: KafkaOptions | undefined;
}

/** Options of chain and indexes. */
export interface ChainConfig {
  readonly txIndex: boolean;
  readonly blockFilterIndex: boolean;
  readonly accountIndex: boolean;
  readonly vaultIndex: boolean;
  /** -eventretention: blocks whose events are kept; 0 for none. */
  readonly eventRetention: number;
  /** -validatesnapshot: the blocks below a snapshot are downloaded and validated. */
  readonly validatesSnapshot: boolean;
  /** -prune; undefined without pruning, 0 for pruning on request only. */
  readonly pruneTargetBytes: number | undefined;
  readonly cacheBytes: number;
  readonly reindex: boolean;
  readonly reindexChainState: boolean;
  readonly checkBlocks: number;
  readonly checkLevel: number;
  /** -consolidaterewards: symbols of tokens; the empty one stands for all. */
  readonly consolidatedTokens: readonly string[];
  /** -dbcrashratio: the process kills itself after one in that many writes; 0 for never. */
  readonly crashRatio: number;
  /** -loadblock: files of blocks to import at start. */
  readonly importedFiles: readonly string[];
  /** -stopafterblockimport: the node stops when blocks on disk are imported. */
  readonly stopsAfterImport: boolean;
  /** -stopatheight; 0 for none. */
  readonly stopAtHeight: number;
  /** -interrupt-block: a height, or a hash in display order; undefined for none. */
  readonly interruptAt: { readonly height: number } | { readonly hash: string } | undefined;
  /** -alertnotify; undefined runs no command. */
  readonly alertCommand: string | undefined;
  /** -blocknotify; undefined runs no command. */
  readonly notifyCommand: string | undefined;
  /** -shutdownnotify */
  readonly stopCommands: readonly string[];
  /** -assumevalid, hex in display order; undefined uses the block of the network parameters. */
  readonly assumeValid: string | undefined;
  /** -minimumchainwork, hex; undefined uses the value of the network parameters. */
  readonly minimumChainWork: string | undefined;
  /** -mocktime, seconds since 1970; 0 uses the system clock. */
  readonly mockTime: number;
  /** False with -nocheckpoints. */
  readonly checkpoints: boolean;
  /** -par: threads that verify signatures; 0 is one per core, below 0 leaves that many cores free. */
  readonly scriptThreads: number;
  /** -ethstartstate: JSON file with the EVM state to start with; undefined for none. */
  readonly evmStartState: string | undefined;
}

export interface MintingConfig extends AssemblySettings {
  /** -gen: mint blocks in the background. */
  readonly enabled: boolean;
  /** -masternode_operator: addresses as given, maybe repeated. */
  readonly operators: readonly string[];
  /** -rewardaddress as given. */
  readonly rewardAddress: string | undefined;
}

export interface MempoolConfig extends MempoolSettings {
  /** -persistmempool: save the mempool on shutdown and load it on start. */
  readonly persist: boolean;
  /** -maxsigcachesize: memory for the caches of verified signatures and scripts. */
  readonly signatureCacheBytes: number;
}

/** Options of the peer module. Proxies and control port are host names or addresses, not resolved yet. */
export interface P2pConfig extends PeersSettings, ProxySettings, RelayOptions {
  /** -listenonion, -torcontrol, -torpassword; undefined creates no Tor service. */
  readonly onionService: { readonly control: string; readonly password: string } | undefined;
}

export interface WalletConfig extends WalletStart {
  /** False with -disablewallet. */
  readonly enabled: boolean;
  /** -walletnotify; undefined runs no command. */
  readonly notifyCommand: string | undefined;
}
