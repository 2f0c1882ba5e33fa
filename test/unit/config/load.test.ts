import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ConfigError } from '../../../src/config/errors.js';
import { helpText } from '../../../src/config/help.js';
import { loadConfig } from '../../../src/config/load.js';
import { NETWORKS } from '../../../src/config/networks.js';
import { CLIENT_OPTIONS, GROUPS, OPTIONS } from '../../../src/config/options.js';
import { networkParams } from '../../../src/params/index.js';
import { dataDir, load, loadIn } from './support.js';

test('command line over environment over network section over file over default', () => {
  const conf = 'regtest=1\nrpcuser=file\nrpcthreads=2\n[regtest]\nrpcuser=section\nrpcthreads=3\n';
  assert.equal(load(conf, ['-rpcuser=flag'], { DFI_RPCUSER: 'env' }).config.rpc.user, 'flag');
  assert.equal(load(conf, [], { DFI_RPCUSER: 'env' }).config.rpc.user, 'env');
  assert.equal(load(conf).config.rpc.user, 'section');
  assert.equal(load('rpcuser=file\n[regtest]\nrpcuser=section').config.rpc.user, 'file');
  assert.equal(load(conf).config.rpc.threads, 3);
  assert.equal(load('').config.rpc.threads, 4);
});

test('of single values the last flag applies, and the first line of the file', () => {
  assert.equal(load('', ['-rpcuser=a', '-rpcuser=b']).config.rpc.user, 'b');
  assert.equal(load('rpcuser=a\nrpcuser=b').config.rpc.user, 'a');
});

test('lists concatenate flags, environment, section and file', () => {
  const conf = 'regtest=1\nrpcauth=file\n[regtest]\nrpcauth=section\n';
  const { config } = load(conf, ['-rpcauth=one', '-rpcauth=two'], { DFI_RPCAUTH: 'x,y' });
  assert.deepEqual(config.rpc.auth, ['one', 'two', 'x', 'y', 'section', 'file']);
});

test('negation is 0, clears lists, and can be reverted', () => {
  assert.equal(load('', ['-noserver']).config.rpc.enabled, false);
  assert.equal(load('noserver=1').config.rpc.enabled, false);
  assert.deepEqual(load('rpcauth=a', ['-norpcauth']).config.rpc.auth, []);
  assert.deepEqual(load('', ['-rpcauth=a', '-norpcauth', '-rpcauth=b']).config.rpc.auth, ['b']);
  assert.equal(load('', ['-nodebuglogfile']).config.paths.logFile, undefined);
  assert.equal(load('regtest=1\n[regtest]\nnotxindex=1', ['-txindex']).config.chain.txIndex, true);
});

test('a negation counts in its section alone, before what is outside of it', () => {
  const txIndex = (outside: string, section: string) => load(`regtest=1\n${outside}\n[regtest]\n${section}`).config.chain.txIndex;
  assert.deepEqual([txIndex('txindex=1', 'notxindex=1'), txIndex('notxindex=1', 'txindex=1')], [false, true]);
  const auth = (outside: string, section: string) => load(`regtest=1\n${outside}\n[regtest]\n${section}`).config.rpc.auth;
  assert.deepEqual([auth('rpcauth=a', 'norpcauth=1'), auth('norpcauth=1', 'rpcauth=a')], [[], ['a']]);
  assert.equal(load('txindex=1\n[regtest]\nnotxindex=1').config.chain.txIndex, true, 'of another network');
});

test('a double negative is 1, with a warning', () => {
  const { config, notes } = load('', ['-notxindex=0']);
  assert.equal(config.chain.txIndex, true);
  assert.ok(notes.includes('Warning: parsed potentially confusing double-negative -txindex=0'), notes.join('\n'));
});

test('switches: an empty text is true, a word is 0', () => {
  const txindex = (value: string) => load('', [`-txindex${value}`]).config.chain.txIndex;
  assert.deepEqual(['', '=', '=1', '=2', '=0', '=true', '=yes'].map(txindex), [true, true, true, true, false, false, false]);
});

test('-zapwallettxes: a word is 0, and metadata is dropped with 2 alone', () => {
  const removes = (value: string) => load('', [`-zapwallettxes${value}`]).config.wallet.forgets;
  assert.deepEqual(['', '=', '=1', '=3'].map(removes), Array(4).fill('transactions'));
  assert.equal(removes('=2'), 'everything');
  assert.deepEqual(['=0', '=false', '=true', '=-0'].map(removes), Array(4).fill(undefined));
});

test('without wallets their options do not exclude others', () => {
  const argv = ['-disablewallet', '-wallet=a', '-wallet=b', '-zapwallettxes=1', '-rescan', '-prune=1'];
  assert.equal(load('', argv).config.wallet.enabled, false);
});

test('--flag is -flag, a single dash ends the flags', () => {
  assert.equal(load('', ['--rpcuser=a', '-', '-rpcuser=b']).config.rpc.user, 'a');
});

for (const { name, flag, directory, ports } of NETWORKS) {
  test(`network ${name}: directory, ports and parameters agree`, () => {
    const dir = dataDir();
    const { config } = loadIn(dir, flag ? [`-${flag}`] : []);
    const params = networkParams(config.network);
    assert.deepEqual([params.name, params.p2pPort], [name, ports.p2p]);
    assert.equal(config.paths.networkDir, join(dir, directory));
    assert.deepEqual([config.rpc.port, config.grpc?.port, config.metrics?.port], [ports.rpc, ports.grpc, ports.metrics]);
  });
}

test('-dev is regtest with all upgrades, in a directory of its own', () => {
  const dir = dataDir();
  const { config } = loadIn(dir, ['-regtest', '-dev', '-df24height=7']);
  const params = networkParams(config.network);
  assert.deepEqual([params.name, config.rpc.port, config.paths.networkDir], ['regtest', 19554, join(dir, 'dev')]);
  assert.deepEqual([params.upgrades.amk, params.upgrades.eunosKampung, params.upgrades.metachain, params.upgrades.df24], [1, 1, 1, 7]);
  assert.notDeepEqual(params.checkpoints, networkParams({ network: 'regtest' }).checkpoints);
});

test('checkpoints: an empty -checkpoints-file is ignored, a missing one is refused', () => {
  assert.equal(loadIn(dataDir(), ['-checkpoints-file=']).config.network.checkpoints, undefined);
  const message = 'Error in checkpoints file : Could not read /nowhere. Ensure it exists and has read permissions';
  assert.throws(() => loadIn(dataDir(), ['-checkpoints-file=/nowhere']), { message });
});

test('peers: -blocksonly also ends the relay of whitelisted peers, unless the operator says otherwise', () => {
  const relays = (...argv: string[]) => loadIn(dataDir(), argv).config.p2p.whitelistRelay;
  assert.deepEqual([relays(), relays('-blocksonly'), relays('-blocksonly', '-whitelistrelay')], [true, false, true]);
});

test('-dev accepts no peers unless options say so', () => {
  const listens = (...argv: string[]) => {
    const { listen, discover, onionService } = loadIn(dataDir(), ['-dev', ...argv]).config.p2p;
    assert.deepEqual([discover, onionService], [listen, undefined]);
    return listen;
  };
  assert.deepEqual([listens(), listens('-listen'), listens('-bind=127.0.0.1'), listens('-whitebind=127.0.0.1')], [false, true, true, true]);
});

test('modes of -devmine', () => {
  const mode = (...argv: string[]) => loadIn(dataDir(), ['-dev', ...argv]).config.dev?.mining;
  assert.deepEqual(
    [mode(), mode('-devmine=off'), mode('-nodevmine'), mode('-devmine=15'), mode('-devmine=tx')],
    ['tx', 'off', 'off', 15, 'tx'],
  );
  for (const wrong of ['', 'sometimes', '1.5', '-3', '86401']) assert.throws(() => mode(`-devmine=${wrong}`), ConfigError);
});

test('-dev mints with the first genesis masternode unless options name another', () => {
  const operators = (...argv: string[]) => loadIn(dataDir(), argv).config.minting.operators;
  assert.deepEqual(operators('-dev'), ['mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy']);
  assert.deepEqual(operators('-dev', '-masternode_operator=mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ'), ['mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ']);
  assert.deepEqual(operators('-regtest'), []);
});

for (const option of ['devmine=off', 'devprices=5', 'devworld=0']) {
  test(`-${option} is refused without -dev`, () => {
    const message = `-${option.split('=')[0]} is for the development network only: it needs -dev.`;
    for (const network of [[], ['-regtest'], ['-testnet']]) {
      assert.throws(() => loadIn(dataDir(), [...network, `-${option}`]), new ConfigError(message));
    }
  });
}

for (const flag of ['testnet', 'changi', 'devnet']) {
  test(`-dev is refused together with -${flag}`, () => {
    const expected = new ConfigError(`Invalid combination of -dev and -${flag}: -dev is a private network.`);
    assert.throws(() => loadIn(dataDir(), ['-dev', `-${flag}`]), expected);
  });
}

test('while it bootstraps, a network has the ports of the test network', () => {
  const ports = (...argv: string[]) => {
    const { config } = loadIn(dataDir(), argv);
    const params = networkParams(config.network);
    return [params.p2pPort, config.p2p?.port, config.rpc.port, config.grpc?.port];
  };
  assert.deepEqual(ports('-changi', '-changi-bootstrap'), [18555, 18555, 18554, 18550]);
  assert.deepEqual(ports('-devnet', '-devnet-bootstrap'), [18555, 18555, 18554, 18550]);
  assert.deepEqual(ports('-devnet', '-changi-bootstrap'), [21555, 21555, 21554, 21550]);
});

test('network of the file: the last line applies, sections are ignored', () => {
  assert.equal(load('regtest=1').config.network.network, 'regtest');
  assert.equal(load('regtest=1\nregtest=0').config.network.network, 'main');
  assert.equal(load('[regtest]\ntestnet=1\nregtest=1').config.network.network, 'main');
  assert.equal(load('testnet=1', ['-notestnet']).config.network.network, 'main');
  assert.equal(load('', [], { DFI_CHANGI: '1' }).config.network.network, 'changi');
});

test('section prefixes in a line, and options of other networks', () => {
  const conf = 'regtest=1\nregtest.rpcport=7777\ntest.rpcport=8888\nmain.rpcport=9999\n';
  assert.equal(load(conf).config.rpc.port, 7777);
  assert.equal(load('rpcport=1234').config.rpc.port, 1234);
});

test('comments, blanks and empty values', () => {
  const { config } = load('# all\n  rpcuser = a b \t# why\n\nrpcpassword=\r\nrpcallowcors=x\n');
  assert.deepEqual([config.rpc.user, config.rpc.password, config.rpc.corsOrigin], ['a b', '', 'x']);
});

test('unknown sections warn, at each mention', () => {
  const dir = dataDir({ 'defi.conf': 'regtest=1\n[testnet]\na.b=1\n' });
  const { warnings } = loadIn(dir);
  assert.deepEqual(warnings, [
    'Warning: defi.conf:2 Section [testnet] is not recognized.',
    'Warning: defi.conf:3 Section [testnet.a] is not recognized.',
  ]);
});

test('a setting below an unknown section does not repeat the warning', () => {
  const { warnings } = loadIn(dataDir({ 'defi.conf': 'regtest=1\n[nosuch]\na=1\n' }));
  assert.deepEqual(warnings, ['Warning: defi.conf:2 Section [nosuch] is not recognized.']);
});

test('unknown names in the file are logged with the nearest known one', () => {
  const { notes, warnings } = load('dash_conf=1\nrpcusr=x\n');
  assert.deepEqual(warnings, []);
  assert.deepEqual(notes, [
    'Ignoring unknown configuration value dash_conf',
    'Ignoring unknown configuration value rpcusr (did you mean rpcuser?)',
  ]);
});

test('options without effect are accepted with a warning in the log', () => {
  const { doubts, warnings } = load('upnp=0', ['-regtest', '-evmvlrucache=1', '-forcecompactdb', '-mocknet-blocktime=5']);
  assert.deepEqual(doubts, [
    'Option -forcecompactdb is accepted and has no effect in this version',
    'Option -mocknet-blocktime has no effect without the option it belongs to',
    'Option -upnp is accepted and has no effect in this version',
    'Option -evmvlrucache is accepted and has no effect in this version',
  ]);
  assert.deepEqual(warnings, [], 'standard error stays empty');
});

test('a missing file of -conf and a malformed -rpcauth are ignored as in defid, with a warning in the log', () => {
  const { doubts, warnings } = load('', ['-conf=/nonexistent.conf', '-rpcauth=user:password', '-rpcauth=a:b$c', '-rpcauth=bad']);
  assert.deepEqual(doubts, [
    'The specified config file /nonexistent.conf does not exist',
    'An -rpcauth that is not <user>:<salt>$<hash> is ignored',
  ]);
  assert.deepEqual(warnings, [], 'standard error stays empty');
  assert.deepEqual(loadIn(dataDir(), ['-rpcauth=a:b$c']).doubts, [], 'the usual file may be missing');
});

test('options whose text is no number are read as in defid, with a warning in the log', () => {
  const conf = 'txindex=true\nserver=\nlisten= 1 \n[regtest]\nrpcthreads=4x\ndbcache=\n';
  const { doubts, warnings, config } = load(conf, ['-regtest', '-rpcport=abc', '-rpcworkqueue=+7', '-maxconnections=-1', '-nodns']);
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    doubts.filter((text) => text.includes('should be')),
    [
      "Option -rpcport (command line: -rpcport) should be a number: 'abc' is read as 0",
      "Option -rpcthreads (file: defi.conf:5) should be a number: '4x' is read as 4",
      "Option -txindex (file: defi.conf:1) should be a number: 'true' is read as 0",
      "Option -dbcache (file: defi.conf:6) should be a number: '' is read as 0",
    ],
  );
  assert.deepEqual([config.rpc.port, config.rpc.threads, config.rpc.workQueue], [0, 4, 7]);
});

test('defaults of switches and integers are numbers', () => {
  const numbers = OPTIONS.filter(({ type, default: text }) => (type === 'int' || type === 'bool') && text !== undefined);
  assert.ok(numbers.length > 50);
  for (const { key, default: text = '' } of numbers) assert.match(text, /^-?\d+$/, key);
});

describe('every option has an effect, or is marked as without effect', () => {
  /** Options that have an effect only together with another one. */
  const beside: Readonly<Record<string, readonly string[]>> = {
    'changi-bootstrap': ['-changi'],
    'devnet-bootstrap': ['-devnet'],
    'mocknet-blocktime': ['-regtest', '-mocknet'],
    'mocknet-key': ['-regtest', '-mocknet'],
  };
  const values = { bool: '1', int: '1', amount: '0.001', text: '1' };

  for (const { key, type, noEffect, help } of OPTIONS) {
    test(`-${key}`, () => {
      assert.doesNotMatch(help, /^Accepted/, 'the help says what the option does in defid');
      assert.equal(isIgnored(`-${key}=${values[type]}`, beside[key] ?? ['-regtest']), noEffect);
    });
  }

  function isIgnored(argument: string, others: readonly string[]): boolean {
    try {
      const loaded = loadConfig({ argv: [...others, argument], env: {} });
      return loaded.action === 'run' && loaded.doubts.some((text) => text.includes('no effect'));
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return false; // an option whose value is rejected has been read
    }
  }
});

test('-interrupt-block is a hash of 64 characters, or else a height', () => {
  const given = (value: string) => load('', [`-interrupt-block=${value}`]).config.chain.interruptAt;
  assert.deepEqual(['', '12', '12x', 'ab'.repeat(32)].map(given), [undefined, { height: 12 }, { height: 12 }, { hash: 'ab'.repeat(32) }]);
});

test('options of logs, minting and relay reach the configuration', () => {
  const { minting, p2p } = load('').config;
  assert.deepEqual([minting.ordering, minting.logsFeeRates], [1, false]);
  assert.deepEqual([p2p.logsAddresses, p2p.maxOrphans, p2p.extraTransactions], [false, 100, 100]);
  const given = load('', [...'-blocktimeordering -printpriority -logips -maxorphantx=3 -blockreconstructionextratxn=-1'.split(' ')]).config;
  assert.deepEqual([given.minting.ordering, given.minting.logsFeeRates], [2, true]);
  assert.deepEqual([given.p2p.logsAddresses, given.p2p.maxOrphans, given.p2p.extraTransactions], [true, 3, 0]);
});

test('the help of the client, which calls EVM methods at -ethrpcport, does not call this option without effect', () => {
  const ignored = CLIENT_OPTIONS.filter(({ noEffect }) => noEffect).map(({ key }) => key);
  assert.deepEqual(ignored, ['wsport']);
});

test('help marks options without effect', () => {
  const lines = helpText(GROUPS, true).split('\n  -');
  const shown = lines.filter((text) => text.replaceAll(/\s+/g, ' ').includes('(no effect in this version)')).length;
  assert.equal(shown, OPTIONS.filter(({ noEffect }) => noEffect).length);
});

test('included files: relative to the data directory, one level', () => {
  const dir = dataDir({
    'defi.conf': 'regtest=1\n[regtest]\nincludeconf=one.conf\nincludeconf=sub/two.conf\nrpcuser=own\n',
    'one.conf': 'rpcuser=one\nregtest.rpcthreads=9\nincludeconf=three.conf\n',
    'sub/two.conf': '[nowhere]\n',
  });
  const { config, warnings, notes } = loadIn(dir);
  assert.deepEqual([config.rpc.user, config.rpc.threads], ['own', 9]);
  assert.deepEqual(warnings, [
    'warning: -includeconf cannot be used from included files; ignoring -includeconf=three.conf',
    'Warning: sub/two.conf:1 Section [nowhere] is not recognized.',
  ]);
  assert.ok(notes.includes('Included configuration file one.conf'));
});

test('an included file can change the network', () => {
  const dir = dataDir({ 'defi.conf': 'regtest=1\nincludeconf=main.conf\n', 'main.conf': 'regtest=0\n' });
  assert.equal(loadIn(dir).config.network.network, 'main');
});

test('-noincludeconf includes nothing', () => {
  const dir = dataDir({ 'defi.conf': 'includeconf=missing.conf\n' });
  assert.equal(loadIn(dir, ['-noincludeconf']).config.mode, 'node');
});

test('the data directory can be set in the file', () => {
  const dir = dataDir({ 'data/keep': '' });
  const conf = dataDir({ 'x.conf': `datadir=${join(dir, 'data')}\nregtest=1\n` });
  const loaded = loadConfig({ argv: [`-conf=${join(conf, 'x.conf')}`], env: {} });
  assert.equal(loaded.action === 'run' && loaded.config.paths.networkDir, join(dir, 'data', 'regtest'));
});

test('warnings are given before the error of a later option', () => {
  const lines: string[] = [];
  const dir = dataDir({ 'defi.conf': 'regtest=1\n[nosuch]\na=1\n' });
  const argv = [`-datadir=${dir}`, '-debug=foo', '-dustrelayfee=q'];
  assert.throws(() => loadConfig({ argv, env: {} }, (line) => void lines.push(line)), /Invalid amount for -dustrelayfee=<amount>: 'q'/);
  assert.deepEqual(lines, [
    'Warning: defi.conf:2 Section [nosuch] is not recognized.',
    'Warning: Unsupported logging category -debug=foo.',
  ]);
});

test('environment: names with dashes, secrets from files, warnings about unknown names', () => {
  const dir = dataDir({ secret: 'hunter2\n' });
  const env = { DFI_REGTEST_SKIP_LOAN_COLLATERAL_VALIDATION: '1', DFI_RPCPASSWORD_FILE: join(dir, 'secret'), DFI_NONSENSE: '1' };
  const { config, notes } = loadIn(dir, ['-regtest'], env);
  assert.equal(config.network.skipLoanCollateralValidation, true);
  assert.equal(config.rpc.password, 'hunter2');
  assert.deepEqual(notes, ['Ignoring unknown environment variable DFI_NONSENSE']);
});

test('an empty variable is as good as none', () => {
  const env = { DFI_REGTEST: '', DFI_RPCALLOWIP: '', DFI_METRICSBIND: '', DFI_DEBUG: '', DFI_RPCPORT: '', DFI_RPCPASSWORD_FILE: '' };
  const { config, doubts } = load('', [], env);
  assert.equal(config.network.network, 'main');
  assert.equal(config.rpc.port, 8554);
  assert.deepEqual([config.rpc.allowIp, config.metrics?.bind, config.log.categories, doubts], [[], ['127.0.0.1', '::1'], [], []]);
});

test('an empty address of metrics or gRPC does not stand for all of the machine', () => {
  const { config } = load('', ['-metricsbind=', '-grpcbind=']);
  assert.deepEqual(
    [config.metrics?.bind, config.grpc?.bind],
    [
      ['127.0.0.1', '::1'],
      ['127.0.0.1', '::1'],
    ],
  );
});

test('a missing secret file is rejected', () => {
  assert.throws(() => load('', [], { DFI_RPCPASSWORD_FILE: '/nonexistent' }), { message: /DFI_RPCPASSWORD_FILE names: \/nonexistent/ });
});

test('relative paths are taken from the network directory', () => {
  const dir = dataDir();
  const { paths } = loadIn(dir, [
    '-regtest',
    '-pid=x.pid',
    '-rpccookiefile=/tmp/c',
    '-debuglogfile=logs/a.log',
    `-blocksdir=${dir}`,
  ]).config;
  const net = join(dir, 'regtest');
  assert.deepEqual(
    [paths.pidFile, paths.cookieFile, paths.logFile, paths.blocksDir, paths.dataDirIsDefault],
    [join(net, 'x.pid'), '/tmp/c', join(net, 'logs/a.log'), join(dir, 'regtest', 'blocks'), false],
  );
});

test('listeners without options are optional', () => {
  const { config } = load('', ['-regtest', '-metricsport=0']);
  assert.deepEqual([config.grpc?.optional, config.metrics?.optional, config.metrics?.port], [true, false, 0]);
  assert.deepEqual(config.grpc?.bind, ['127.0.0.1', '::1']);
  assert.equal(load('', ['-nogrpc', '-metrics=0']).config.grpc, undefined);
  assert.equal(load('', ['-grpcbind=0.0.0.0', '-grpctls=0']).config.grpc?.tls, undefined);
  assert.equal(load('', ['-grpcbind=127.0.0.1:1', '-grpcbind=[::1]:1']).config.grpc?.tls, undefined);
  assert.deepEqual(load('', ['-grpctlscert=/c', '-grpctlskey=/k']).config.grpc?.tls, {
    certFile: '/c',
    keyFile: '/k',
    clientCaFile: undefined,
  });
});

const interactions = [
  {
    name: 'none',
    argv: [],
    expected: {
      listen: true,
      discover: true,
      dnsSeed: true,
      proxy: undefined,
      onionProxy: undefined,
      onion: '127.0.0.1:9051',
      random: true,
    },
  },
  {
    name: '-proxy neither listens nor looks for the own address',
    argv: ['-proxy=127.0.0.1:9050', '-proxyrandomize=0'],
    expected: {
      listen: false,
      discover: false,
      dnsSeed: true,
      proxy: '127.0.0.1:9050',
      onionProxy: undefined,
      onion: undefined,
      random: false,
    },
  },
  {
    name: '-proxy with -listen',
    argv: ['-proxy=tor', '-listen', '-onion=other:1'],
    expected: { listen: true, discover: false, dnsSeed: true, proxy: 'tor', onionProxy: 'other:1', onion: '127.0.0.1:9051', random: true },
  },
  {
    name: '-noproxy and -noonion',
    argv: ['-noproxy', '-listen', '-noonion', '-torcontrol=10.0.0.1'],
    expected: { listen: true, discover: false, dnsSeed: true, proxy: undefined, onionProxy: 'none', onion: '10.0.0.1', random: true },
  },
  {
    name: 'empty and 0 are no proxy',
    argv: ['-proxy=0', '-onion=', '-listen=1', '-listenonion=0'],
    expected: { listen: true, discover: false, dnsSeed: true, proxy: undefined, onionProxy: undefined, onion: undefined, random: true },
  },
  {
    name: 'no DNS query where only Tor is allowed and no proxy resolves names',
    argv: ['-onlynet=onion', '-onion=127.0.0.1', '-listen=0'],
    expected: { listen: false, discover: false, dnsSeed: false, proxy: undefined, onionProxy: '127.0.0.1', onion: undefined, random: true },
  },
];
for (const { name, argv, expected } of interactions) {
  test(`proxies: ${name}`, () => {
    const { p2p } = load('', argv).config;
    const { listen, discover, dnsSeed, proxy, onionProxy, onionService, randomizesProxyCredentials: random } = p2p;
    assert.deepEqual({ listen, discover, dnsSeed, proxy, onionProxy, onion: onionService?.control, random }, expected);
  });
}

test('networks: names in any case, tor is onion', () => {
  assert.deepEqual(load('', ['-onlynet=IPv4', '-onlynet=Tor', '-proxy=127.0.0.1']).config.p2p.onlyNets, ['ipv4', 'onion']);
});

test('logging: categories, exclusions, console', () => {
  const { log } = load('', ['-debug', '-debugexclude=leveldb', '-logtimemicros', '-loglevel=rpc:error']).config;
  assert.deepEqual([log.categories, log.excludedCategories, log.console, log.shrinkFile], [['all'], ['leveldb'], true, false]);
  assert.deepEqual(log.levels, { rpc: 'error' });
  assert.equal(load('', ['-daemon']).config.log.console, false);
  assert.deepEqual(load('', ['-debug=rpc', '-debug=none']).config.log.categories, []);
  assert.deepEqual(load('', ['-debug=foo']).warnings, ['Warning: Unsupported logging category -debug=foo.']);
});

test('amounts and sizes', () => {
  const { mempool, chain, minting } = load('', ['-minrelaytxfee=0.0002', '-prune=550', '-dbcache=100', '-txordering=2']).config;
  assert.deepEqual(
    [mempool.minRelayFeeRate, mempool.dustRelayFeeRate, mempool.maxBytes, mempool.expirySec, mempool.evmExpirySec],
    [20_000n, 3_000n, 300_000_000, 1_209_600, 10_800],
  );
  assert.deepEqual([chain.pruneTargetBytes, chain.cacheBytes, minting.ordering], [576_716_800, 104_857_600, 2]);
  assert.equal(load('', ['-incrementalrelayfee=0.0003']).config.mempool.minRelayFeeRate, 30_000n);
});

test('-rpccache is a size in MiB, and as in defid 0, 1 and 2 turn the cache off and on', () => {
  const sizes = ['', '-rpccache=0', '-rpccache=1', '-rpccache=2', '-rpccache=3', '-rpccache=-1'].map((flag) => {
    return load('', flag ? [flag] : []).config.rpc.cacheBytes / 2 ** 20;
  });
  assert.deepEqual(sizes, [16, 0, 16, 16, 3, 0]);
});

test('options of transfers between DVM and EVM', () => {
  const { mempool, rpc } = load('', ['-mempoolexpiryevm=1', '-tdsinglekeycheck=0']).config;
  assert.deepEqual([mempool.evmExpirySec, rpc.singleKeyTransfers, load('', []).config.rpc.singleKeyTransfers], [3_600, false, true]);
});

test('policy of the mempool', () => {
  const { mempool } = load('', []).config;
  assert.deepEqual(mempool.limits, { ancestorCount: 25, ancestorBytes: 101_000, descendantCount: 25, descendantBytes: 101_000 });
  assert.deepEqual(
    [mempool.persist, mempool.permitBareMultisig, mempool.dataCarrierBytes, mempool.bytesPerSigOp, mempool.signatureCacheBytes],
    [false, true, { beforeMetachain: 4_000, sinceMetachain: 65_536 }, 20, 33_554_432],
  );
  assert.deepEqual(load('', ['-datacarriersize=83']).config.mempool.dataCarrierBytes, { beforeMetachain: 83, sinceMetachain: 83 });
  const flags = ['-persistmempool', '-permitbaremultisig=0', '-datacarrier=0', '-bytespersigop=5', '-maxsigcachesize=20000'];
  const { mempool: set } = load('', [...flags, '-limitancestorsize=7', '-limitdescendantcount=3']).config;
  assert.deepEqual(
    [set.persist, set.permitBareMultisig, set.dataCarrierBytes, set.bytesPerSigOp, set.signatureCacheBytes],
    [true, false, undefined, 5, 17_179_869_184],
  );
  assert.deepEqual([set.limits.ancestorBytes, set.limits.descendantCount], [7_000, 3]);
});

test('flags of the Jellyfish containers', () => {
  const argv =
    '-printtoconsole -rpcallowip=0.0.0.0/0 -rpcbind=0.0.0.0 -ethrpcbind=0.0.0.0 -rpcworkqueue=512 -rpcuser=testcontainers-user -rpcpassword=p ' +
    '-regtest=1 -jellyfish_regtest=1 -txnotokens=0 -logtimemicros -txindex=1 -acindex=1 -amkheight=0 -bayfrontheight=1 -bayfrontgardensheight=2 ' +
    '-clarkequayheight=3 -dakotaheight=4 -dakotacrescentheight=5 -eunosheight=6 -eunospayaheight=7 -fortcanningheight=8 -fortcanningmuseumheight=9 ' +
    '-fortcanninghillheight=10 -fortcanningroadheight=11 -fortcanningcrunchheight=12 -fortcanningspringheight=13 -fortcanninggreatworldheight=14 ' +
    '-fortcanningepilogueheight=15 -grandcentralheight=16 -grandcentralepilogueheight=17 -metachainheight=18 ' +
    '-regtest-skip-loan-collateral-validation -regtest-minttoken-simulate-mainnet=0 -rpc-governance-accept-neutral=1 -dummypos=0 -spv=1 ' +
    '-anchorquorum=2 -masternode_operator=mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
  const { config, warnings } = load('', argv.split(' '));
  const params = networkParams(config.network);
  assert.deepEqual(warnings, []);
  assert.deepEqual(config.minting.operators, ['mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU']);
  assert.deepEqual([params.subsidy.base, params.upgrades.metachain, params.upgrades.fortCanningPark], [10_000_000_000n, 18, 10_000_000]);
  assert.deepEqual(config.rpc.bind, ['0.0.0.0']);
});

test('configuration file of the functional test framework', () => {
  const conf =
    'regtest=1\n[regtest]\nport=11000\nrpcport=16000\ngrpcport=21000\nethrpcport=25000\nwsport=29000\nserver=1\nkeypool=1\ndiscover=0\n' +
    'listenonion=0\nprinttoconsole=0\nupnp=0\n';
  const argv =
    '-logtimemicros -logthreadnames -debug -debugexclude=libevent -debugexclude=leveldb -uacomment=testnode0 -masternode_operator=x -dummypos=1 -txnotokens=1';
  const { config, warnings } = load(conf, argv.split(' '));
  assert.deepEqual(warnings, []);
  assert.deepEqual([config.rpc.port, config.grpc?.port, config.log.console, config.network.dummyPos], [16000, 21000, false, true]);
});

test('the result is frozen', () => {
  const { config } = load('', ['-rpcauth=a']);
  assert.throws(() => Object.assign(config.rpc, { port: 1 }), TypeError);
  assert.throws(() => (config.rpc.auth as string[]).push('b'), TypeError);
});

test('help and version need no data directory', () => {
  const action = (...argv: string[]) => loadConfig({ argv, env: {} }).action;
  assert.deepEqual(
    ['-?', '-h', '-help', '--help', '-help-debug'].map((flag) => action(flag, '-datadir=/nonexistent')),
    new Array(5).fill('help'),
  );
  assert.equal(action('-version', '-datadir=/nonexistent'), 'version');
});

test('roles and whitelists of users', () => {
  const argv = [
    '-rpcauth=alice:salt$hash',
    '-rpcauthrole=alice:read',
    '-rpcauthrole=__cookie__:spend',
    '-rpcwhitelist=alice:getblock,help',
  ];
  const { rpc } = load('', argv).config;
  assert.deepEqual(rpc.roles, [
    { user: 'alice', role: 'read' },
    { user: '__cookie__', role: 'spend' },
  ]);
  assert.deepEqual([rpc.whitelists, rpc.whitelistDefault], [['alice:getblock,help'], undefined]);
  assert.equal(load('', ['-rpcwhitelistdefault=0']).config.rpc.whitelistDefault, false);
  assert.throws(() => load('', ['-rpcauthrole=alcie:read']), { message: "-rpcauthrole names a user without credentials: 'alcie'" });
  assert.throws(() => load('', ['-rpcauthrole=__cookie__:write']), { message: /Invalid -rpcauthrole: '__cookie__:write'/ });
});

test('roles of client certificates', () => {
  const tls = ['-grpctlscert=c', '-grpctlskey=k'];
  const { grpc } = load('', [...tls, '-grpcclientca=a', '-grpccertrole=CN=alice,O=Example:admin']).config;
  assert.deepEqual(grpc?.certificateRoles, [{ subject: 'CN=alice,O=Example', role: 'admin' }]);
  assert.throws(() => load('', [...tls, '-grpccertrole=CN=alice:admin']), { message: '-grpccertrole needs -grpcclientca.' });
  assert.throws(() => load('', [...tls, '-grpcclientca=a', '-grpccertrole=alice:admin']), { message: /is no subject such as CN=<name>/ });
});
