import { UPGRADE_FLAGS } from '../params/upgrade-heights.js';
import { RULE_NAMES } from '../params/upgrades.js';
import { clientOptions, evmOptions, oceanOptions, rpcOptions, serverOptions, zmqOptions } from './interface-options.js';
import { portsText } from './networks.js';
import { amount, flag, hidden, hiddenNoEffect, int, list, networkOnly, noEffect, type Option, type OptionGroup, text } from './option.js';

const process = [
  flag('?', false, 'Print this help message and exit'),
  flag('h', false, 'Like -?', hidden),
  flag('help', false, 'Like -?', hidden),
  flag('help-debug', false, 'Print help including the options for tests, and exit'),
  flag('version', false, 'Print version and exit'),
  text('conf', 'defi.conf', '<file>', 'Configuration file; a relative path is taken from the data directory'),
  list('includeconf', '<file>', 'Another configuration file, relative to the data directory (only inside a configuration file)'),
  text('datadir', undefined, '<dir>', 'Data directory'),
  text('blocksdir', undefined, '<dir>', 'Directory that contains the directory of the blocks (default: data directory)'),
  text('pid', 'defid.pid', '<file>', 'Process id file; a relative path is taken from the network directory'),
  flag('daemon', false, 'Run in the background as a daemon'),
  flag('daemonwait', false, 'Run in the background, and return to the terminal after initialisation; implies -daemon'),
  flag('sysperms', false, 'Create new files with the default permissions of the system instead of umask 077'),
  text(
    'alertnotify',
    undefined,
    '<cmd>',
    'Command to run when unknown new rules activate, and when block processing halts; %s is replaced by the message',
  ),
  text('blocknotify', undefined, '<cmd>', 'Command to run when the best block changes; %s is replaced by its hash'),
  list('shutdownnotify', '<cmd>', 'Command to run before shutdown begins; the shutdown waits for it'),
  text('lang', undefined, '<lang>', 'Language of the user interface', hiddenNoEffect),
  flag('choosedatadir', false, 'Choose the data directory in a dialog', hiddenNoEffect),
  flag('min', false, 'Start minimised', hiddenNoEffect),
  flag('resetguisettings', false, 'Reset the settings of the user interface', hiddenNoEffect),
  flag('splash', false, 'Show a splash screen at start-up', hiddenNoEffect),
] as const;

const logging = [
  text(
    'debuglogfile',
    'debug.log',
    '<file>',
    'Log file; a relative path is taken from the network directory (-nodebuglogfile disables it)',
  ),
  flag('printtoconsole', undefined, 'Log to standard output (default: 1 unless -daemon)'),
  flag('shrinkdebugfile', undefined, 'Shrink a large log file at start-up (default: 1 without -debug)'),
  list('debug', '<category>', 'Log debugging information of a category; no value or 1: all categories'),
  list('debugexclude', '<category>', 'Exclude a category from -debug=1'),
  list('loglevel', '<module>:<level>', 'Log level of a module, or of all if no module is named: debug, info, warn or error'),
  flag('logtimemicros', false, 'Log times with microseconds'),
  flag('logtimestamps', true, 'Log timestamps; every line has one', noEffect),
  flag('logthreadnames', false, 'Log thread names; lines name the module instead', noEffect),
  flag('logips', false, 'Log IP addresses of peers'),
  flag('printpriority', false, 'Log fee rates of transactions when a block is assembled', hidden),
] as const;

const chain = [
  flag('testnet', false, 'Use the test network'),
  flag('changi', false, 'Use the changi network'),
  flag('devnet', false, 'Use the devnet network'),
  flag('regtest', false, 'Use a private network in which blocks are minted on request'),
  flag('dev', false, 'Use a private network for development: all upgrades are active, and its first start makes a world to try things in'),
  flag('changi-bootstrap', false, 'Download the history of changi from peers of the test network'),
  flag('devnet-bootstrap', false, 'Download the history of devnet from peers of the test network'),
  flag('txindex', false, 'Maintain a full transaction index'),
  flag('acindex', true, 'Maintain an index of account history'),
  flag('vaultindex', false, 'Maintain an index of vault history'),
  int('eventretention', 10_000, 'Number of blocks whose events are kept for clients that resume the stream; 0 keeps none'),
  list('eventwebhook', '<url>', 'Post events to this address, signed with -eventwebhookkey', { secret: true }),
  text('eventwebhookkey', '', '<secret>', 'Key of the signatures of -eventwebhook: text, or whsec_ and Base64', { secret: true }),
  text('eventnats', undefined, '<url>', 'Publish events to JetStream of this server: nats://[user:password@]host:port', { secret: true }),
  text('eventnatssubject', 'dfi.events', '<subject>', 'Beginning of the subjects of -eventnats; the kind of the event is appended'),
  text('eventkafka', undefined, '<url>', 'Publish events to Kafka: kafka://[user:password@]host:port[,host:port], kafka+ssl:// for TLS', {
    secret: true,
  }),
  text('eventkafkatopic', 'dfi.events', '<topic>', 'Topic of -eventkafka; all events go to its partition 0'),
  text('eventkafkasasl', 'plain', '<mechanism>', 'Login of -eventkafka: plain, scram-sha-256 or scram-sha-512'),
  text('eventkinds', '', '<kinds>', 'Kinds of events that are posted and published, separated by commas (default: all)'),
  text('blockfilterindex', '0', '<type>', 'Maintain an index of compact block filters: basic, 1 or 0'),
  flag('validatesnapshot', true, 'Download and validate the blocks below a snapshot in the background; not with -prune'),
  int('prune', 0, 'Prune old blocks: 0 disables pruning, 1 allows it on request, 550 and more is the target size in MiB'),
  int('dbcache', 450, 'Size of the database cache in MiB'),
  flag('reindex', false, 'Rebuild block index and chain state from the stored block files'),
  flag('reindex-chainstate', false, 'Rebuild the chain state from the indexed blocks'),
  list('loadblock', '<file>', 'Import blocks of a file at start, such as blk00000.dat of another node'),
  text('assumevalid', undefined, '<hex>', 'Skip script verification of this block and its ancestors; 0 verifies all'),
  text('minimumchainwork', undefined, '<hex>', 'Minimum work of the chain before initial block download ends'),
  int('maxtipage', 36_000, 'Maximum age of the tip in seconds, above which the node is in initial block download'),
  int('par', 0, 'Script verification threads: 0 = one per core, below 0 = leave that many cores free'),
  int('checkblocks', 6, 'Number of blocks verified at start-up (0 = all)'),
  int('checklevel', 3, 'Thoroughness of -checkblocks: 0 to 4'),
  int('mocktime', 0, 'Replace the clock by this time, seconds since 1970', hidden),
  int('stopatheight', 0, 'Stop after the tip reaches this height', hidden),
  flag('stopafterblockimport', false, 'Stop after importing blocks from disk', hidden),
  flag('checkpoints', true, 'Reject chains that do not contain the checkpoints', hidden),
  text('checkpoints-file', undefined, '<file>', 'Checkpoints to use instead of those of the network: lines of height and hash', hidden),
  flag('checkblockindex', undefined, 'Check the consistency of the block index', hiddenNoEffect),
  int('checkmempool', undefined, 'Check the consistency of the mempool, once in <n> transactions', hiddenNoEffect),
  int('dbbatchsize', 16_777_216, 'Size of a database write batch in bytes', hiddenNoEffect),
  int('dbcrashratio', 0, 'Crash after one in <n> writes of connected blocks; 0 never does', hidden),
  flag('forcecompactdb', false, 'Compact the database at start', hiddenNoEffect),
  text('interrupt-block', undefined, '<hash|height>', 'Do not connect this block, or any block of this height', hidden),
  int('maxsigcachesize', 32, 'Size of the caches of verified signatures and scripts in MiB', hidden),
  int('dftxworkers', 0, 'Threads that apply custom transactions', hiddenNoEffect),
  flag('dexstats', false, 'Store statistics of pool swaps'),
  list(
    'consolidaterewards',
    '<symbol>',
    'Materialise the rewards of the holders of a token or pool share at start-up, and of all accounts without a symbol; the node exports no snapshots afterwards',
  ),
  flag('negativeinterest', false, 'Store totals of negative interest', hidden),
  flag('dvmownerskipcheck', true, 'Limit utxostoaccount, accounttoaccount and sendtokenstoaddress to own addresses for DFI', hidden),
  flag('tdsinglekeycheck', true, 'Limit transferdomain to addresses of the same key, unless a call says otherwise', hidden),
  flag('enablesnapshots', true, 'Read from snapshots of the state; always on', hiddenNoEffect),
] as const;

/** One option per upgrade, in the order of activation. The keys come from a list, so one literal stands for their type. */
type HeightKey = 'segwitheight';
const heights: readonly Option<HeightKey, 'int'>[] = [
  int('segwitheight', undefined, 'Activation height of segwit', hidden),
  ...UPGRADE_FLAGS.map(({ flag: name, upgrade, label = RULE_NAMES[upgrade] }) =>
    int(name.slice(1) as HeightKey, undefined, `Activation height of ${label}; -1 for never`, hidden),
  ),
];

const regtest = [
  flag('jellyfish_regtest', false, 'Genesis block and emission for the Jellyfish test tools'),
  flag('dummypos', false, 'Do not verify proof of stake'),
  flag('txnotokens', false, 'Serialise outputs without token id'),
  flag('subsidytest', false, 'Use the emission schedule of main'),
  flag('simulatemainnet', false, 'Use the block spacing and retarget timespans of main'),
  int('anchorquorum', 1, 'Number of signatures that an anchor needs'),
  flag('regtest-skip-loan-collateral-validation', false, 'Skip the validation of collateral when a loan is taken', hidden),
  flag('regtest-minttoken-simulate-mainnet', false, 'Apply the rules of main to the minting of tokens', hidden),
  text('devmine', 'tx', '<tx|seconds|off>', 'Blocks of -dev: for each transaction, at an interval, or on request only'),
  int('devprices', 30, 'Seconds between two price reports of the oracle of -dev; 0 reports once at each start'),
  flag('devworld', true, 'Fill a new chain of -dev with funded accounts, tokens, pools, loans and more'),
  list('vbparams', '<deployment:start:end>', 'Start and end time of a version bits deployment', hidden),
  flag('mocknet', false, 'Use a private copy of the network, with configurable upgrade heights', hidden),
  int('mocknet-blocktime', 30, 'Block spacing of -mocknet in seconds', hidden),
  text('mocknet-key', undefined, '<pubkey>', 'Foundation member of -mocknet', hidden),
] as const;

const minting = [
  flag('gen', false, 'Mint blocks with the masternodes of -masternode_operator'),
  list('masternode_operator', '<address>', 'Operator address of a masternode to mint with'),
  text('masternode_owner', undefined, '<address>', 'Owner address of a masternode', noEffect),
  text('rewardaddress', undefined, '<address>', 'Address for the rewards of minted blocks'),
  int('txordering', 1, 'Order of transactions in new blocks: 0 mixed, 1 by fee, 2 by entry time'),
  flag('blocktimeordering', false, 'Deprecated: -txordering=2', hidden),
  int('blockmaxweight', 63_996_000, 'Maximum weight of a new block'),
  amount('blockmintxfee', '0.00001', 'Minimum fee rate of transactions in new blocks, DFI/kB'),
  int('blockversion', undefined, 'Override the version of new blocks (regtest)', hidden),
  text('minerstrategy', 'none', '<s>', 'Staking strategy', hiddenNoEffect),
  flag('ascendingstaketime', false, 'Search stake times in ascending order', hiddenNoEffect),
] as const;

const mempool = [
  int('maxmempool', 300, 'Maximum memory use of the mempool in MB'),
  int('mempoolexpiry', 336, 'Hours after which a transaction expires from the mempool'),
  int('mempoolexpiryevm', 3, 'Hours after which an EVM transaction expires from the mempool'),
  flag('persistmempool', false, 'Save the mempool on shutdown and load it at start-up'),
  int('maxorphantx', 100, 'Maximum number of orphan transactions in memory'),
  amount('minrelaytxfee', '0.00001', 'Minimum fee rate of transactions for relay, DFI/kB'),
  amount('incrementalrelayfee', '0.00001', 'Minimum increase of the fee rate for mempool limits and replacements, DFI/kB', hidden),
  amount('dustrelayfee', '0.00003', 'Fee rate that defines dust outputs, DFI/kB', hidden),
  int('bytespersigop', 20, 'Equivalent virtual bytes per signature operation'),
  flag(
    'acceptnonstdtxn',
    undefined,
    'Relay and mint non-standard transactions (default: 1 on test networks, 0 on main and regtest)',
    hidden,
  ),
  flag('datacarrier', true, 'Relay and mint data carrier transactions'),
  int('datacarriersize', undefined, 'Maximum size of data carrier scripts in bytes (default: 65536, or 4000 before Metachain)'),
  flag('permitbaremultisig', true, 'Relay bare multisig outputs'),
  int('limitancestorcount', 25, 'Maximum number of unconfirmed ancestors of a transaction, including itself', hidden),
  int('limitancestorsize', 101, 'Maximum size of a transaction and its unconfirmed ancestors in kB', hidden),
  int('limitdescendantcount', 25, 'Maximum number of unconfirmed descendants of a transaction, including itself', hidden),
  int('limitdescendantsize', 101, 'Maximum size of a transaction and its unconfirmed descendants in kB', hidden),
] as const;

const p2p = [
  int('port', undefined, `Port to listen on for peers (default: ${portsText('p2p')})`, networkOnly),
  text('ports', undefined, 'auto', 'Choose free ports; set each port instead', { ...networkOnly, ...noEffect }),
  list('addnode', '<ip>', 'Add a node to connect to, and keep the connection open', networkOnly),
  list('connect', '<ip>', 'Connect only to this node; -noconnect disables automatic connections', networkOnly),
  list('bind', '<addr>', 'Address to listen on for peers', networkOnly),
  list('whitebind', '<addr>', 'Address to listen on for peers, which are whitelisted'),
  list('whitelist', '<net>', 'Whitelist peers that connect from this address or network'),
  list('seednode', '<ip>', 'Fetch peer addresses from this node, then disconnect'),
  list('externalip', '<ip>', 'Own public address to announce, or a name that DNS resolves to it'),
  list('onlynet', '<net>', 'Make automatic outbound connections only to this network: ipv4, ipv6 or onion'),
  list('uacomment', '<text>', 'Comment to add to the user agent'),
  flag('listen', undefined, 'Accept inbound connections (default: 1 unless -connect, -proxy or -dev)'),
  flag('listenonion', undefined, 'Create a Tor onion service, if a Tor daemon runs (default: 1 when listening without -dev)'),
  flag('discover', undefined, 'Discover own addresses, those of -bind too (default: 1 when listening without -externalip or -proxy)'),
  flag('dns', true, 'Allow DNS lookups of the host names in options and addnode'),
  flag('dnsseed', undefined, 'Query DNS seeds for addresses (default: 1 unless -connect)'),
  flag('forcednsseed', false, 'Always query DNS seeds'),
  flag('upnp', false, 'Map the listening port with UPnP', noEffect),
  flag('blocksonly', false, 'Do not request transactions from peers', hidden),
  flag('feefilter', true, 'Send the minimum fee rate of the mempool to peers (BIP133)', hidden),
  flag('peerbloomfilters', false, 'Support filtering of blocks and transactions with bloom filters (BIP37)'),
  flag('whitelistrelay', true, 'Accept transactions of whitelisted peers even with -blocksonly', hidden),
  flag('whitelistforcerelay', false, 'Relay transactions of whitelisted peers even if they are in the mempool already', hidden),
  flag('enablebip61', false, 'Send reject messages (BIP61)'),
  flag('proxyrandomize', true, 'Use new credentials for every proxy connection, for Tor stream isolation'),
  flag('addrmantest', false, 'Announce the loopback address', hidden),
  text(
    'proxy',
    undefined,
    '<ip:port>',
    'Connect to peers through this SOCKS5 proxy, which also resolves names; private addresses are not reachable',
  ),
  text(
    'onion',
    undefined,
    '<ip:port>',
    'Use another SOCKS5 proxy for Tor onion services; -noonion makes them unreachable (default: -proxy)',
  ),
  text('torcontrol', '127.0.0.1:9051', '<ip:port>', 'Tor control port for -listenonion'),
  text('torpassword', undefined, '<pass>', 'Password of the Tor control port (default: authenticate by cookie)', { secret: true }),
  int('maxconnections', 125, 'Maximum number of connections to peers'),
  int('maxreceivebuffer', 5000, 'Maximum receive buffer of a connection in kB'),
  int('maxsendbuffer', 1000, 'Maximum send buffer of a connection in kB'),
  int('maxuploadtarget', 0, 'Upload target in MiB per day (0 = no limit)'),
  int('maxtimeadjustment', 4200, 'Maximum adjustment of the time by peers in seconds', hidden),
  int('banscore', 100, 'Misbehaviour score at which a peer is disconnected'),
  int('bantime', 86_400, 'Default duration of a ban in seconds'),
  int('timeout', 5000, 'Connection timeout in milliseconds'),
  int('peertimeout', 60, 'Seconds of inactivity after which a peer is disconnected', hidden),
  int('dropmessagestest', 0, 'Drop one in <n> messages', hiddenNoEffect),
  int('blockreconstructionextratxn', 100, 'Number of extra transactions in memory for compact block reconstruction', hidden),
  text('maxaddrratepersecond', undefined, '<n>', 'Addresses accepted from a peer per second', hidden),
  int('maxaddrprocessingtokenbucket', undefined, 'Addresses accepted from a peer at once', hidden),
  flag('spv', true, 'Follow the Bitcoin chain for anchors; only that of regtest, which exists in the process alone'),
  flag('spv_resync', false, 'Follow the Bitcoin chain from the start', noEffect),
  text('spvblocknotify', undefined, '<cmd>', 'Command to run when the best Bitcoin block changes', noEffect),
  text('spvwalletnotify', undefined, '<cmd>', 'Command to run when a Bitcoin transaction of the wallet changes', noEffect),
] as const;

const wallet = [
  list('wallet', '<path>', 'Wallet to load at start-up; a relative path is taken from -walletdir', networkOnly),
  text('walletdir', undefined, '<dir>', 'Directory of the wallets'),
  flag('walletoutside', false, 'Allow createwallet to create wallets outside of -walletdir'),
  flag('disablewallet', false, 'Do not load wallets, and disable wallet calls'),
  text('addresstype', 'p2sh-segwit', '<type>', 'Type of new addresses: legacy, p2sh-segwit, bech32 or erc55'),
  text('changetype', undefined, '<type>', 'Type of change addresses (default: as -addresstype, or as the recipients)'),
  amount('fallbackfee', '0.0002', 'Fee rate if no estimate is available, DFI/kB; 0 disables'),
  amount('discardfee', '0.0001', 'Fee rate up to which dust change is added to the fee, DFI/kB'),
  amount('mintxfee', '0.00001', 'Minimum fee rate of wallet transactions, DFI/kB'),
  amount('paytxfee', '0', 'Fee rate of wallet transactions, DFI/kB; fees are estimated unless it is given'),
  amount('maxtxfee', '0.1', 'Maximum fee of a wallet transaction, DFI'),
  int('keypool', 1000, 'Size of the key pool'),
  int('txconfirmtarget', 6, 'Target of fee estimation in blocks until confirmation'),
  flag('walletrbf', false, 'Signal opt-in replacement (BIP125) in wallet transactions'),
  flag('walletbroadcast', true, 'Broadcast wallet transactions'),
  flag('spendzeroconfchange', true, 'Spend unconfirmed change of own transactions'),
  flag('avoidpartialspends', false, 'Select coins by address, all or none of each'),
  flag('rescan', false, 'Rescan the block chain for wallet transactions at start-up'),
  text('zapwallettxes', '0', '<mode>', 'Remove transactions from the wallet and rescan the block chain: 1 keeps metadata, 2 drops it'),
  text('walletnotify', undefined, '<cmd>', 'Command to run when a wallet transaction changes; %s is replaced by its txid'),
  flag('salvagewallet', false, 'Recover keys from a damaged wallet; use dfi-wallet salvage', noEffect),
  flag('upgradewallet', false, 'Upgrade the wallet format; done when a wallet is loaded', noEffect),
  int('backupwallet', 0, 'Minutes between automatic backups of each wallet; 0 disables them', hidden),
  flag('walletfastselect', false, 'Enable -walletcoinoptskipsolvable and -walletcoinopteagerselect: faster, less optimal coin selection'),
  flag(
    'walletcoinoptskipsolvable',
    false,
    'Assume that all outputs are solvable; coin selection may then choose one that cannot be signed',
  ),
  flag('walletcoinopteagerselect', false, 'Select from the first coins that suffice, in txid order, instead of from all'),
  int('dblogsize', 100, 'Size of a wallet database log in MiB', hiddenNoEffect),
  flag('flushwallet', true, 'Flush the wallet periodically', hiddenNoEffect),
  flag('privdb', true, 'Use a private wallet database environment', hiddenNoEffect),
  flag('walletrejectlongchains', false, 'Do not create transactions that exceed the mempool limits of unconfirmed chains', hidden),
] as const;

/**
 * All options of the daemon by section of the help text; declared here and in `interface-options.ts`, and nowhere else.
 * @see docs/protocol/rpc-chain.md 2, docs/protocol/chain.md 1.3
 */
export const GROUPS = [
  { title: 'Options', options: process },
  { title: 'Logging options', options: logging },
  { title: 'JSON-RPC and REST options', options: rpcOptions },
  { title: 'gRPC, metrics and gateway options', options: serverOptions },
  { title: 'Chain options', options: chain },
  { title: 'Upgrade heights (regtest and mocknet)', options: heights },
  { title: 'Regtest options', options: regtest },
  { title: 'Minting options', options: minting },
  { title: 'Mempool options', options: mempool },
  { title: 'Peer options', options: p2p },
  { title: 'Wallet options', options: wallet },
  { title: 'EVM options', options: evmOptions },
  { title: 'Ocean options', options: oceanOptions },
  { title: 'ZeroMQ options', options: zmqOptions },
] as const satisfies readonly OptionGroup[];

const CLIENT_SHARES =
  '? h help version conf includeconf datadir testnet changi devnet regtest dev rpcport rpcuser rpcpassword rpccookiefile ethrpcport wsport walletfastselect walletcoinoptskipsolvable walletcoinopteagerselect'.split(
    ' ',
  );

/** All options of the daemon. */
export const OPTIONS: readonly Option[] = GROUPS.flatMap((group): readonly Option[] => group.options);

/** Options of `dfi-cli`: its own, and those of the daemon that it reads. It sends EVM methods to -ethrpcport, none to -wsport. */
export const CLIENT_OPTIONS: readonly Option[] = [
  ...OPTIONS.filter(({ key }) => CLIENT_SHARES.includes(key)).map((option) =>
    option.key === 'wsport' ? { ...option, noEffect: true } : option,
  ),
  ...clientOptions,
];

type AnyOption = (typeof GROUPS)[number]['options'][number] | (typeof clientOptions)[number];
/** Name of an option of the daemon or the client, without dash. */
export type OptionKey = AnyOption['key'];
/** Keys of the options of one type; a switch cannot be read as a number. */
export type KeyOf<T extends Option['type']> = Extract<AnyOption, { readonly type: T }>['key'];
