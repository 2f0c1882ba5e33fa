/**
 * Runs a Hardhat project and Foundry's `cast` against a node with `-dev`. Not part of the tests, because the programs are downloaded; a
 * program that is missing is skipped.
 *   HARDHAT=<folder> CAST=<program> node --import tsx test/clients/ethereum/run.ts
 * The folder is that in which Hardhat was installed, see test/clients/README.md.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { id } from 'ethers';
import { Daemon, freePort } from '../../daemon.js';
import { storedCode } from '../../e2e/fixtures/stored-contract.js';
import { projectRoot } from '../../shared.js';

const run = promisify(execFile);
const { HARDHAT, CAST } = process.env;
/** First account of the published words. */
const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const CODE = storedCode(id('Stored(address,uint256)').slice(2));

async function hardhat(folder: string, url: string): Promise<void> {
  for (const file of ['hardhat.config.cjs', 'stored.test.cjs'])
    cpSync(join(projectRoot, 'test', 'clients', 'ethereum', file), join(folder, file));
  const env = { ...process.env, DFI_ETHEREUM_URL: url, DFI_STORED_CODE: CODE, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' };
  for (const network of ['dfi', 'wallet']) {
    const program = join(folder, 'node_modules', '.bin', 'hardhat');
    const args = ['--config', 'hardhat.config.cjs', 'test', '--no-compile', '--network', network, 'stored.test.cjs'];
    const { stdout } = await run(program, args, { cwd: folder, env });
    console.log(`hardhat, network ${network}:\n${stdout}`);
  }
}

async function cast(program: string, url: string): Promise<void> {
  const ask = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(program, args, { env: { ...process.env, ETH_RPC_URL: url, NO_COLOR: '1' } });
    return stdout.trim();
  };
  const send = async (...args: string[]) =>
    JSON.parse(await ask('send', '--json', '--private-key', KEY, ...args)) as Record<string, string>;
  assert.equal(await ask('chain-id'), '1133');
  assert.equal((await send(OTHER, '--value', '1ether')).status, '0x1');
  const { contractAddress: contract = '', status } = await send('--create', CODE);
  assert.equal(status, '0x1');
  for (const kind of [[], ['--legacy'], ['--access-list']])
    assert.equal((await send(contract, 'store(uint256)', '7', ...kind)).status, '0x1');
  assert.equal(await ask('call', contract, 'retrieve()(uint256)'), '7');
  assert.ok(Number(await ask('estimate', '--from', SENDER, contract, 'store(uint256)', '9')) > 21_000);
  assert.equal((JSON.parse(await ask('logs', '--json', '--from-block', '0', '--address', contract)) as unknown[]).length, 3);
  assert.equal(BigInt(await ask('storage', contract, '0')), 7n);
  const { transactionHash = '' } = await send(contract, 'store(uint256)', '8');
  assert.match(await ask('run', transactionHash), /successfully executed/);
  assert.match(await ask('call', '--trace', contract, 'retrieve()(uint256)'), /successfully executed/);
  assert.equal(
    (JSON.parse(await ask('send', '--json', '--unlocked', '--from', SENDER, OTHER, '--value', '5')) as { status: string }).status,
    '0x1',
  );
  const raw = await ask('mktx', '--private-key', KEY, OTHER, '--value', '1');
  assert.equal((JSON.parse(await ask('publish', raw)) as { status: string }).status, '0x1');
  await assert.rejects(send(contract, 'nothing()'), /execution failed/);
  console.log('cast: passed');
}

const ethereumPort = await freePort();
const url = `http://127.0.0.1:${ethereumPort}`;
const daemon = new Daemon(['-dev', '-devmine=tx', `-ethrpcport=${ethereumPort}`]);
try {
  await daemon.start();
  if (HARDHAT) await hardhat(HARDHAT, url);
  else console.log('skipped: Hardhat, because HARDHAT names no folder');
  if (CAST) await cast(CAST, url);
  else console.log('skipped: cast, because CAST names no program');
} finally {
  await daemon.destroy();
}
