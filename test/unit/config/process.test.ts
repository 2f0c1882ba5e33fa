import assert from 'node:assert/strict';
import fs, { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { refutation } from '../../../src/app/chain.js';
import { prepareDirectories, removePidFile, requireWritable, writePidFile } from '../../../src/config/data-dir.js';
import { ConfigError } from '../../../src/config/errors.js';
import { failureOf } from '../../../src/config/exit-code.js';
import { helpText } from '../../../src/config/help.js';
import { openLog } from '../../../src/config/log-setup.js';
import { nearest } from '../../../src/config/nearest.js';
import { networkBase } from '../../../src/config/networks.js';
import { CLIENT_OPTIONS, GROUPS, OPTIONS } from '../../../src/config/options.js';
import { showSettings } from '../../../src/config/show.js';
import { defaultDataDir } from '../../../src/config/sources.js';
import { DiskFull, NewerVersion, StoreDamaged, StoreLocked } from '../../../src/storage/errors.js';
import { ForeignData } from '../../../src/storage/level-db.js';
import { NodeError } from '../../../src/util/errors.js';
import { BadWalletPath } from '../../../src/wallet/store/location.js';
import { CannotPublish } from '../../../src/zmq/notifications.js';
import { dataDir, load, loadIn } from './support.js';

test('a new network directory gets a wallets directory, an existing one does not', () => {
  const dir = dataDir();
  prepareDirectories(loadIn(dir, ['-regtest']).config.paths);
  assert.ok(existsSync(join(dir, 'regtest', 'wallets')) && existsSync(join(dir, 'regtest', 'blocks')));
  prepareDirectories(loadIn(dir).config.paths);
  assert.ok(!existsSync(join(dir, 'wallets')));
});

test('directories that cannot be created', () => {
  const dir = dataDir({ regtest: 'a file' });
  const message = `Cannot write to data directory '${join(dir, 'regtest')}'; check permissions.`;
  assert.throws(() => prepareDirectories(loadIn(dir, ['-regtest']).config.paths), { name: 'ConfigError', message });
});

test('an existing directory on a read-only file system', () => {
  const { paths } = loadIn(dataDir(), ['-regtest']).config;
  prepareDirectories(paths);
  requireWritable(paths);
  const { accessSync } = fs;
  const readOnly = () => {
    throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  };
  Object.assign(fs, { accessSync: readOnly });
  syncBuiltinESMExports();
  try {
    const message = `Cannot write to data directory '${paths.networkDir}'; check permissions.`;
    assert.throws(() => requireWritable(paths), { name: 'ConfigError', message });
  } finally {
    Object.assign(fs, { accessSync });
    syncBuiltinESMExports();
  }
});

test('the pid file', () => {
  const file = join(dataDir(), 'defid.pid');
  writePidFile(file);
  assert.equal(readFileSync(file, 'utf8'), `${process.pid}\n`);
  removePidFile(file);
  assert.ok(!existsSync(file));
  writeFileSync(file, '1\n');
  removePidFile(file);
  assert.equal(readFileSync(file, 'utf8'), '1\n', 'that of another process stays');
  const folder = dataDir({ file: '' });
  for (const blocked of [join(folder, 'file', 'defid.pid'), join(folder, 'absent', 'defid.pid')]) {
    assert.throws(
      () => writePidFile(blocked),
      (error: Error) => error.message.startsWith(`Unable to create the PID file '${blocked}': `),
    );
  }
  assert.deepEqual(readdirSync(folder), ['file'], 'a mistyped folder is not created');
});

test('exit codes distinguish failures', () => {
  const taken = Object.assign(new Error('listen EADDRINUSE: address already in use 127.0.0.1:1'), {
    code: 'EADDRINUSE',
    syscall: 'listen',
  });
  const foreign = 'listen EADDRNOTAVAIL: address not available 192.0.2.1:1';
  const notOurs = Object.assign(new Error(foreign), { code: 'EADDRNOTAVAIL', syscall: 'listen' });
  const cannotListen = Object.assign(new Error('Unable to start HTTP server. See debug log for details.'), { name: 'CannotListen' });
  const full = 'The node is not running, because the disk is full';
  const noSpace = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  const noPermission = Object.assign(new Error("EACCES: permission denied, open '/x/wallet.dat'"), { code: 'EACCES', syscall: 'open' });
  const locking = new Error('cannot open the database in /x/enhancedcs/.lock: IO error: No space left on device: While appending');
  const cases = [
    { error: new ConfigError('bad'), code: 1, line: 'bad' },
    { error: new Error('two\nlines'), code: 1, line: 'two lines' },
    { error: new StoreLocked('/x'), code: 2, line: '/x is in use by another process' },
    { error: cannotListen, code: 2, line: 'Unable to start HTTP server. See debug log for details.' },
    {
      error: taken,
      code: 2,
      line: 'Unable to bind: listen EADDRINUSE: address already in use 127.0.0.1:1. DeFi Blockchain is probably already running (-port, -bind).',
    },
    {
      error: notOurs,
      code: 2,
      line: `Unable to bind: ${foreign} (-port, -bind).`,
    },
    { error: noPermission, code: 1, line: `${noPermission.message}; check permissions.` },
    { error: new NewerVersion(3, 2), code: 3, line: 'the data has format version 3, this program reads up to 2' },
    {
      error: new ForeignData('/x/chainstate'),
      code: 5,
      line: '/x/chainstate is a database of defid, which this program cannot use. Nothing was changed; choose another directory with -datadir',
    },
    {
      error: new StoreDamaged('bad checksum'),
      code: 4,
      line: 'bad checksum. Please restart with -reindex or -reindex-chainstate to recover.',
    },
    {
      error: new StoreDamaged('block file 3 is missing; start with -reindex to build the database again'),
      code: 4,
      line: 'block file 3 is missing; start with -reindex to build the database again',
    },
    {
      error: refutation({ height: 120, hash: new Uint8Array(32) }, 'the state differs'),
      code: 4,
      line: `the database began with a wrong snapshot, of height 120 and block ${'00'.repeat(32)}: the state differs; start with -reindex to build the database again`,
    },
    { error: new CannotPublish('no', { cause: taken }), code: 2, line: 'no' },
    { error: new CannotPublish('no', { cause: new Error('Invalid argument') }), code: 1, line: 'no' },
    { error: new DiskFull('/x/blocks'), code: 6, line: `${full}: there is no room in /x/blocks` },
    { error: locking, code: 6, line: `${full}: ${locking.message}` },
    {
      error: new ConfigError('Unable to create the PID file', { cause: noSpace }),
      code: 6,
      line: `${full}: Unable to create the PID file`,
    },
  ];
  for (const { error, code, line } of cases) {
    const failure = failureOf(error);
    assert.deepEqual([failure.code, failure.line], [code, line]);
  }
});

test('errors with a text for the operator need no stack trace in the log', () => {
  const damaged = new NodeError('wallet', 'Error loading w: Wallet corrupted', { cause: new Error('bad checksum') });
  for (const error of [new ConfigError('bad'), damaged, new BadWalletPath('Duplicate -wallet filename specified.')]) {
    assert.deepEqual(failureOf(error), { code: 1, line: error.message, expected: true });
  }
  assert.equal(failureOf(new TypeError('x is not a function')).expected, false);
  const { line } = failureOf(new DiskFull('/x'), 'The snapshot is not complete');
  assert.equal(line, 'The snapshot is not complete, because the disk is full: there is no room in /x');
});

test('option keys are unique and do not start like a negation', () => {
  for (const options of [OPTIONS, CLIENT_OPTIONS]) {
    const keys = options.map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length);
    assert.deepEqual(
      keys.filter((key) => key.startsWith('no')),
      [],
    );
  }
});

test('network-only options are those of defid, and our listeners', () => {
  const ours = ['grpcport', 'grpcbind', 'metricsport', 'metricsbind'];
  const reference =
    'addnode bind connect port ports rpcbind rpcport ethrpcbind ethrpcport wsbind wsport ethmaxconnections ethmaxresponsesize ' +
    'ethtracingmaxmemoryusage oceanarchiveport oceanarchivebind wallet';
  const found = OPTIONS.filter(({ networkOnly }) => networkOnly).map(({ key }) => key);
  assert.deepEqual(found.sort(), [...ours, ...reference.split(' ')].sort());
});

test('config show prints every source and masks secrets', () => {
  const { settings } = load('regtest=1\n[regtest]\nrpcport=7000\n', ['-rpcuser=u'], { DFI_RPCPASSWORD: 'secret', DFI_RPCAUTH: 'a:b$c' });
  const text = showSettings(settings, OPTIONS, networkBase('regtest'));
  for (const line of [
    'rpcport=7000  (file: defi.conf:3)',
    'rpcuser=u  (command line: -rpcuser)',
    'rpcpassword=[hidden]  (environment: DFI_RPCPASSWORD)',
    'rpcauth=[hidden]  (environment: DFI_RPCAUTH)',
    'rpcthreads=4  (default)',
    'metricsport=19552  (default of regtest)',
  ]) {
    assert.ok(text.split('\n').includes(line), line);
  }
  assert.ok(!text.includes('secret') && !text.includes('b$c'));
});

test('help: one paragraph per option; hidden options only with -help-debug', () => {
  const text = helpText(GROUPS, false);
  const paragraph =
    '  -rpcport=<n>\n       Port for JSON-RPC and REST (default: 8554, test: 18554, changi: 20554,\n       devnet: 21554, regtest: 19554)\n';
  assert.ok(text.includes(paragraph));
  assert.ok(!text.includes('-eunosheight'));
  assert.ok(helpText(GROUPS, true).includes('  -eunosheight=<n>\n       Activation height of Eunos; -1 for never\n'));
  assert.deepEqual(
    text.split('\n').filter((line) => line.length > 80),
    [],
  );
});

test('the default data directory by platform', () => {
  assert.equal(defaultDataDir('linux', '/home/u'), '/home/u/.defi');
  assert.equal(defaultDataDir('darwin', '/Users/u'), '/Users/u/Library/Application Support/DeFi');
});

test('nearest: the most similar name, or none', () => {
  assert.equal(nearest('rpcprot', ['rpcport', 'rpcuser']), 'rpcport');
  assert.equal(nearest('completely', ['rpcport', 'rpcuser']), undefined);
  for (const unlike of ['', 'a', 'ab']) assert.equal(nearest(unlike, ['?', 'h', 'conf']), undefined);
});

test('log categories control modules', () => {
  const dir = dataDir();
  const { config } = load('', ['-debug=rpc', '-loglevel=chain:error', '-printtoconsole=0']);
  const { output, categories } = openLog(config.log, join(dir, 'debug.log'), false);
  assert.deepEqual(
    ['rpc', 'chain', 'node'].map((module) => output.levelOf(module)),
    ['debug', 'error', 'info'],
  );
  assert.deepEqual([categories.states().rpc, categories.states().net], [true, false]);
  assert.equal(categories.set('nonsense', true), false);
  assert.equal(categories.set('all', true), true);
  assert.deepEqual(
    ['rpc', 'chain', 'node'].map((module) => output.levelOf(module)),
    ['debug', 'debug', 'debug'],
  );
  output.close();
  assert.throws(() => openLog(config.log, join(dir, 'no', 'debug.log'), false), {
    message: `Could not open debug log file ${join(dir, 'no', 'debug.log')}`,
  });
});
