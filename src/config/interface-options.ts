import { portsText } from './networks.js';
import { flag, hidden, hiddenNoEffect, int, list, networkOnly, text } from './option.js';

// Options of the interfaces to callers, by section of the help text.

/** Size of the cache of answers, MiB. */
export const DEFAULT_ANSWER_CACHE_MIB = 16;

/** JSON-RPC, REST, and rights of callers. */
export const rpcOptions = [
  flag('server', undefined, 'Accept JSON-RPC and REST requests (default: 1)'),
  int('rpcport', undefined, `Port for JSON-RPC and REST (default: ${portsText('rpc')})`, networkOnly),
  list('rpcbind', '<addr>[:port]', 'Address to listen on; ignored without -rpcallowip (default: loopback)', networkOnly),
  list('rpcallowip', '<ip>', 'Allow connections from an address, address/netmask or address/CIDR in addition to loopback'),
  list(
    'rpcallowhost',
    '<name>',
    'Accept requests to this host name, for JSON-RPC, REST and metrics, in addition to localhost and IP addresses',
  ),
  text('rpcuser', '', '<user>', 'User name for JSON-RPC, REST and gRPC'),
  text('rpcpassword', '', '<pw>', 'Password for JSON-RPC, REST and gRPC; if empty, a cookie file is written', { secret: true }),
  list('rpcauth', '<userpw>', 'User name and HMAC-SHA-256 hashed password: <user>:<salt>$<hash>', { secret: true }),
  list('rpcauthrole', '<user>:<role>', 'Role of a user: read, spend or admin (default: admin)'),
  list(
    'rpcwhitelist',
    '<user>:<methods>',
    'Methods that a user may call, separated by commas or spaces; of several lists for a user the intersection applies',
  ),
  flag('rpcwhitelistdefault', undefined, 'Users without -rpcwhitelist may call no method (default: 1 with -rpcwhitelist)'),
  text('rpccookiefile', '.cookie', '<file>', 'Location of the authentication cookie; a relative path is taken from the network directory'),
  int('rpcthreads', 4, 'Number of requests processed at one time'),
  int('rpcworkqueue', 16, 'Maximum number of requests in the work queue'),
  int('rpcservertimeout', 30, 'Timeout of idle HTTP connections in seconds'),
  text(
    'rpcallowcors',
    '',
    '<origin>',
    'Origin whose web pages may call (CORS), for example http://127.0.0.1:5000; other origins are refused',
  ),
  int('rpcserialversion', 1, 'Serialisation of raw transactions and blocks: 0 without, 1 with witness data'),
  list('deprecatedrpc', '<name>', 'Enable a deprecated method or field'),
  int(
    'rpccache',
    DEFAULT_ANSWER_CACHE_MIB,
    'Cache answers of calls until the data changes that they depend on, in MiB; 1 and 2 mean the default, 0 turns the cache off',
  ),
  flag('rpcstrict', false, 'JSON-RPC answers have exactly the members of defid, without those that only the operations document has'),
  flag('rpcstats', true, 'Collect statistics of calls'),
  flag('rest', false, 'Serve the public REST interface of defid at /rest'),
  flag('healthendpoints', true, 'Serve health checks at /livez and /readyz on the JSON-RPC port'),
  flag('rpc-governance-accept-neutral', undefined, 'Accept neutral votes on proposals (default: from Metachain on)', hidden),
] as const;

/** gRPC, metrics, and the gateway as a process of its own. */
export const serverOptions = [
  flag('grpc', true, 'Accept gRPC requests'),
  int('grpcport', undefined, `Port for gRPC (default: ${portsText('grpc')})`, networkOnly),
  list('grpcbind', '<addr>[:port]', 'Address for gRPC (default: loopback)', networkOnly),
  list('grpcallowip', '<ip>', 'Allow gRPC connections from this address or network and loopback only (default: from all)'),
  flag('grpctls', undefined, 'TLS for gRPC (default: 1 outside loopback or with a certificate)'),
  text('grpctlscert', undefined, '<file>', 'Certificate chain for gRPC, PEM'),
  text('grpctlskey', undefined, '<file>', 'Private key for gRPC, PEM'),
  text('grpcclientca', undefined, '<file>', 'Require gRPC clients to have a certificate of this authority, PEM'),
  list(
    'grpccertrole',
    '<subject>:<role>',
    'Authenticate gRPC clients by the subject of their certificate: CN=<name>[,O=<organisation>...]:read|spend|admin',
  ),
  flag('metrics', true, 'Serve /metrics, /livez, /readyz and /startupz'),
  int('metricsport', undefined, `Port for metrics and probes (default: ${portsText('metrics')})`, networkOnly),
  list('metricsbind', '<addr>[:port]', 'Address for metrics and probes (default: loopback)', networkOnly),
  list('metricsallowip', '<ip>', 'Allow connections to metrics and probes from this address or network in addition to loopback'),
  flag('gateway', false, 'Run JSON-RPC and REST only, as a gateway to the node of -upstream'),
  text('upstream', undefined, '<host:port>', 'gRPC address of the node behind the gateway'),
  flag('upstreamtls', undefined, 'TLS to the upstream node (default: 1 with -upstreamca)'),
  text('upstreamca', undefined, '<file>', 'Certificate authority of the upstream node, PEM (default: those of the system)'),
] as const;

/** Ethereum's JSON-RPC and the EVM. */
export const evmOptions = [
  list('ethrpcbind', '<addr>[:port]', 'Address for EVM JSON-RPC; needs -rpcallowip (default: loopback)', networkOnly),
  int('ethrpcport', undefined, `Port for EVM JSON-RPC; -1 for none (default: ${portsText('eth')})`, networkOnly),
  list('wsbind', '<addr>[:port]', 'Address for EVM WebSockets; needs -rpcallowip (default: loopback)', networkOnly),
  int('wsport', undefined, `Port for EVM WebSockets; -1 for none (default: ${portsText('ws')})`, networkOnly),
  int('ethmaxconnections', 100, 'Maximum number of connections to EVM JSON-RPC, and of subscriptions of a connection', networkOnly),
  int('ethmaxresponsesize', 25, 'Maximum size of an EVM response in MB', networkOnly),
  int('ethtracingmaxmemoryusage', 20_000_000, 'Maximum size of an EVM trace in bytes', networkOnly),
  flag('ethdebug', false, 'Enable debug_* methods'),
  flag('ethdebugtrace', true, 'Enable debug_trace* methods'),
  flag('ethsubscription', true, 'Serve EVM WebSockets'),
  text('ethstartstate', undefined, '<file>', 'Replace the EVM state at each start by that of a JSON file (regtest)'),
  int('evmtxpriorityfeepercentile', 60, 'Percentile of priority fees for suggestions', hidden),
  int('evmestimategaserrorratio', 15, 'Error ratio of gas estimates in percent', hidden),
  int('evmnotificationchannel', undefined, 'Size of the channel for EVM notifications', hiddenNoEffect),
  int('evmvlrucache', undefined, 'Size of the EVM value cache in entries', hiddenNoEffect),
  int('ecclrucache', undefined, 'Size of the signature cache in entries', hiddenNoEffect),
  int('eccprecache', undefined, 'Size of the precomputed signature cache in entries', hiddenNoEffect),
] as const;

/** Ocean and its index. */
export const oceanOptions = [
  flag('oceanarchive', false, 'Maintain the index of Ocean, the HTTP API of light wallets; implies -txindex'),
  flag('expr-oceanarchive', false, 'Deprecated: -oceanarchive', hidden),
  flag('oceanarchiveserver', false, 'Serve Ocean, the HTTP API of light wallets'),
  int('oceanarchiveport', 3002, 'Port of Ocean; -1 for none', networkOnly),
  list('oceanarchivebind', '<addr>[:port]', 'Address for Ocean, open to everyone; needs -rpcallowip (default: loopback)', networkOnly),
] as const;

/** Notifications over ZeroMQ. */
export const zmqOptions = [
  list('zmqpubhashblock', '<address>', 'Publish hashes of best blocks over ZeroMQ at an address such as tcp://127.0.0.1:28332'),
  list('zmqpubhashtx', '<address>', 'Publish ids of transactions over ZeroMQ at an address such as tcp://127.0.0.1:28332'),
  list('zmqpubrawblock', '<address>', 'Publish best blocks over ZeroMQ at an address such as tcp://127.0.0.1:28332'),
  list('zmqpubrawtx', '<address>', 'Publish transactions over ZeroMQ at an address such as tcp://127.0.0.1:28332'),
  int('zmqpubhashblockhwm', 1000, 'Maximum number of messages of -zmqpubhashblock that wait for a subscriber (0 = no limit)'),
  int('zmqpubhashtxhwm', 1000, 'Maximum number of messages of -zmqpubhashtx that wait for a subscriber (0 = no limit)'),
  int('zmqpubrawblockhwm', 1000, 'Maximum number of messages of -zmqpubrawblock that wait for a subscriber (0 = no limit)'),
  int('zmqpubrawtxhwm', 1000, 'Maximum number of messages of -zmqpubrawtx that wait for a subscriber (0 = no limit)'),
] as const;

/** Options of `dfi-cli` that the daemon does not have. */
export const clientOptions = [
  text('rpcconnect', '127.0.0.1', '<host>', 'Host of the node, with or without port'),
  text('rpcwallet', undefined, '<name>', 'Wallet to use for the call'),
  int('rpcclienttimeout', 900, 'Timeout of a call in seconds (0 = none)'),
  flag('rpcwait', false, 'Wait for the node to start'),
  flag('named', false, 'Pass arguments by name: name=value'),
  flag('stdin', false, 'Read additional arguments from standard input, one per line'),
  flag('stdinrpcpass', false, 'Read the password from standard input, as one line'),
  flag('getinfo', false, 'Print general information from the node'),
] as const;
