import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { FOUNDER } from '../regtest.js';
import { asked, CREATION, called, DefidPair, EVM, type Node, OTHER, posted, result, WITHOUT_DEFID_425 } from './defid-pair.js';
import { randomNumbers } from './fixtures/reorg-chain.js';
import { parameterCases, subscriptionCases } from './parameter-cases.js';

const SEED = Number(process.env.DFI_SEED ?? 1);
const ROUNDS = 8;

describe('with defid 4.2.5', { skip: WITHOUT_DEFID_425 }, () => {
  let pair: DefidPair;
  let ours: Node;
  let theirs: Node;

  before(async () => {
    pair = new DefidPair();
    await pair.start();
    ({ ours, theirs } = pair);
  });

  after(() => pair?.stop());

  async function compareBlocks(): Promise<void> {
    const number = Number(await result(asked(ours, 'eth_blockNumber')));
    for (let n = 0; n <= number; n++) {
      const params = [`0x${n.toString(16)}`, true];
      assert.equal(await asked(ours, 'eth_getBlockByNumber', params), await asked(theirs, 'eth_getBlockByNumber', params), `block ${n}`);
    }
  }

  test('blocks of either node are accepted by the other', async () => {
    for (const [sender, miner] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      await pair.move(sender, '50@DFI', 'in');
      await pair.move(sender, '3@BTC', 'in');
      await pair.mint(miner);
      await pair.send(sender, { to: OTHER, value: '0xde0b6b3a7640000', gas: '0x5208' });
      await pair.send(sender, { data: CREATION, gas: '0x186a0' });
      await pair.mint(miner);
      await pair.move(sender, '2@DFI', 'out');
      await pair.move(sender, '1@BTC', 'out');
      await pair.mint(miner);
      const symbol = sender === ours ? 'ETH' : 'LTC';
      await result(called(sender, 'createtoken', [{ symbol, name: symbol, isDAT: true, collateralAddress: FOUNDER.address }]));
      await pair.mint(miner);
    }
    await pair.mint(ours, 10);
    await pair.mint(theirs, 10);
    await compareBlocks();
  });

  test('reorganisations in both directions lead to one state', async () => {
    for (const [loser, winner] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      await result(called(ours, 'setnetworkactive', [false]));
      await pair.until(async () => (await result(called(theirs, 'getconnectioncount'))) === 0, 'no connection');
      await pair.move(loser, '4@DFI', 'in');
      await result(called(loser, 'generatetoaddress', [2, FOUNDER.address]));
      await pair.send(winner, { to: OTHER, value: '0x1', gas: '0x5208' });
      await result(called(winner, 'generatetoaddress', [3, FOUNDER.address]));
      await result(called(ours, 'setnetworkactive', [true]));
      await pair.until(() => pair.same('getbestblockhash'), 'one tip after a reorganisation');
      await compareBlocks();
      for (const node of [ours, theirs]) await result(called(node, 'clearmempool'));
    }
  });

  test(`random reorganisations with seed ${SEED} lead to one state`, async () => {
    const random = randomNumbers(SEED);
    const sides = [ours, theirs] as const;
    for (let round = 0; round < ROUNDS; round++) {
      await result(called(ours, 'setnetworkactive', [false]));
      await pair.until(async () => (await result(called(theirs, 'getconnectioncount'))) === 0, 'no connection');
      const [loser, winner] = random(2) === 0 ? sides : ([theirs, ours] as const);
      const depth = 1 + random(4);
      for (const [node, blocks] of [
        [loser, depth],
        [winner, depth + 1 + random(3)],
      ] as const) {
        for (let i = 0; i < blocks; i++) {
          await act(node, random);
          await result(called(node, 'generatetoaddress', [1, FOUNDER.address]));
        }
      }
      await result(called(ours, 'setnetworkactive', [true]));
      await pair.until(() => pair.same('getbestblockhash'), `one tip after round ${round}`);
      await compareBlocks();
      await compareState(round);
      for (const node of sides) await result(called(node, 'clearmempool'));
    }
  });

  /** Some random transactions of a node. Those that its state refuses, such as a transfer of more than it has, are left out. */
  async function act(node: Node, random: (below: number) => number): Promise<void> {
    for (let i = random(4); i > 0; i--) {
      const kind = random(5);
      const value = `0x${(1 + random(1_000)).toString(16)}`;
      const sent =
        kind === 0
          ? pair.move(node, `${1 + random(3)}@DFI`, 'in')
          : kind === 1
            ? pair.move(node, '1@DFI', 'out')
            : kind === 2
              ? pair.send(node, { data: CREATION, gas: '0x186a0' })
              : kind === 3
                ? pair.move(node, '1@BTC', random(2) === 0 ? 'in' : 'out')
                : pair.send(node, { to: OTHER, value, gas: '0x5208' });
      await sent.catch(() => undefined);
    }
  }

  /** Receipts, logs and balances of the last blocks. */
  async function compareState(round: number): Promise<void> {
    const tip = Number(await result(asked(ours, 'eth_blockNumber')));
    const first = `0x${Math.max(0, tip - 12).toString(16)}`;
    const calls: (readonly [string, ...unknown[]])[] = [
      ['eth_getLogs', { fromBlock: first, toBlock: 'latest' }],
      ...[EVM, OTHER].flatMap((address) => [
        ['eth_getBalance', address, 'latest'] as const,
        ['eth_getTransactionCount', address, 'latest'] as const,
        ['eth_getBalance', address, first] as const,
      ]),
    ];
    for (let n = Number(first); n <= tip; n++) {
      const block = (await result(asked(ours, 'eth_getBlockByNumber', [`0x${n.toString(16)}`, false]))) as { transactions: string[] };
      calls.push(...block.transactions.map((hash) => ['eth_getTransactionReceipt', hash] as const));
    }
    await compare(calls, asked);
    await compare(
      [
        ['getaccount', FOUNDER.address],
        ['gettokenbalances', {}, true, true, true],
        ['getgov', 'ATTRIBUTES'],
        ['logvmmaps', 0],
      ],
      called,
    );
    assert.ok(tip > 0, `round ${round}`);
  }

  test('operations give the same answers', async () => {
    const tip = Number(await result(called(ours, 'getblockcount')));
    const hash = await result(called(ours, 'getbestblockhash'));
    const calls: (readonly [string, ...unknown[]])[] = [
      ...['listtokens', 'listgovs', 'listaccounts', 'listcommunitybalances', 'listsmartcontracts', 'gettokenbalances'].map(
        (name) => [name] as const,
      ),
      ...['getblockcount', 'getbestblockhash', 'getmininginfo'].map((name) => [name] as const),
      ...[1, 2, 4].map((verbosity) => ['getblock', hash, verbosity] as const),
      ...[0, 1, 2, 3, 4, 5, 6, 9].map((type) => ['vmmap', String(tip), type] as const),
      ...[0, 1, 2, 3].flatMap((type) => [EVM, FOUNDER.address, 'nonsense'].map((text) => ['addressmap', text, type] as const)),
      ['getaccount', EVM],
      ['getaccount', FOUNDER.address],
      ['getaccount', OTHER],
      ['gettokenbalances', {}, false, false, true],
      ['gettokenbalances', {}, true, true, true],
      ['gettoken', 'BTC'],
      ['getgov', 'ATTRIBUTES'],
      ['listgovs', 'live'],
      ['logvmmaps', 0],
      ['logvmmaps', 9],
      ['evmtx', EVM, -1, 21, 21000, OTHER, 0.1],
      ['evmtx', 'nonsense', 0, 21, 21000, OTHER, 0.1],
      ['evmtx', EVM, 0, 21, 21000, OTHER, 0.1],
      ['evmtx', EVM, 0, 21, 21000, 'nonsense', 0.1],
      ['evmtx', EVM, 0, 21, 21000, OTHER, 0.1, 'zz'],
      ['validateaddress', EVM],
      ['createtoken', { symbol: 'BTC', name: 'x', isDAT: true, collateralAddress: FOUNDER.address }],
    ];
    await compare(calls, called);
  });

  test('methods of Ethereum give the same answers', async () => {
    const block = (await result(asked(ours, 'eth_getBlockByNumber', ['0x6', true]))) as { hash: string; transactions: { hash: string }[] };
    const at = [block.hash, '0x0'];
    const transactions = block.transactions.map(({ hash }) => hash);
    const call = { from: EVM, to: OTHER, value: '0x1', data: '0x' };
    const calls: (readonly [string, ...unknown[]])[] = [
      ...['eth_chainId', 'net_version', 'eth_blockNumber', 'eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_accounts', 'eth_syncing'].map(
        (name) => [name] as const,
      ),
      ...['eth_mining', 'eth_hashrate', 'net_listening', 'eth_protocolVersion', 'eth_coinbase', 'eth_getWork', 'eth_unknown'].map(
        (name) => [name] as const,
      ),
      ...['latest', 'earliest', 'pending', 'safe', 'finalized', '0x1', '1', 'nonsense', 5, '0xffff'].flatMap((tag) => [
        ['eth_getBlockByNumber', tag, false] as const,
        ['eth_getBalance', EVM, tag] as const,
        ['eth_getTransactionCount', EVM, tag] as const,
        ['eth_getBlockTransactionCountByNumber', tag] as const,
        ['eth_call', call, tag] as const,
        ['eth_feeHistory', '0x2', tag, [10, 50]] as const,
      ]),
      ...[EVM, OTHER, 'test123', '0x12', 7, undefined].flatMap((address) => [
        ['eth_getCode', address] as const,
        ['eth_getBalance', address] as const,
        ['eth_getStorageAt', address, '0x0'] as const,
      ]),
      ['eth_getBlockByHash', ...at.slice(0, 1), true],
      ['eth_getBlockTransactionCountByHash', at[0]],
      ['eth_getTransactionByBlockHashAndIndex', ...at],
      ['eth_getTransactionByBlockNumberAndIndex', '0x6', '0x0'],
      ...[...transactions, `0x${'00'.repeat(32)}`, '0x12'].flatMap((hash) => [
        ['eth_getTransactionByHash', hash] as const,
        ['eth_getTransactionReceipt', hash] as const,
        ['debug_traceTransaction', hash] as const,
        ['debug_traceTransaction', hash, { tracer: 'callTracer' }] as const,
      ]),
      ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
      ['eth_getLogs', { blockHash: at[0] }],
      ['eth_estimateGas', call],
      ['eth_estimateGas', { from: EVM, data: CREATION }],
      ['eth_createAccessList', call],
      ['eth_call', { from: EVM, to: OTHER, gas: 'x' }],
      ['eth_sendRawTransaction', '0x12'],
      ['eth_sendRawTransaction', 'zz'],
      ['eth_sendTransaction', { from: OTHER, to: EVM, value: '0x1' }],
      ['web3_sha3', '0x1234'],
      ['debug_traceBlockByNumber', '0x6'],
      ['debug_feeEstimate', call],
    ];
    await compare(calls, asked);
  });

  test('parameters of every kind get the same answers', async () => {
    const different: string[] = [];
    let asked = 0;
    for (const body of parameterCases()) {
      // `defid` refuses escapes in the text of a raw transaction.
      if (body.includes('eth_sendRawTransaction') && body.includes('\\')) continue;
      const [own, other] = await Promise.all([posted(ours.ethereum, body), posted(theirs.ethereum, body)]);
      const { method } = JSON.parse(body) as { method: string };
      if (comparable(method, own) !== comparable(method, other)) different.push(difference(body, own, other));
      asked += 1;
    }
    assertNone(different, asked);
  });

  test('subscriptions with parameters of every kind get the same answers', async () => {
    const bodies = [...subscriptionCases()];
    const [own, other] = await Promise.all([answersOf(ours, bodies), answersOf(theirs, bodies)]);
    assert.deepEqual(own, other);
  });

  /** Answers of the port of subscriptions, one after the other. */
  async function answersOf({ sockets }: Node, bodies: readonly string[]): Promise<(readonly [body: string, answer: string])[]> {
    const socket = new WebSocket(`ws://127.0.0.1:${sockets}`);
    await once(socket, 'open');
    const answers: (readonly [string, string])[] = [];
    for (const body of bodies) {
      socket.send(body);
      const [data] = (await once(socket, 'message')) as [Buffer];
      answers.push([body, String(data)]);
    }
    socket.close();
    return answers;
  }

  /**
   * An answer without what `defid` does not determine: the order of logs of several addresses in a block. Accounts may be in any order, and
   * each node has a last template of its own.
   */
  function comparable(method: string, text: string): string {
    const answer = JSON.parse(text) as { result?: unknown };
    if (method === 'getmininginfo') return text.replace(/"currentblock(?:weight|tx)":\d+,/g, '');
    if (!Array.isArray(answer.result)) return text;
    if (method === 'eth_getLogs' || method === 'eth_getFilterChanges' || method === 'eth_getFilterLogs')
      return answer.result
        .map((log) => JSON.stringify(log))
        .sort()
        .join();
    return method === 'eth_accounts' ? String(answer.result.includes(EVM)) : text;
  }

  /** Makes each call to both nodes. */
  async function compare(
    calls: readonly (readonly [string, ...unknown[]])[],
    ask: (node: Node, method: string, params: readonly unknown[]) => Promise<string>,
  ): Promise<void> {
    const different: string[] = [];
    for (const [method, ...params] of calls) {
      const [own, other] = await Promise.all([ask(ours, method, params), ask(theirs, method, params)]);
      if (comparable(method, own) !== comparable(method, other))
        different.push(difference(`${method} ${JSON.stringify(params)}`, own, other));
    }
    assertNone(different, calls.length);
  }

  function difference(call: string, own: string, other: string): string {
    return `${call}\n  here:  ${own.slice(0, 600)}\n  defid: ${other.slice(0, 600)}`;
  }

  function assertNone(different: readonly string[], calls: number): void {
    assert.equal(different.length, 0, `${different.length} of ${calls} answers differ:\n${different.slice(0, 100).join('\n')}`);
  }
});
