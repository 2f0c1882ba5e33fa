import type { NetworkOptions } from '../params/index.js';
import type { AddressType } from '../script/multisig.js';
import type { LogLevel } from '../util/logger.js';

/** Everything the node is told at start, read once and frozen. Sections are named after the modules that get them. */
export interface Config {
  /** A gateway runs alone and reaches its node through `gateway.upstream`. */
  readonly mode: 'node' | 'gateway';
  /** Flags of the network, for `networkParams`. */
  readonly network: NetworkOptions;
  readonly paths: PathConfig;
  readonly log: LogConfig;
  readonly rpc: RpcConfig;
  readonly grpc: GrpcConfig | undefined;
  readonly metrics: MetricsConfig | undefined;
  readonly gateway: GatewayConfig;
  readonly chain: ChainConfig;
  readonly minting: MintingConfig;
  readonly mempool: MempoolConfig;
  readonly p2p: P2pConfig;
  readonly wallet: WalletConfig;
}

/** All absolute. */
export interface PathConfig {
  /** What `-datadir` names, or the default. */
  readonly dataDir: string;
  /** True when the data directory may be created: nobody named it. */
  readonly dataDirIsDefault: boolean;
  /** Its part for this network: everything below lives there. */
  readonly networkDir: string;
  readonly blocksDir: string;
  readonly pidFile: string;
  readonly cookieFile: string;
  /** Undefined without log file. */
  readonly logFile: string | undefined;
}

export interface LogConfig {
  readonly console: boolean;
  readonly shrinkFile: boolean;
  readonly microseconds: boolean;
  /** Categories of -debug less those of -debugexclude; `all` for every one. */
  readonly categories: readonly string[];
  readonly excludedCategories: readonly string[];
  /** -loglevel, by module; the empty name stands for all modules. */
  readonly levels: Readonly<Record<string, LogLevel>>;
}

export type RoleName = 'read' | 'spend' | 'admin';

export interface RpcConfig {
  /** -server: JSON-RPC and REST. */
  readonly enabled: boolean;
  /** 0 lets the system choose. */
  readonly port: number;
  /** -rpcbind as given; counts only together with `allowIp`. */
  readonly bind: readonly string[];
  readonly allowIp: readonly string[];
  /** Names that requests may give the node, besides localhost and IP addresses. */
  readonly allowHosts: readonly string[];
  readonly user: string;
  /** Empty: the cookie file is used. */
  readonly password: string;
  /** `user:salt$hash` each. */
  readonly auth: readonly string[];
  /** -rpcauthrole; users without one are administrators. */
  readonly roles: readonly { readonly user: string; readonly role: RoleName }[];
  /** -rpcwhitelist as given: `<user>:<method 1>,<method 2>` each. */
  readonly whitelists: readonly string[];
  /** -rpcwhitelistdefault; undefined: where there is a whitelist. */
  readonly whitelistDefault: boolean | undefined;
  readonly threads: number;
  readonly workQueue: number;
  readonly idleTimeoutSec: number;
  /** Empty is off. */
  readonly corsOrigin: string;
  /** The reference's /rest paths. */
  readonly rest: boolean;
  readonly healthEndpoints: boolean;
  readonly serialVersion: 0 | 1;
  /** -rpcstrict: JSON-RPC answers have exactly the members of `defid`. */
  readonly strict: boolean;
  /** -rpcstats: statistics of calls are kept. */
  readonly keepsStats: boolean;
  readonly deprecated: readonly string[];
  /** Whether operations cast neutral votes; undefined: from Metachain on. */
  readonly acceptsNeutralVotes: boolean | undefined;
  /** -tdsinglekeycheck: both sides of a transfer to or from the EVM belong to one key, unless a call says otherwise. */
  readonly singleKeyTransfers: boolean;
  /** -dvmownerskipcheck, which enables the check despite its name: DFI moves only to accounts of the wallet. */
  readonly ownAccountsOnly: boolean;
}

/** A listener that serves one port on several addresses. */
export interface ListenConfig {
  readonly port: number;
  /** `host`, `host:port` or `[v6]:port`; never empty. */
  readonly bind: readonly string[];
  /**
   * True when nobody asked for this port: if it is taken, the node warns and runs without the listener, so that several nodes
   * started with the reference's flags alone get along on one machine.
   */
  readonly optional: boolean;
}

export interface GrpcConfig extends ListenConfig {
  /** Undefined for a plain connection. */
  readonly tls: { readonly certFile: string; readonly keyFile: string; readonly clientCaFile: string | undefined } | undefined;
  /** Clients that may connect beside loopback: addresses and networks; empty for all. */
  readonly allowIp: readonly string[];
  /** -grpccertrole: clients that log in by the subject of their certificate, e.g. `CN=alice,O=Example`. */
  readonly certificateRoles: readonly { readonly subject: string; readonly role: RoleName }[];
}

export interface MetricsConfig extends ListenConfig {
  /** Who may connect beside loopback: addresses and networks. */
  readonly allowIp: readonly string[];
  /** Names that requests may give the node, besides localhost and IP addresses. */
  readonly allowHosts: readonly string[];
}

export interface GatewayConfig {
  /** `host:port` of the node's gRPC listener; set in gateway mode. */
  readonly upstream: string | undefined;
  /** Undefined for a plain connection; without file the system's authorities are trusted. */
  readonly tls: { readonly caFile: string | undefined } | undefined;
}

export interface ChainConfig {
  readonly txIndex: boolean;
  readonly blockFilterIndex: boolean;
  readonly accountIndex: boolean;
  readonly vaultIndex: boolean;
  /** Undefined without pruning; 0 for pruning on request only. */
  readonly pruneTargetBytes: number | undefined;
  readonly cacheBytes: number;
  readonly reindex: boolean;
  readonly reindexChainState: boolean;
  readonly checkBlocks: number;
  readonly checkLevel: number;
  /** 0 for none. */
  readonly stopAtHeight: number;
  /** -alertnotify; undefined runs nothing. */
  readonly alertCommand: string | undefined;
  /** -blocknotify; undefined runs nothing. */
  readonly notifyCommand: string | undefined;
  /** -shutdownnotify. */
  readonly stopCommands: readonly string[];
  /** Display hex; undefined leaves it to the network. */
  readonly assumeValid: string | undefined;
  /** Hex; undefined leaves it to the network. */
  readonly minimumChainWork: string | undefined;
  /** Seconds; 0 for real time. */
  readonly mockTime: number;
  readonly checkpoints: boolean;
  /** -par: threads that verify signatures; 0 is one per core, below 0 leaves that many cores free. */
  readonly scriptThreads: number;
}

export interface MintingConfig {
  /** -gen: mint by itself. */
  readonly enabled: boolean;
  readonly operators: readonly string[];
  readonly rewardAddress: string | undefined;
  readonly ordering: 0 | 1 | 2;
  readonly maxBlockWeight: number;
  /** Satoshis per kB. */
  readonly minFeeRate: bigint;
  readonly blockVersion: number | undefined;
  /** -printpriority: fee rates of the transactions of an assembled block are logged. */
  readonly logsFeeRates: boolean;
}

/** Fee rates in satoshis per kB. */
export interface MempoolConfig {
  /** -persistmempool: keep it over restarts. */
  readonly persist: boolean;
  readonly maxBytes: number;
  readonly expirySec: number;
  /** -mempoolexpiryevm. */
  readonly evmExpirySec: number;
  readonly minRelayFeeRate: bigint;
  readonly incrementalRelayFeeRate: bigint;
  readonly dustRelayFeeRate: bigint;
  readonly acceptNonStandard: boolean;
  readonly permitBareMultisig: boolean;
  /** Largest OP_RETURN script; undefined with -datacarrier=0. */
  readonly dataCarrierBytes: number | undefined;
  readonly bytesPerSigOp: number;
  readonly limits: MempoolLimits;
  /** -maxsigcachesize: memory for what is known of checked signatures and scripts. */
  readonly signatureCacheBytes: number;
}

/** Unconfirmed chains, the transaction itself included. Sizes in virtual bytes. */
export interface MempoolLimits {
  readonly ancestorCount: number;
  readonly ancestorBytes: number;
  readonly descendantCount: number;
  readonly descendantBytes: number;
}

/** What the peer module is told. Nodes and networks are texts as given; whoever uses them resolves them. */
export interface P2pConfig {
  /** Port to listen on, and the one of addresses that name none. */
  readonly port: number;
  readonly listen: boolean;
  readonly bind: readonly string[];
  readonly whiteBind: readonly string[];
  /** Undefined where the node chooses its peers; otherwise the only nodes it connects to. */
  readonly connect: readonly string[] | undefined;
  readonly addNodes: readonly string[];
  readonly seedNodes: readonly string[];
  /** Names may be looked up. */
  readonly dns: boolean;
  readonly dnsSeed: boolean;
  readonly forceDnsSeed: boolean;
  readonly discover: boolean;
  readonly externalIps: readonly string[];
  /** Empty for no restriction. */
  readonly onlyNets: readonly ('ipv4' | 'ipv6' | 'onion')[];
  /** -proxy as given; undefined for direct connections. */
  readonly proxy: string | undefined;
  /** -onion as given; `none` for -noonion; undefined leaves Tor services to `proxy`. */
  readonly onionProxy: string | undefined;
  readonly randomizesProxyCredentials: boolean;
  /** -listenonion, -torcontrol, -torpassword; undefined makes no Tor service. */
  readonly onionService: { readonly control: string; readonly password: string } | undefined;
  readonly maxConnections: number;
  readonly whitelist: readonly string[];
  readonly whitelistRelay: boolean;
  readonly whitelistForceRelay: boolean;
  readonly connectTimeoutMs: number;
  readonly peerTimeoutSec: number;
  readonly banScore: number;
  readonly banTimeSec: number;
  /** -addrmantest: tell peers of the loopback address, where a test has no other. */
  readonly advertiseLoopback: boolean;
  /** Per peer. */
  readonly maxReceiveBytes: number;
  /** Per peer. */
  readonly maxSendBytes: number;
  /** Per day; 0 for no limit. */
  readonly maxUploadBytes: number;
  readonly maxTimeAdjustmentSec: number;
  /** Addresses taken from a peer per second; undefined leaves it to the network. */
  readonly addressRate: number | undefined;
  readonly addressBurst: number | undefined;
  readonly userAgentComments: readonly string[];
  /** -logips: the log names the addresses of peers. */
  readonly logsAddresses: boolean;
  /** -maxorphantx: transactions kept whose parents are unknown. */
  readonly maxOrphans: number;
  /** -blockreconstructionextratxn: transactions kept beside the pool for compact blocks. */
  readonly extraTransactions: number;
  /** Take no transactions from peers. */
  readonly blocksOnly: boolean;
  /** Tell peers the lowest fee rate. */
  readonly feeFilter: boolean;
  readonly bloomFilters: boolean;
  /** -enablebip61: tell peers why something was refused. */
  readonly sendsRejects: boolean;
}

/** Wallets, which ones and what holds for all. Fee rates in satoshis per kB. */
export interface WalletConfig {
  readonly enabled: boolean;
  /** Wallets to load at start. */
  readonly names: readonly string[];
  /** -walletdir as given; empty leaves it to the network directory. */
  readonly directory: string;
  /** -walletoutside: callers may make wallets outside of it. */
  readonly allowsOutside: boolean;
  /** Look through the whole chain at start. */
  readonly rescan: boolean;
  /** -zapwallettxes: what is forgotten of transactions before the chain is looked through for them. */
  readonly forgets: 'transactions' | 'everything' | undefined;
  /** -walletnotify; undefined runs nothing. */
  readonly notifyCommand: string | undefined;
  /** Minutes between backups that the node makes by itself; 0 for none. */
  readonly backupMinutes: number;
  readonly keypoolSize: number;
  readonly addressType: AddressType;
  /** Undefined follows the recipients. */
  readonly changeType: AddressType | undefined;
  /** 0 asks the estimator. */
  readonly payFeeRate: bigint;
  readonly minFeeRate: bigint;
  /** 0 refuses to guess. */
  readonly fallbackFeeRate: bigint;
  readonly discardFeeRate: bigint;
  /** Satoshis. */
  readonly maxFee: bigint;
  /** Blocks. */
  readonly confirmTarget: number;
  readonly spendUnconfirmedChange: boolean;
  readonly replaceable: boolean;
  readonly rejectLongChains: boolean;
  readonly avoidPartialSpends: boolean;
  /** -walletfastselect, -walletcoinoptskipsolvable, -walletcoinopteagerselect. */
  readonly coinSearch: {
    readonly fast: boolean;
    readonly skipSolvable: boolean;
    readonly eager: boolean;
  };
  readonly broadcast: boolean;
}
