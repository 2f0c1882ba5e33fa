import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EvmNodes } from './evm-nodes.js';

describe('two nodes with transfers between DVM and EVM', () => {
  let nodes: EvmNodes;

  before(async () => {
    nodes = await EvmNodes.start();
  });

  after(async () => {
    await nodes?.destroy();
  });

  test('agree on transfers in both directions', async () => {
    const { one, two, native, erc55 } = nodes;
    await nodes.move('60@DFI', 'in');
    await nodes.move('20@BTC', 'in');
    await nodes.mint(one);
    await nodes.move('25@DFI', 'out');
    await nodes.move('5@BTC', 'out');
    await nodes.mint(one);
    await nodes.untilLevel();
    assert.equal(await nodes.stateOf(one), await nodes.stateOf(two));
    assert.deepEqual(await two.ask('getaccount', native), ['65.00000000@DFI', '35.00000000@BTC']);
    assert.deepEqual(await two.ask('getaccount', erc55), ['35.00000000@DFI']);
  });

  test('accept blocks of each other', async () => {
    const { one, two } = nodes;
    await nodes.mint(two, 2);
    await nodes.untilLevel();
    assert.equal(await nodes.stateOf(one), await nodes.stateOf(two));
  });

  test('disconnect and reconnect them', async () => {
    const { one, native, erc55 } = nodes;
    const before = await nodes.stateOf(one);
    const height = Number(await one.ask('getblockcount'));
    const block = await one.ask('getblockhash', height - 3);
    await one.ask('invalidateblock', block);
    assert.deepEqual(await one.ask('getaccount', native), ['100.00000000@DFI', '50.00000000@BTC']);
    assert.deepEqual(await one.ask('getaccount', erc55), []);
    assert.doesNotMatch(JSON.stringify(await one.ask('listgovs', 'live')), /transferdomain/);
    await one.ask('reconsiderblock', block);
    assert.equal(await nodes.stateOf(one), before);
  });

  test('keep it after a restart', async () => {
    const { two } = nodes;
    const before = await nodes.stateOf(two);
    await two.end();
    await two.start();
    assert.equal(await nodes.stateOf(two), before);
  });
});
