import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../../src/config/errors.js';
import { loadConfig } from '../../../src/config/load.js';
import { networkParams } from '../../../src/params/index.js';
import { dataDir, load, loadIn } from './support.js';

interface Fault {
  readonly name: string;
  readonly conf?: string;
  readonly argv?: readonly string[];
  /** Text after `Error: `. */
  readonly text: string;
}

const reading = 'Error reading configuration file: ';
const parsing = 'Error parsing command line arguments: ';

const faults: readonly Fault[] = [
  { name: 'unknown flag', argv: ['-dash_cli=1'], text: `${parsing}Invalid parameter -dash_cli` },
  { name: 'unknown flag with two dashes', argv: ['--nonsense'], text: `${parsing}Invalid parameter -nonsense` },
  { name: 'unknown negated flag', argv: ['-nofoo'], text: `${parsing}Invalid parameter -nofoo` },
  {
    name: 'includeconf on the command line',
    argv: ['-includeconf=a.conf'],
    text: `${parsing}-includeconf cannot be used from commandline; -includeconf=a.conf`,
  },
  {
    name: 'bare token',
    argv: ['-regtest', 'start'],
    text: "Command line contains unexpected token 'start', see defid -h for a list of options.",
  },
  {
    name: 'leading dash in the file',
    conf: '-dash=1',
    text: `${reading}parse error on line 1: -dash=1, options in configuration file must be specified without leading -`,
  },
  { name: 'line without equals', conf: 'server=1\n\n  garbage  ', text: `${reading}parse error on line 3: garbage` },
  {
    name: 'line without equals that looks negated',
    conf: 'nono',
    text: `${reading}parse error on line 1: nono, if you intended to specify a negated option, use nono=1 instead`,
  },
  {
    name: '# behind rpcpassword',
    conf: 'server=1\nrpcuser=someuser\nrpcpassword=some#pass',
    text: `${reading}parse error on line 3, using # in rpcpassword can be ambiguous and should be avoided`,
  },
  {
    name: '# behind main.rpcpassword',
    conf: 'server=1\nrpcuser=someuser\nmain.rpcpassword=some#pass',
    text: `${reading}parse error on line 3, using # in rpcpassword can be ambiguous and should be avoided`,
  },
  {
    name: '# behind rpcpassword in a section',
    conf: 'server=1\nrpcuser=someuser\n[main]\nrpcpassword=some#pass',
    text: `${reading}parse error on line 4, using # in rpcpassword can be ambiguous and should be avoided`,
  },
  {
    name: 'missing included file',
    conf: 'includeconf=/nonexistent/x.conf',
    text: `${reading}Failed to include configuration file /nonexistent/x.conf`,
  },
  { name: 'two networks', argv: ['-regtest', '-testnet'], text: 'Invalid combination of -regtest and -testnet.' },
  { name: 'two networks in the file', conf: 'devnet=1\nregtest=1', text: 'Invalid combination of -regtest and -testnet.' },
  {
    name: 'network-only option in the default section',
    conf: 'regtest=1\nwallet=foo',
    text: 'Config setting for -wallet only applied on regtest network when in [regtest] section.',
  },
  {
    name: 'network-only port in the default section',
    conf: 'rpcport=1234',
    argv: ['-testnet'],
    text: 'Config setting for -rpcport only applied on test network when in [test] section.',
  },
  { name: 'nonstandard on main', conf: 'acceptnonstdtxn=1', text: 'acceptnonstdtxn is not currently supported for main chain' },
  {
    name: 'missing blocks directory',
    argv: ['-blocksdir=/nonexistent'],
    text: 'Specified blocks directory "/nonexistent" does not exist.',
  },
  { name: 'filter type', argv: ['-blockfilterindex=abc'], text: 'Unknown -blockfilterindex value abc.' },
  { name: 'negative prune', argv: ['-prune=-1'], text: 'Prune cannot be configured with a negative value.' },
  { name: 'small prune', argv: ['-prune=549'], text: 'Prune configured below the minimum of 550 MiB.  Please use a higher number.' },
  { name: 'prune and index', argv: ['-prune=550', '-txindex'], text: 'Prune mode is incompatible with -txindex.' },
  { name: 'prune and filters', argv: ['-prune=1', '-blockfilterindex'], text: 'Prune mode is incompatible with -blockfilterindex.' },
  {
    name: 'prune and rescan',
    argv: ['-prune=1', '-rescan'],
    text: 'Rescans are not possible in pruned mode. You will need to use -reindex which will download the whole blockchain again.',
  },
  {
    name: 'prune and removal of transactions',
    argv: ['-prune=550', '-zapwallettxes=2'],
    text: 'Rescans are not possible in pruned mode. You will need to use -reindex which will download the whole blockchain again.',
  },
  {
    name: 'removal of transactions from two wallets',
    argv: ['-wallet=a', '-wallet=b', '-zapwallettxes'],
    text: '-zapwallettxes is only allowed with a single wallet file',
  },
  {
    name: 'bind without listening',
    argv: ['-bind=127.0.0.1', '-listen=0'],
    text: 'Cannot set -bind or -whitebind together with -listen=0',
  },
  { name: 'unknown network', argv: ['-onlynet=ipv4', '-onlynet=IPV5'], text: "Unknown network specified in -onlynet: 'IPV5'" },
  {
    name: 'only Tor without a way to it',
    argv: ['-onlynet=onion', '-listenonion=0'],
    text: 'Outbound connections restricted to Tor (-onlynet=onion) but there is no proxy for it: set -proxy or -onion.',
  },
  {
    name: 'only Tor and never Tor',
    argv: ['-onlynet=tor', '-proxy=127.0.0.1', '-noonion'],
    text: 'Outbound connections restricted to Tor (-onlynet=onion) but there is no proxy for it: set -proxy or -onion.',
  },
  {
    name: 'DNS seeds where only Tor is allowed',
    argv: ['-onlynet=onion', '-onion=127.0.0.1', '-dnsseed=1'],
    text: 'Incompatible options: -dnsseed=1 was explicitly specified, but -onlynet forbids connections to IPv4/IPv6',
  },
  {
    name: 'a Tor service without listening',
    argv: ['-listen=0', '-listenonion'],
    text: 'Cannot set -listen=0 together with -listenonion=1',
  },
  { name: 'two lines as password', argv: ['-torpassword=a\nSIGNAL HALT'], text: '-torpassword must not contain line breaks.' },
  { name: 'serial version above', argv: ['-rpcserialversion=2'], text: 'unknown rpcserialversion requested.' },
  { name: 'serial version below', argv: ['-rpcserialversion=-1'], text: 'rpcserialversion must be non-negative.' },
  { name: 'chain work', argv: ['-minimumchainwork=xyz'], text: 'Invalid non-hex (xyz) minimum chain work value specified' },
  { name: 'small pool', argv: ['-maxmempool=4'], text: '-maxmempool must be at least 5 MB' },
  { name: 'fee rate', argv: ['-minrelaytxfee=1e-5'], text: "Invalid amount for -minrelaytxfee=<amount>: '1e-5'" },
  { name: 'peer timeout', argv: ['-peertimeout=-1'], text: 'peertimeout cannot be configured with a negative value.' },
  { name: 'no address rate', argv: ['-maxaddrratepersecond=0'], text: 'maxaddrratepersecond cannot be configured with a negative value.' },
  {
    name: 'address rate that is no number',
    argv: ['-maxaddrratepersecond=x'],
    text: 'maxaddrratepersecond cannot be configured with a negative value.',
  },
  {
    name: 'no burst of addresses',
    argv: ['-maxaddrprocessingtokenbucket=0'],
    text: 'maxaddrprocessingtokenbucket cannot be configured with a negative value.',
  },
  { name: 'user agent', argv: ['-uacomment=a/b'], text: 'User Agent comment (a/b) contains unsafe characters.' },
  { name: 'port', argv: ['-rpcport=70000'], text: "Invalid port specified in -rpcport: '70000'" },
  {
    name: 'fork height below -1',
    argv: ['-regtest', '-eunosheight=-2'],
    text: 'Activation height -2 for Eunos is out of valid range. Use -1 to disable -eunosheight.',
  },
  {
    name: 'fork height above the largest',
    argv: ['-regtest', '-fortcanninghillheight=2147483647'],
    text: 'Activation height 2147483647 for Fort Canning Hill is out of valid range. Use -1 to disable -fortcanninghillheight.',
  },
  { name: 'level', argv: ['-loglevel=rpc:loud'], text: 'Unknown level in -loglevel=rpc:loud: use debug, info, warn or error.' },
  {
    name: 'module without log',
    argv: ['-loglevel=p2pp:debug'],
    text:
      'Unknown module in -loglevel=p2pp:debug. Known: anchors, chain, devnet, ethereum, events, gateway, grpc, indexes, mempool, metrics, minting, node, ' +
      'ocean, p2p, rpc, snapshot, tor, wallet.',
  },
  { name: 'assumed block', argv: ['-assumevalid=zz'], text: "Invalid block hash in -assumevalid=<hex>: 'zz'" },
  { name: 'long hash', argv: [`-assumevalid=${'0'.repeat(65)}`], text: `Invalid block hash in -assumevalid=<hex>: '${'0'.repeat(65)}'` },
  { name: 'gateway alone', argv: ['-gateway'], text: '-gateway needs -upstream=<host:port>.' },
  {
    name: 'gRPC in the clear',
    argv: ['-grpcbind=0.0.0.0'],
    text: 'gRPC with TLS needs -grpctlscert and -grpctlskey; -grpctls=0 turns TLS off where the network is trusted.',
  },
];

for (const { name, conf = '', argv = [], text } of faults) {
  test(`rejected: ${name}`, () => {
    assert.throws(
      () => networkParams(load(conf, argv).config.network),
      (error: unknown) =>
        error instanceof Error && error.message === text && (error instanceof ConfigError || text.startsWith('Activation')),
    );
  });
}

test('a missing data directory', () => {
  assert.throws(() => loadIn('/nonexistent/data'), {
    name: 'ConfigError',
    message: 'Specified data directory "/nonexistent/data" does not exist.',
  });
});

test('a missing data directory of the environment', () => {
  const message = 'Specified data directory "/nonexistent/env" does not exist.';
  assert.throws(() => loadConfig({ argv: [], env: { DFI_DATADIR: '/nonexistent/env' } }), { name: 'ConfigError', message });
});

test('a missing data directory of the file', () => {
  const conf = join(dataDir({ 'defi.conf': 'datadir=/nonexistent/data' }), 'defi.conf');
  const message = `${reading}specified data directory "/nonexistent/data" does not exist.`;
  assert.throws(() => loadConfig({ argv: [`-conf=${conf}`], env: {} }), { name: 'ConfigError', message });
});

test('an error in an included file has the line number of that file', () => {
  const dir = dataDir({ 'defi.conf': 'includeconf=inc.conf', 'inc.conf': '-dash=1\n' });
  assert.throws(() => loadIn(dir), { message: /parse error on line 1: -dash=1/ });
});

test('upgrade heights at both ends of their range', () => {
  const { config } = load('', ['-regtest', '-eunosheight=-1', '-dakotaheight=2147483646', '-amkheight=0']);
  const { upgrades } = networkParams(config.network);
  assert.deepEqual([upgrades.eunos, upgrades.eunosKampung, upgrades.dakota, upgrades.amk], [2147483647, 2147483647, 2147483646, 0]);
});

test('the alias of Great World takes precedence', () => {
  const { config } = load('', ['-regtest', '-greatworldheight=7', '-fortcanninggreatworldheight=3']);
  assert.equal(networkParams(config.network).upgrades.fortCanningGreatWorld, 7);
});

test('upgrade heights have no effect outside regtest', () => {
  const { config } = load('', ['-testnet', '-eunosheight=5']);
  assert.equal(networkParams(config.network).upgrades.eunos, 354950);
});
