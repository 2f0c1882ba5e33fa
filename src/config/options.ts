import { UPGRADE_FLAGS } from '../params/upgrade-heights.js';
import { portsText } from './networks.js';
import { amount, flag, int, list, type Option, type OptionGroup, text } from './option.js';

const networkOnly = { networkOnly: true };
const hidden = { hidden: true };
/** Known so that configurations of `defid` can be taken over; what it switches there does not exist here. */
const noEffect = { noEffect: true };
const hiddenNoEffect = { hidden: true, noEffect: true };

const process = [
  flag('?', false, 'Print this help message and exit'),
  flag('h', false, 'Like -?', hidden),
  flag('help', false, 'Like -?', hidden),
  flag('help-debug', false, 'Print help with the options for tests and exit'),
  flag('version', false, 'Print version and exit'),
  text('conf', 'defi.conf', '<file>', 'Configuration file; a relative path starts at the data directory'),
  list('includeconf', '<file>', 'Another configuration file, relative to the data directory (only inside a configuration file)'),
  text('datadir', undefined, '<dir>', 'Data directory'),
  text('blocksdir', undefined, '<dir>', 'Directory for the blocks directory (default: data directory)'),
  text('pid', 'defid.pid', '<file>', 'Process id file; a relative path starts in the network directory'),
  flag('daemon', false, 'Run in the background'),
  flag('daemonwait', false, 'Run in the background, and leave the terminal only when started'),
  flag('sysperms', false, 'Create files with the permissions of the system instead of umask 077'),
  text(
    'alertnotify',
    undefined,
    '<cmd>',
    'Command to run at the first warning of unknown rules in force, and when block processing halts; %s is the text',
  ),
  text('blocknotify', undefined, '<cmd>', 'Command to run when the best block changes; %s is its hash'),
  list('shutdownnotify', '<cmd>', 'Command to run before the node begins to stop, which waits for it'),
  text('lang', undefined, '<lang>', 'Language of the window', hiddenNoEffect),
  flag('choosedatadir', false, 'Ask for the data directory', hiddenNoEffect),
  flag('min', false, 'Start with the window minimised', hiddenNoEffect),
  flag('resetguisettings', false, 'Reset the settings of the window', hiddenNoEffect),
  flag('splash', false, 'Show a splash screen', hiddenNoEffect),
] as const;

const logging = [
  text('debuglogfile', 'debug.log', '<file>', 'Log file, relative to the network directory (-nodebuglogfile: none)'),
  flag('printtoconsole', undefined, 'Log to standard output too (default: 1 unless -daemon)'),
  flag('shrinkdebugfile', undefined, 'Cut an overgrown log file at start (default: 1 without -debug)'),
  list('debug', '<category>', 'Log what a module does in detail; no value or 1: all modules'),
  list('debugexclude', '<category>', 'Leave a module out of -debug=1'),
  list('loglevel', '<module>:<level>', 'Level of one module, or of all without a module: debug, info, warn or error'),
  flag('logtimemicros', false, 'Log times with microseconds'),
  flag('logtimestamps', true, 'Begin log lines with the time, which every line does', noEffect),
  flag('logthreadnames', false, 'Name the thread in log lines; they name the module instead', noEffect),
  flag('logips', false, 'Log the addresses of peers'),
  flag('printpriority', false, 'Log fee rate and priority of transactions when a block is made', hidden),
] as const;

const rpc = [
  flag('server', undefined, 'Answer JSON-RPC and REST (default: 1)'),
  int('rpcport', undefined, `Port for JSON-RPC and REST (default: ${portsText('rpc')})`, networkOnly),
  list('rpcbind', '<addr>[:port]', 'Address to listen on; heeded only together with -rpcallowip (default: loopback)', networkOnly),
  list('rpcallowip', '<ip>', 'Allow an address, address/netmask or address/CIDR beside loopback'),
  list('rpcallowhost', '<name>', 'Allow requests that name this host, for JSON-RPC, REST and metrics, beside localhost and IP addresses'),
  text('rpcuser', '', '<user>', 'User name'),
  text('rpcpassword', '', '<pw>', 'Password; without one a cookie file is written', { secret: true }),
  list('rpcauth', '<userpw>', 'User, salt and hashed password: <user>:<salt>$<hash>', { secret: true }),
  list('rpcauthrole', '<user>:<role>', 'What a user may call: read, spend or admin (default: admin)'),
  list('rpcwhitelist', '<user>:<methods>', 'Methods that a user may call, separated by commas or spaces; several lists are intersected'),
  flag('rpcwhitelistdefault', undefined, 'Let users without -rpcwhitelist call nothing (default: 1 with -rpcwhitelist)'),
  text('rpccookiefile', '.cookie', '<file>', 'Cookie file, relative to the network directory'),
  int('rpcthreads', 4, 'Requests answered at one time'),
  int('rpcworkqueue', 16, 'Requests that may wait'),
  int('rpcservertimeout', 30, 'Seconds a connection may stand idle'),
  text('rpcallowcors', '', '<origin>', 'Let pages of this origin call, as http://127.0.0.1:5000; pages of others are refused'),
  int('rpcserialversion', 1, 'Hex of transactions and blocks without (0) or with (1) witness data'),
  list('deprecatedrpc', '<name>', 'Keep a deprecated method or field'),
  int('rpccache', 1, 'Keep results of calls until the tip moves', noEffect),
  flag('rpcstrict', false, 'Answer JSON-RPC with exactly the members of defid, without those that only the interface document names'),
  flag('rpcstats', true, 'Keep statistics of calls'),
  flag('rest', false, "Serve the reference's /rest paths"),
  flag('healthendpoints', true, 'Serve /livez and /readyz on the JSON-RPC port'),
  flag('rpc-governance-accept-neutral', undefined, 'Accept neutral votes (default: from Metachain on)', hidden),
] as const;

const ours = [
  flag('grpc', true, 'Serve gRPC'),
  int('grpcport', undefined, `Port for gRPC (default: ${portsText('grpc')})`, networkOnly),
  list('grpcbind', '<addr>[:port]', 'Address for gRPC (default: loopback)', networkOnly),
  list('grpcallowip', '<ip>', 'Let only loopback and this address or network call over gRPC (default: all)'),
  flag('grpctls', undefined, 'TLS for gRPC (default: 1 outside loopback or with a certificate)'),
  text('grpctlscert', undefined, '<file>', 'Certificate chain for gRPC, PEM'),
  text('grpctlskey', undefined, '<file>', 'Private key for gRPC, PEM'),
  text('grpcclientca', undefined, '<file>', 'Ask gRPC clients for certificates of this authority, PEM'),
  list('grpccertrole', '<subject>:<role>', 'Log in gRPC clients by certificate: CN=<name>[,O=<organisation>...]:read|spend|admin'),
  flag('metrics', true, 'Serve /metrics, /livez, /readyz and /startupz'),
  int('metricsport', undefined, `Port for metrics and probes (default: ${portsText('metrics')})`, networkOnly),
  list('metricsbind', '<addr>[:port]', 'Address for metrics and probes (default: loopback)', networkOnly),
  list('metricsallowip', '<ip>', 'Let this address or network read metrics and probes, beside loopback'),
  flag('gateway', false, 'Run only JSON-RPC and REST, in front of the node that -upstream names'),
  text('upstream', undefined, '<host:port>', "gRPC address of the gateway's node"),
  flag('upstreamtls', undefined, 'TLS to the upstream node (default: 1 with -upstreamca)'),
  text('upstreamca', undefined, '<file>', "Authority that signed the upstream node's certificate, PEM (default: the system's)"),
] as const;

const chain = [
  flag('testnet', false, 'Use the test network'),
  flag('changi', false, 'Use the changi network'),
  flag('devnet', false, 'Use the devnet network'),
  flag('regtest', false, 'Use a private network whose blocks are made at will'),
  flag('changi-bootstrap', false, "Fetch changi's history from the test network"),
  flag('devnet-bootstrap', false, "Fetch devnet's history from the test network"),
  flag('txindex', false, 'Keep an index of all transactions'),
  flag('acindex', true, 'Keep an index of account history'),
  flag('vaultindex', false, 'Keep an index of vault history'),
  text('blockfilterindex', '0', '<type>', 'Keep an index of compact block filters: basic, 1 or 0'),
  int('prune', 0, 'Delete old blocks: 0 never, 1 on request, 550 and more down to this many MiB'),
  int('dbcache', 450, 'Memory for the database in MiB'),
  flag('reindex', false, 'Rebuild index and state from the stored blocks'),
  flag('reindex-chainstate', false, 'Rebuild the state from the stored blocks'),
  list('loadblock', '<file>', 'Import blocks from a file at start', noEffect),
  text('assumevalid', undefined, '<hex>', 'Skip scripts of this block and its ancestors; 0 checks all'),
  text('minimumchainwork', undefined, '<hex>', 'Work that a chain needs before it counts as synced'),
  int('maxtipage', 36_000, 'Seconds without a new tip after which the node counts as syncing'),
  int('par', 0, 'Workers that check scripts: 0 = one per core, below 0 = leave that many cores free'),
  int('checkblocks', 6, 'Blocks checked at start (0 = all)'),
  int('checklevel', 3, 'How thoroughly blocks are checked at start (0 to 4)'),
  int('mocktime', 0, 'Start with a clock that stands at this time', hidden),
  int('stopatheight', 0, 'Stop after this height', hidden),
  flag('stopafterblockimport', false, 'Stop after importing blocks', hiddenNoEffect),
  flag('checkpoints', true, 'Refuse chains that leave the known history', hidden),
  text('checkpoints-file', undefined, '<file>', 'Replace the known history: lines of height and hash', hidden),
  flag('checkblockindex', undefined, 'Check the block tree now and then', hiddenNoEffect),
  int('checkmempool', undefined, 'Check the pool every so many transactions', hiddenNoEffect),
  int('dbbatchsize', 16_777_216, 'Bytes of a database write', hiddenNoEffect),
  int('dbcrashratio', 0, 'Crash during one of so many database writes', hiddenNoEffect),
  flag('forcecompactdb', false, 'Compact the database at start', hiddenNoEffect),
  text('interrupt-block', undefined, '<hash|height>', 'Stop before this block', hiddenNoEffect),
  int('maxsigcachesize', 32, 'MiB for checked signatures', hidden),
  int('dftxworkers', 0, 'Threads for custom transactions', hiddenNoEffect),
  flag('dexstats', false, 'Keep statistics of swaps'),
  list(
    'consolidaterewards',
    '<symbol>',
    'Pay out the rewards of a token at start; accounts are brought up to date when they are read',
    noEffect,
  ),
  flag('negativeinterest', false, 'Keep totals of negative interest', hidden),
  flag('dvmownerskipcheck', true, 'utxostoaccount, accounttoaccount and sendtokenstoaddress send DFI to own addresses only', hidden),
  flag('tdsinglekeycheck', true, 'transferdomain moves between addresses of one key, unless a call says otherwise', hidden),
  flag('enablesnapshots', true, 'Read from snapshots, which is always so', hiddenNoEffect),
] as const;

/** A switch for each upgrade, in the order in which they are applied. */
type HeightKey = 'segwitheight';
const heights: readonly Option<HeightKey, 'int'>[] = [
  int('segwitheight', undefined, 'Height of segwit', hidden),
  ...UPGRADE_FLAGS.map(({ flag: name, label }) => int(name.slice(1) as HeightKey, undefined, `Height of ${label}; -1 for never`, hidden)),
];

const regtest = [
  flag('jellyfish_regtest', false, 'The genesis block and emission that the Jellyfish test tools expect'),
  flag('dummypos', false, 'Check no proof of stake'),
  flag('txnotokens', false, 'Outputs carry no token'),
  flag('subsidytest', false, "Main's emission schedule"),
  flag('simulatemainnet', false, "Main's spacing and timespans"),
  int('anchorquorum', 1, 'Signatures of an anchor'),
  flag('regtest-skip-loan-collateral-validation', false, 'Take loans without collateral checks', hidden),
  flag('regtest-minttoken-simulate-mainnet', false, 'Mint tokens by the rules of main', hidden),
  list('vbparams', '<deployment:start:end>', 'Move a version bits deployment', hidden),
  flag('mocknet', false, 'A private copy of the network, whose upgrades may be moved too', hidden),
  int('mocknet-blocktime', 30, 'Seconds between blocks of a private copy', hidden),
  text('mocknet-key', undefined, '<pubkey>', 'Foundation key of a private copy', hidden),
] as const;

const minting = [
  flag('gen', false, 'Mint with the configured operators'),
  list('masternode_operator', '<address>', 'Operator address of a masternode that this node runs'),
  text('masternode_owner', undefined, '<address>', 'Owner address of a masternode, which no call uses', noEffect),
  text('rewardaddress', undefined, '<address>', 'Address that minted blocks pay to'),
  int('txordering', 1, 'Order in new blocks: 0 mixed, 1 by fee, 2 by time'),
  flag('blocktimeordering', false, 'Old name of -txordering=2', hidden),
  int('blockmaxweight', 63_996_000, 'Largest weight of a new block'),
  amount('blockmintxfee', '0.00001', 'Lowest fee rate of a new block, DFI/kB'),
  int('blockversion', undefined, 'Version of new blocks (regtest)', hidden),
  text('minerstrategy', 'none', '<s>', 'Strategy of the staking loop', hiddenNoEffect),
  flag('ascendingstaketime', false, 'Try stake times in ascending order', hiddenNoEffect),
] as const;

const mempool = [
  int('maxmempool', 300, 'Largest size of the pool in MB'),
  int('mempoolexpiry', 336, 'Hours a transaction may wait'),
  int('mempoolexpiryevm', 3, 'Hours an EVM transaction may wait'),
  flag('persistmempool', false, 'Keep the pool over restarts'),
  int('maxorphantx', 100, 'Transactions kept whose parents are unknown'),
  amount('minrelaytxfee', '0.00001', 'Lowest fee rate, DFI/kB'),
  amount('incrementalrelayfee', '0.00001', 'Fee rate step of replacements, DFI/kB', hidden),
  amount('dustrelayfee', '0.00003', 'Fee rate that defines dust, DFI/kB', hidden),
  int('bytespersigop', 20, 'Virtual bytes counted per signature operation'),
  flag('acceptnonstdtxn', undefined, 'Take transactions of unusual form (default: 1 on test networks, 0 on main and regtest)', hidden),
  flag('datacarrier', true, 'Take transactions that carry data'),
  int('datacarriersize', 65_536, 'Largest data output in bytes'),
  flag('permitbaremultisig', true, 'Take bare multisig outputs'),
  int('limitancestorcount', 25, 'Unconfirmed ancestors a transaction may have', hidden),
  int('limitancestorsize', 101, 'Their size in kB', hidden),
  int('limitdescendantcount', 25, 'Unconfirmed descendants a transaction may have', hidden),
  int('limitdescendantsize', 101, 'Their size in kB', hidden),
] as const;

const p2p = [
  int('port', undefined, `Port for peers (default: ${portsText('p2p')})`, networkOnly),
  text('ports', undefined, 'auto', 'Choose free ports; give the ports instead', { ...networkOnly, ...noEffect }),
  list('addnode', '<ip>', 'Keep a connection to this node', networkOnly),
  list('connect', '<ip>', 'Connect only to this node; -noconnect: to none', networkOnly),
  list('bind', '<addr>', 'Listen for peers on this address', networkOnly),
  list('whitebind', '<addr>', 'Listen on this address for trusted peers'),
  list('whitelist', '<net>', 'Trust peers of this network'),
  list('seednode', '<ip>', 'Ask this node for addresses'),
  list('externalip', '<ip>', 'Tell peers this address'),
  list('onlynet', '<net>', 'Make outgoing connections only to this network: ipv4, ipv6 or onion; -addnode and -connect are not limited'),
  list('uacomment', '<text>', 'Comment in the user agent'),
  flag('listen', undefined, 'Accept peers (default: 1 unless -connect or -proxy)'),
  flag('listenonion', undefined, 'Make a Tor service that leads to this node, where a Tor daemon runs (default: 1 when listening)'),
  flag('discover', undefined, 'Find the own address (default: 1 when listening without -externalip or -proxy)'),
  flag('dns', true, 'Look up names of nodes'),
  flag('dnsseed', undefined, 'Ask DNS seeds for addresses (default: 1 unless -connect)'),
  flag('forcednsseed', false, 'Always ask DNS seeds'),
  flag('upnp', false, 'Map the port with UPnP', noEffect),
  flag('blocksonly', false, 'Take no transactions from peers', hidden),
  flag('feefilter', true, 'Tell peers the lowest fee rate', hidden),
  flag('peerbloomfilters', false, 'Serve bloom filters'),
  flag('whitelistrelay', true, 'Relay for trusted peers', hidden),
  flag('whitelistforcerelay', false, 'Relay everything for trusted peers', hidden),
  flag('enablebip61', false, 'Send reject messages'),
  flag('proxyrandomize', true, 'New proxy credentials per connection, so that Tor isolates each one'),
  flag('addrmantest', false, 'Tell peers of the loopback address', hidden),
  text('proxy', undefined, '<ip:port>', 'Connect to peers through this SOCKS5 proxy, which also resolves names; not to private addresses'),
  text('onion', undefined, '<ip:port>', 'Reach Tor services through this SOCKS5 proxy; -noonion: never (default: -proxy)'),
  text('torcontrol', '127.0.0.1:9051', '<ip:port>', 'Control port of the Tor daemon, for -listenonion'),
  text('torpassword', undefined, '<pass>', 'Password of the control port (default: authenticate by cookie)', { secret: true }),
  int('maxconnections', 125, 'Largest number of peers'),
  int('maxreceivebuffer', 5000, 'Kilobytes buffered from a peer'),
  int('maxsendbuffer', 1000, 'Kilobytes buffered for a peer'),
  int('maxuploadtarget', 0, 'MiB sent in a day (0 = no limit)'),
  int('maxtimeadjustment', 4200, 'Largest correction of the clock in seconds', hidden),
  int('banscore', 100, 'Misbehaviour that ends a connection'),
  int('bantime', 86_400, 'Seconds a ban lasts'),
  int('timeout', 5000, 'Milliseconds to wait for a connection'),
  int('peertimeout', 60, 'Seconds a silent peer is kept', hidden),
  int('dropmessagestest', 0, 'Drop one of so many messages', hiddenNoEffect),
  int('blockreconstructionextratxn', 100, 'Transactions kept for compact blocks', hidden),
  text('maxaddrratepersecond', undefined, '<n>', 'Addresses taken from a peer per second', hidden),
  int('maxaddrprocessingtokenbucket', undefined, 'Addresses taken from a peer at once', hidden),
  flag('spv', true, 'Follow Bitcoin for anchors', noEffect),
  flag('spv_resync', false, 'Follow Bitcoin from the start', noEffect),
  text('spvblocknotify', undefined, '<cmd>', 'Command to run when the best Bitcoin block changes', noEffect),
  text('spvwalletnotify', undefined, '<cmd>', 'Command to run when a Bitcoin transaction of the wallet changes', noEffect),
] as const;

const wallet = [
  list('wallet', '<path>', 'Wallet to load, relative to -walletdir', networkOnly),
  text('walletdir', undefined, '<dir>', 'Directory of wallets'),
  flag('walletoutside', false, 'createwallet may make wallets outside of -walletdir'),
  flag('disablewallet', false, 'Load no wallet'),
  text('addresstype', 'p2sh-segwit', '<type>', 'Type of new addresses: legacy, p2sh-segwit or bech32'),
  text('changetype', undefined, '<type>', 'Type of change addresses'),
  amount('fallbackfee', '0.0002', 'Fee rate when none can be estimated, DFI/kB'),
  amount('discardfee', '0.0001', 'Fee rate up to which change is given away, DFI/kB'),
  amount('mintxfee', '0.00001', 'Lowest fee rate of own transactions, DFI/kB'),
  amount('paytxfee', '0', 'Fee rate of own transactions, DFI/kB'),
  amount('maxtxfee', '0.1', 'Largest fee of an own transaction, DFI'),
  int('keypool', 1000, 'Keys kept ready'),
  int('txconfirmtarget', 6, 'Blocks within which own transactions should confirm'),
  flag('walletrbf', false, 'Own transactions may be replaced'),
  flag('walletbroadcast', true, 'Send own transactions'),
  flag('spendzeroconfchange', true, 'Spend unconfirmed change'),
  flag('avoidpartialspends', false, 'Spend all outputs of an address together'),
  flag('rescan', false, 'Look through the chain for own transactions'),
  text('zapwallettxes', '0', '<mode>', 'Forget own transactions and look for them again'),
  text('walletnotify', undefined, '<cmd>', 'Command to run when an own transaction changes; %s is its id'),
  flag('salvagewallet', false, 'Recover keys from a damaged wallet; dfi-wallet does that', noEffect),
  flag('upgradewallet', false, 'Upgrade the wallet format, which happens on load', noEffect),
  int('backupwallet', 0, 'Minutes between backups beside each wallet; 0 makes none', hidden),
  flag('walletfastselect', false, 'Both of the next two: coins are found sooner, and are not always the best ones'),
  flag('walletcoinoptskipsolvable', false, 'Take all outputs for solvable without a look, so that one may be chosen that cannot be signed'),
  flag('walletcoinopteagerselect', false, 'Choose among the first coins that are enough, by txid, instead of among all'),
  int('dblogsize', 100, 'Size of a wallet log in MiB', hiddenNoEffect),
  flag('flushwallet', true, 'Flush the wallet now and then', hiddenNoEffect),
  flag('privdb', true, 'Keep the wallet environment private', hiddenNoEffect),
  flag('walletrejectlongchains', false, 'Refuse to make chains that the pool would not take', hidden),
] as const;

const evm = [
  list('ethrpcbind', '<addr>[:port]', 'Address for EVM JSON-RPC', { ...networkOnly, ...noEffect }),
  int('ethrpcport', undefined, `Port for EVM JSON-RPC; -1 for none (default: ${portsText('eth')})`, { ...networkOnly, ...noEffect }),
  list('wsbind', '<addr>[:port]', 'Address for EVM WebSockets', { ...networkOnly, ...noEffect }),
  int('wsport', undefined, `Port for EVM WebSockets; -1 for none (default: ${portsText('ws')})`, { ...networkOnly, ...noEffect }),
  int('ethmaxconnections', 100, 'Connections to EVM JSON-RPC', { ...networkOnly, ...noEffect }),
  int('ethmaxresponsesize', 25, 'Largest EVM answer in MB', { ...networkOnly, ...noEffect }),
  int('ethtracingmaxmemoryusage', undefined, 'Bytes for EVM traces', { ...networkOnly, ...noEffect }),
  flag('ethdebug', false, 'Serve debug_* calls', noEffect),
  flag('ethdebugtrace', false, 'Serve debug_trace* calls', noEffect),
  flag('ethsubscription', true, 'Serve EVM subscriptions', noEffect),
  text('ethstartstate', undefined, '<file>', 'EVM state to start with (regtest)', noEffect),
  int('evmtxpriorityfeepercentile', undefined, 'Percentile of suggested priority fees', hiddenNoEffect),
  int('evmestimategaserrorratio', 15, 'Error of gas estimates in percent', hiddenNoEffect),
  int('evmnotificationchannel', undefined, 'Size of the channel for EVM notifications', hiddenNoEffect),
  int('evmvlrucache', undefined, 'Entries of the EVM value cache', hiddenNoEffect),
  int('ecclrucache', undefined, 'Entries of the signature cache', hiddenNoEffect),
  int('eccprecache', undefined, 'Entries of the signature cache, filled in advance', hiddenNoEffect),
  flag('oceanarchive', false, 'Keep the Ocean archive', noEffect),
  flag('expr-oceanarchive', false, 'Old name of -oceanarchive', hiddenNoEffect),
  flag('oceanarchiveserver', false, 'Serve the Ocean archive', noEffect),
  int('oceanarchiveport', undefined, 'Port of the Ocean archive', { ...networkOnly, ...noEffect }),
  list('oceanarchivebind', '<addr>[:port]', 'Address of the Ocean archive', { ...networkOnly, ...noEffect }),
] as const;

const zmq = [
  list('zmqpubhashblock', '<address>', 'Publish hashes of blocks over ZeroMQ; subscribe over gRPC instead', noEffect),
  list('zmqpubhashtx', '<address>', 'Publish ids of transactions over ZeroMQ; subscribe over gRPC instead', noEffect),
  list('zmqpubrawblock', '<address>', 'Publish blocks over ZeroMQ; subscribe over gRPC instead', noEffect),
  list('zmqpubrawtx', '<address>', 'Publish transactions over ZeroMQ; subscribe over gRPC instead', noEffect),
  int('zmqpubhashblockhwm', 1000, 'Messages that may wait for a ZeroMQ subscriber', hiddenNoEffect),
  int('zmqpubhashtxhwm', 1000, 'Messages that may wait for a ZeroMQ subscriber', hiddenNoEffect),
  int('zmqpubrawblockhwm', 1000, 'Messages that may wait for a ZeroMQ subscriber', hiddenNoEffect),
  int('zmqpubrawtxhwm', 1000, 'Messages that may wait for a ZeroMQ subscriber', hiddenNoEffect),
] as const;

/** Flags of the client that the daemon does not have. */
const client = [
  text('rpcconnect', '127.0.0.1', '<host>', 'Host of the node, may carry a port'),
  text('rpcwallet', undefined, '<name>', 'Wallet that the call is for'),
  int('rpcclienttimeout', 900, 'Seconds to wait for an answer (0 = for ever)'),
  flag('rpcwait', false, 'Wait for the node to start'),
  flag('named', false, 'Arguments are name=value'),
  flag('stdin', false, 'Read more arguments from standard input, one a line'),
  flag('stdinrpcpass', false, 'Read the password from standard input, one line'),
  flag('getinfo', false, 'Print an overview'),
] as const;

/** Every option of the daemon: the only place where one is declared. docs/protocol/rpc-chain.md 2, docs/protocol/chain.md 1.3 */
export const GROUPS = [
  { title: 'Options', options: process },
  { title: 'Logging options', options: logging },
  { title: 'JSON-RPC and REST options', options: rpc },
  { title: 'gRPC, metrics and gateway options', options: ours },
  { title: 'Chain options', options: chain },
  { title: 'Upgrade heights (regtest and mocknet)', options: heights },
  { title: 'Regtest options', options: regtest },
  { title: 'Minting options', options: minting },
  { title: 'Transaction pool options', options: mempool },
  { title: 'Peer options', options: p2p },
  { title: 'Wallet options', options: wallet },
  { title: 'EVM and Ocean options', options: evm },
  { title: 'ZeroMQ options', options: zmq },
] as const satisfies readonly OptionGroup[];

const CLIENT_SHARES =
  '? h help version conf includeconf datadir testnet changi devnet regtest rpcport rpcuser rpcpassword rpccookiefile ethrpcport wsport walletfastselect walletcoinoptskipsolvable walletcoinopteagerselect'.split(
    ' ',
  );

export const OPTIONS: readonly Option[] = GROUPS.flatMap((group): readonly Option[] => group.options);

/** Options of `dfi-cli`: its own, and what it must understand of the daemon's. It calls EVM methods at -ethrpcport, of a node that has them. */
export const CLIENT_OPTIONS: readonly Option[] = [
  ...OPTIONS.filter(({ key }) => CLIENT_SHARES.includes(key)).map((option) =>
    option.key === 'ethrpcport' ? { ...option, noEffect: false } : option,
  ),
  ...client,
];

type AnyOption = (typeof GROUPS)[number]['options'][number] | (typeof client)[number];
export type OptionKey = AnyOption['key'];
/** Keys of the options of one type, so that a switch cannot be read as a number. */
export type KeyOf<T extends Option['type']> = Extract<AnyOption, { readonly type: T }>['key'];
