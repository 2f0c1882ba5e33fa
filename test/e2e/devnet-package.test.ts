import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../shared.js';

/** A suite as a user of the package writes it. */
const SUITE = `
import { DfiDevNet, DfiDevNetError } from 'dfi-node/devnet';
const net = await DfiDevNet.start();
try {
  const before = await net.call('getblockcount');
  await net.mine(3);
  const id = await net.snapshot();
  await net.mine(2);
  await net.revert(id);
  const between = await net.call('getblockcount');
  await net.reset();
  const after = await net.call('getblockcount');
  const evmAddress = '0x' + '11'.repeat(20);
  await net.callEthereum('hardhat_setBalance', evmAddress, '0x5');
  await net.callEthereum('hardhat_setNonce', evmAddress, '0x7');
  const wei = await net.callEthereum('eth_getBalance', evmAddress, 'latest');
  const nonce = await net.callEthereum('eth_getTransactionCount', evmAddress, 'latest');
  const state = await net.callEthereum('anvil_dumpState');
  await net.reset();
  const weiBefore = await net.callEthereum('eth_getBalance', evmAddress, 'latest');
  const chainId = await net.callEthereum('eth_chainId');
  await net.callEthereum('anvil_loadState', state);
  const weiLoaded = await net.callEthereum('eth_getBalance', evmAddress, 'latest');
  const [account] = await net.callEthereum('eth_accounts');
  const own = await net.callEthereum('hardhat_impersonateAccount', account);
  await net.callEthereum('anvil_setBalance', evmAddress, '0x8ac7230489e80000');
  const payment = { from: evmAddress, to: account, value: '0x1', gas: '0x5208' };
  const unsigned = await net.callEthereum('eth_sendTransaction', payment).catch((error) => error.message);
  await net.callEthereum('anvil_impersonateAccount', evmAddress);
  const hash = await net.callEthereum('eth_sendTransaction', payment);
  await net.mine();
  const sent = await net.callEthereum('eth_getTransactionByHash', hash);
  const stranger = [unsigned, sent.hash === hash, sent.from === evmAddress, (await net.callEthereum('eth_getTransactionReceipt', hash)).status];
  await net.callEthereum('anvil_stopImpersonatingAccount', evmAddress);
  const refused = await net.revert(1000).catch((error) => error instanceof DfiDevNetError && error.code);
  console.log(JSON.stringify({ mined: between - before, left: after - before, wei, nonce, weiBefore, weiLoaded, chainId, refused, own, stranger }));
} finally {
  await net.stop();
}
`;

/** A suite that keeps its chain in a folder of the project. */
const KEPT = `
import { DfiDevNet } from 'dfi-node/devnet';
const start = () => DfiDevNet.start({ dataDir: 'kept', args: ['-devworld=0', '-devmine=off'] });
const first = await start();
const [hash] = await first.mine();
await first.stop();
const second = await start();
try {
  console.log((await second.call('getbestblockhash')) === hash);
} finally {
  await second.stop();
}
`;

const TYPED = `
import { DfiDevNet } from 'dfi-node/devnet';
const net: DfiDevNet = await DfiDevNet.start({ args: ['-debug=rpc'] });
const hashes: string[] = await net.mine();
await net.revert(await net.snapshot());
const url: string = net.url + hashes[0];
await net.stop();
`;

test('the packed package runs a development network for the test suite of another project', (t) => {
  if (!existsSync(join(projectRoot, 'dist/devnet.js'))) return t.skip('dist/ is not built');
  const project = mkdtempSync(join(tmpdir(), 'devnet-project-'));
  try {
    const run = (program: string, args: readonly string[], cwd = project): string => execFileSync(program, args, { cwd, encoding: 'utf8' });
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', project], projectRoot);
    const [tarball = ''] = readdirSync(project);
    run('tar', ['-xzf', tarball]);
    mkdirSync(join(project, 'node_modules'));
    execFileSync('mv', ['package', 'node_modules/dfi-node'], { cwd: project });
    // Dependencies as `npm install` would place them, without a download.
    symlinkSync(join(projectRoot, 'node_modules'), join(project, 'node_modules/dfi-node/node_modules'));
    symlinkSync(join(projectRoot, 'node_modules/@types'), join(project, 'node_modules/@types'));
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    writeFileSync(join(project, 'suite.js'), SUITE);
    assert.deepEqual(JSON.parse(run(process.execPath, ['suite.js'])), {
      mined: 3,
      left: 0,
      wei: '0x5',
      nonce: '0x7',
      weiBefore: '0x0',
      weiLoaded: '0x5',
      chainId: '0x46d',
      refused: -5,
      own: true,
      stranger: ['Custom error: Error parsing SecretKey Invalid secret key', true, true, '0x1'],
    });
    writeFileSync(join(project, 'kept.js'), KEPT);
    assert.equal(run(process.execPath, ['kept.js']), 'true\n');
    assert.ok(existsSync(join(project, 'kept/dev')));
    writeFileSync(join(project, 'typed.ts'), TYPED);
    const strict = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', 'typed.ts'];
    run(join(projectRoot, 'node_modules/.bin/tsc'), strict);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});
