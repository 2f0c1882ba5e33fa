import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseWif } from '../../src/crypto/keys.js';
import type { LegacyTransaction } from '../../src/evm/codec/transaction.js';
import { networkParams } from '../../src/params/index.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import type { Daemon } from '../daemon.js';
import { carrier, GWEI, legacy, signed } from '../unit/mempool/evm-transactions.js';
import { until } from '../until.js';
import { EvmNodes } from './evm-nodes.js';

const DFI = 10n ** 18n;
/** Time for an announcement, which is delayed at random by 5 s on average: one of 400 takes more than 30 s. */
const RELAY_MS = 120_000;
/** Creation code of a contract that returns the number 42: it copies the ten bytes at the end. */
const CREATION = fromHex('600a600c600039600a6000f3602a60005260206000f3');

describe('two nodes with EVM transactions', () => {
  let nodes: EvmNodes;
  let secret: Uint8Array;
  /** Nonce of the account's next transaction. */
  let next = 0;

  before(async () => {
    nodes = await EvmNodes.start();
    const wif = String(await nodes.one.ask('dumpprivkey', nodes.native));
    ({ secret } = parseWif(wif, networkParams({ network: 'regtest' }).address) as { secret: Uint8Array });
    await nodes.move('60@DFI', 'in');
    next = 1;
    await nodes.mint(nodes.one);
    await nodes.untilLevel();
  });

  after(async () => {
    await nodes?.destroy();
  });

  async function send(nonce: number, changes: Partial<LegacyTransaction> = {}): Promise<string> {
    const { raw } = carrier(signed(legacy(nonce, changes), secret));
    return String(await nodes.one.ask('sendrawtransaction', toHex(raw)));
  }

  async function pool(node: Daemon): Promise<readonly string[]> {
    return (await node.ask('getrawmempool')) as readonly string[];
  }

  async function untilPooled(node: Daemon, ids: readonly string[]): Promise<void> {
    const isPooled = async () => {
      const pooled = await pool(node);
      return ids.every((id) => pooled.includes(id));
    };
    await until(isPooled, 'relay', RELAY_MS);
  }

  /** Transactions of the tip without the coinbase. */
  async function tipTransactions(node: Daemon): Promise<readonly string[]> {
    const block = (await node.ask('getblock', await node.ask('getbestblockhash'))) as { tx: string[] };
    return block.tx.slice(1);
  }

  test('relay them, and the other one mints them in the order of their nonces', async () => {
    const { one, two, erc55 } = nodes;
    const third = await send(next + 2, { value: DFI });
    const first = await send(next, { value: DFI });
    const second = await send(next + 1, { value: DFI });
    next += 3;
    await untilPooled(two, [first, second, third]);
    await nodes.mint(two);
    await nodes.untilLevel();
    assert.deepEqual(await tipTransactions(one), [first, second, third]);
    assert.deepEqual([await pool(one), await pool(two)], [[], []]);
    // Three times 1 DFI, and 21,000 gas for 30 gwei.
    assert.deepEqual(await one.ask('getaccount', erc55), ['56.99811000@DFI']);
    assert.equal(await nodes.stateOf(one), await nodes.stateOf(two));
  });

  test('a gap in the nonces keeps transactions in the pool until it is filled', async () => {
    const { one, two } = nodes;
    const later = await send(next + 1);
    await nodes.mint(one);
    assert.deepEqual([await tipTransactions(one), await pool(one)], [[], [later]]);
    const earlier = await send(next);
    next += 2;
    await untilPooled(two, [later, earlier]);
    await nodes.mint(two);
    await nodes.untilLevel();
    assert.deepEqual([await tipTransactions(one), await pool(one)], [[earlier, later], []]);
  });

  test('a higher fee replaces a transaction in both pools', async () => {
    const { one, two } = nodes;
    const old = await send(next);
    await untilPooled(two, [old]);
    await assert.rejects(send(next, { gasPrice: 31n * GWEI }), /evm-low-fee \(-26\)|evm-low-fee.*-26/);
    const better = await send(next, { gasPrice: 32n * GWEI });
    next += 1;
    await untilPooled(two, [better]);
    assert.deepEqual([await pool(one), await pool(two)], [[better], [better]]);
    await nodes.mint(two);
    await nodes.untilLevel();
    assert.deepEqual(await tipTransactions(one), [better]);
  });

  test('a block with a contract, transfers in both directions and a new token', async () => {
    const { one, two, erc55 } = nodes;
    const creation = await send(next, { to: undefined, data: CREATION, gasLimit: 100_000n });
    const moves = [await nodes.move('5@DFI', 'in', next + 1), await nodes.move('7@DFI', 'out', next + 2)].map(String);
    const call = await send(next + 3, { value: DFI });
    next += 4;
    await nodes.createToken('ETH');
    const sent = await pool(one);
    await untilPooled(two, sent);
    await nodes.mint(two);
    await nodes.untilLevel();
    const minted = await tipTransactions(one);
    assert.deepEqual(new Set(minted), new Set(sent));
    const order = [creation, ...moves, call].map((id) => minted.indexOf(id));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    assert.equal(await nodes.stateOf(one), await nodes.stateOf(two));
    assert.match(JSON.stringify(await one.ask('getaccount', erc55)), /^\["53\.99\d+@DFI"\]$/);
  });

  test('disconnected EVM transactions return to the pool, and their block connects again', async () => {
    const { one } = nodes;
    const before = await nodes.stateOf(one);
    const own = await tipTransactions(one);
    const block = await one.ask('getbestblockhash');
    await one.ask('invalidateblock', block);
    assert.deepEqual(new Set(await pool(one)), new Set(own));
    await one.ask('reconsiderblock', block);
    assert.equal(await nodes.stateOf(one), before);
    assert.deepEqual(await pool(one), []);
  });

  test('a node mints them again after a disconnect, in a block of its own', async () => {
    const { one, two } = nodes;
    const own = await tipTransactions(one);
    const block = await one.ask('getbestblockhash');
    for (const node of [one, two]) await node.ask('invalidateblock', block);
    // To another address, so that it is not the disconnected block again.
    assert.equal(await one.ask('generatetoaddress', 1, nodes.native), 1);
    await nodes.untilLevel();
    assert.deepEqual([new Set(await tipTransactions(two)), await pool(one)], [new Set(own), []]);
    assert.notEqual(await one.ask('getbestblockhash'), block);
    assert.equal(await nodes.stateOf(one), await nodes.stateOf(two));
  });
});
