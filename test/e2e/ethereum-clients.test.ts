import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Contract, ContractFactory, id, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers';
import { createPublicClient, createWalletClient, defineChain, http, parseAbi, webSocket } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { until } from '../until.js';
import { EthereumDaemon } from './ethereum-fixture.js';
import { STORED_ABI, storedCode } from './fixtures/stored-contract.js';

const CODE = storedCode(id('Stored(address,uint256)').slice(2));
const CHAIN_ID = 1133;
let node: EthereumDaemon;

before(async () => {
  node = await EthereumDaemon.start();
});

after(async () => {
  await node?.stop();
});

for (const transport of ['http', 'ws'] as const)
  describe(`ethers over ${transport}`, () => {
    let provider: JsonRpcProvider | WebSocketProvider;
    let wallet: Wallet;
    let contract: Contract;

    before(async () => {
      const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 50 };
      provider =
        transport === 'http' ? new JsonRpcProvider(node.httpUrl, CHAIN_ID, options) : new WebSocketProvider(node.wsUrl, CHAIN_ID, options);
      wallet = new Wallet(Wallet.createRandom().privateKey, provider);
      await node.fund(wallet.address, 2);
    });

    after(async () => {
      await provider.destroy();
    });

    test('balance, network and blocks', async () => {
      assert.equal((await provider.getNetwork()).chainId, BigInt(CHAIN_ID));
      assert.equal(await provider.getBalance(wallet.address), 2n * 10n ** 18n);
      const block = await provider.getBlock('latest', true);
      assert.equal(block?.number, await provider.getBlockNumber());
      assert.equal(block?.prefetchedTransactions.length, 1);
      assert.equal((await provider.getBlock(block?.hash ?? ''))?.number, block?.number);
    });

    test('deploys a contract, calls it and changes it', async () => {
      const deployed = await new ContractFactory(STORED_ABI, CODE, wallet).deploy();
      await node.mint();
      await deployed.waitForDeployment();
      contract = new Contract(await deployed.getAddress(), STORED_ABI, wallet);
      assert.equal(await contract.retrieve?.(), 0n);
      assert.ok(((await contract.store?.estimateGas(7)) as bigint) > 21_000n);
      const sent = await contract.store?.(7);
      await node.mint();
      const receipt = await sent.wait();
      assert.equal(receipt.status, 1);
      assert.equal(receipt.logs.length, 1);
      assert.equal(await contract.retrieve?.(), 7n);
      assert.equal(await contract.retrieve?.({ blockTag: receipt.blockNumber - 1 }), 0n);
    });

    test('reads events of the past, and new ones as they happen', async () => {
      const past = await contract.queryFilter('Stored', 0);
      assert.equal(past.length, 1);
      const values: bigint[] = [];
      await contract.on('Stored', (_who: string, value: bigint) => values.push(value));
      const heads: number[] = [];
      await provider.on('block', (number: number) => heads.push(number));
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (const value of [8, 9]) await contract.store?.(value);
      await node.mint();
      await until(() => values.length === 2 && heads.length > 0, 'events and a head');
      assert.deepEqual(values, [8n, 9n]);
      assert.equal(heads.at(-1), await provider.getBlockNumber());
      await contract.off('Stored');
      await provider.off('block');
    });

    test('replaces a transaction that waits', async () => {
      const nonce = await provider.getTransactionCount(wallet.address, 'latest');
      const first = await wallet.sendTransaction({ to: wallet.address, value: 1n, nonce, gasPrice: 20_000_000_000n });
      assert.equal((await provider.getTransaction(first.hash))?.blockNumber, null);
      assert.equal(await provider.getTransactionCount(wallet.address, 'pending'), nonce + 1);
      const second = await wallet.sendTransaction({ to: wallet.address, value: 2n, nonce, gasPrice: 40_000_000_000n });
      await node.mint();
      assert.equal((await second.wait())?.status, 1);
      assert.equal(await provider.getTransactionReceipt(first.hash), null);
    });

    test('a refused transaction and a reverted call are errors', async () => {
      const poor = new Wallet(Wallet.createRandom().privateKey, provider);
      const sent = poor.sendTransaction({ to: wallet.address, value: 1n, gasLimit: 21_000, gasPrice: 20_000_000_000n, nonce: 0 });
      await assert.rejects(sent, /Could not publish raw transaction|insufficient/);
      await assert.rejects(provider.call({ to: await contract.getAddress(), data: '0x12345678' }));
    });
  });

test('ethers receives pending transactions over ws', async () => {
  const provider = new WebSocketProvider(node.wsUrl, CHAIN_ID, { staticNetwork: true });
  const wallet = new Wallet(Wallet.createRandom().privateKey, provider);
  await node.fund(wallet.address, 1);
  const hashes: string[] = [];
  await provider.on('pending', (hash: string) => hashes.push(hash));
  await provider.getBlockNumber();
  const sent = await wallet.sendTransaction({ to: wallet.address, value: 1n });
  await until(() => hashes.length > 0, 'a hash');
  assert.deepEqual(hashes, [sent.hash]);
  await node.mint();
  await provider.destroy();
});

for (const kind of ['http', 'ws'] as const)
  test(`viem over ${kind}: deployment, contract calls, logs and watched events`, async () => {
    const chain = defineChain({
      id: CHAIN_ID,
      name: 'regtest',
      nativeCurrency: { name: 'DFI', symbol: 'DFI', decimals: 18 },
      rpcUrls: { default: { http: [node.httpUrl], webSocket: [node.wsUrl] } },
    });
    const transport = kind === 'http' ? http(node.httpUrl) : webSocket(node.wsUrl);
    const account = privateKeyToAccount(generatePrivateKey());
    const reader = createPublicClient({ chain, transport, pollingInterval: 50 });
    const writer = createWalletClient({ chain, transport, account });
    await node.fund(account.address, 2);
    const abi = parseAbi(STORED_ABI);
    const deployment = await writer.deployContract({ abi, bytecode: CODE });
    await node.mint();
    const { contractAddress: address } = await reader.waitForTransactionReceipt({ hash: deployment });
    assert.ok(address);
    const seen: bigint[] = [];
    const unwatch = reader.watchContractEvent({
      address,
      abi,
      eventName: 'Stored',
      onLogs: (logs) => seen.push(...logs.map(({ args }) => args.value ?? 0n)),
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const hash = await writer.writeContract({ address, abi, functionName: 'store', args: [11n] });
    await node.mint();
    assert.equal((await reader.waitForTransactionReceipt({ hash })).status, 'success');
    assert.equal(await reader.readContract({ address, abi, functionName: 'retrieve' }), 11n);
    const logs = await reader.getContractEvents({ address, abi, eventName: 'Stored', fromBlock: 0n });
    assert.deepEqual(
      logs.map(({ args }) => args),
      [{ who: account.address, value: 11n }],
    );
    await until(() => seen.length > 0, 'an event');
    assert.deepEqual(seen, [11n]);
    unwatch();
    assert.equal(await reader.getGasPrice(), 10_000_000_000n);
    const filter = await reader.createPendingTransactionFilter();
    assert.deepEqual(await reader.getFilterChanges({ filter }), []);
    assert.equal(await reader.uninstallFilter({ filter }), true);
    if (kind === 'ws') await closeSocket(reader.transport as unknown as SocketTransport);
  });

interface SocketTransport {
  getRpcClient(): Promise<{ close(): void }>;
}

async function closeSocket(transport: SocketTransport): Promise<void> {
  (await transport.getRpcClient()).close();
}

describe('the server', () => {
  const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';

  test('answers calls and batches', async () => {
    assert.deepEqual(await node.post(chainId), { status: 200, text: '{"jsonrpc":"2.0","result":"0x46d","id":1}' });
    const { text } = await node.post(`[${chainId},{"jsonrpc":"2.0","method":"eth_chainId"},${chainId}]`);
    assert.equal((JSON.parse(text) as unknown[]).length, 2);
    assert.deepEqual(await node.post('{"jsonrpc":"2.0","method":"eth_chainId"}'), { status: 200, text: '' });
  });

  test('refuses pages of other sites and hosts, but not browser extensions', async () => {
    assert.equal((await node.post(chainId, { origin: 'https://site.example' })).status, 403);
    assert.equal((await node.post(chainId, { origin: 'chrome-extension://abc' })).status, 200);
    const get = await fetch(node.httpUrl);
    assert.equal(get.status, 405);
    await get.text();
  });

  test('refuses bodies of more than 10 MiB', async () => {
    const { status } = await node.post(`{"x":"${'a'.repeat(11 * 2 ** 20)}"}`).catch(() => ({ status: 413 }));
    assert.equal(status, 413);
  });

  test('answers a body that is neither an object nor a list with status 400', async () => {
    const parseError = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}';
    for (const body of ['', '7', ' x']) assert.deepEqual(await node.post(body), { status: 400, text: parseError });
    assert.deepEqual(await node.post(' {'), { status: 200, text: parseError });
  });
});
