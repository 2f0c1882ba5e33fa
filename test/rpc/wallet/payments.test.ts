import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withBrokenDisk } from '../../unit/wallet/broken-disk.js';
import { startWalletNode, type WalletNode } from './wallet-node.js';

const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const TXID = /^[0-9a-f]{64}$/;

interface ListedCoin {
  readonly txid: string;
  readonly vout: number;
  readonly address: string;
}

const coinsOf = async (node: WalletNode) => (await node.call('listunspent')) as ListedCoin[];

test('bumpfee with a full disk leaves the payment unchanged, so that it can be replaced later', async () => {
  const node = await startWalletNode({ replaceable: true });
  await node.mint(1, await node.call('getnewaddress'));
  await node.mint(100, ELSEWHERE);
  const txid = await node.call('sendtoaddress', [ELSEWHERE, 10]);
  await withBrokenDisk({ writeSync: 'full' }, async () => {
    assert.match(String(await node.call('bumpfee', [txid])), /^-4 Error: .* could not be written: ENOSPC/);
  });
  const { replaced_by_txid: replacement } = (await node.call('gettransaction', [txid])) as { replaced_by_txid?: string };
  assert.equal(replacement, undefined);
  const bumped = (await node.call('bumpfee', [txid])) as { txid: string };
  assert.match(bumped.txid, TXID);
  assert.match(String(await node.call('bumpfee', [txid])), /^-4 Cannot bump transaction .* which was already bumped by/);
  await node.end();
});

test('bumpfee of a mined transaction says so, also while its outputs are spent in the mempool', async () => {
  const node = await startWalletNode({ replaceable: true }, ['payer', 'payee']);
  await node.mint(1, await node.call('getnewaddress', [], 'payer'));
  await node.mint(100, ELSEWHERE);
  const txid = await node.call('sendtoaddress', [await node.call('getnewaddress', [], 'payee'), 10], 'payer');
  await node.mint(1, ELSEWHERE);
  assert.match(String(await node.call('sendtoaddress', [ELSEWHERE, 5], 'payee')), TXID);
  assert.equal(await node.call('bumpfee', [txid], 'payer'), '-4 Transaction has been mined, or is conflicted with a mined transaction');
  await node.end();
});

test('funding reports missing outputs before a change position out of bounds', async () => {
  const node = await startWalletNode();
  const fund = async (outputs: object, changePosition: number): Promise<unknown> =>
    node.call('fundrawtransaction', [await node.call('createrawtransaction', [[], outputs]), { changePosition }]);
  assert.equal(await fund({}, -2), '-8 TX must have at least one output');
  assert.equal(await fund({ [ELSEWHERE]: 1 }, -2), '-8 changePosition out of bounds');
  assert.equal(await fund({ [ELSEWHERE]: 1 }, 2), '-8 changePosition out of bounds');
  assert.equal(await fund({ [ELSEWHERE]: 1 }, -1), '-4 Insufficient funds');
  await node.end();
});

test('funding reads its options one by one, and null is the default of includeWatching alone', async () => {
  const node = await startWalletNode();
  const both = async (options: object): Promise<unknown> => {
    const raw = await node.call('createrawtransaction', [[], { [ELSEWHERE]: 1 }]);
    const funded = await node.call('fundrawtransaction', [raw, options]);
    assert.deepEqual(await node.call('walletcreatefundedpsbt', [[], { [ELSEWHERE]: 1 }, 0, options]), funded);
    return funded;
  };
  assert.equal(await both({ includeWatching: null }), '-4 Insufficient funds');
  for (const name of ['changeAddress', 'change_type', 'estimate_mode']) {
    assert.equal(await both({ [name]: null }), '-1 JSON value is not a string as expected');
  }
  assert.equal(await both({ lockUnspents: null }), '-1 JSON value is not a boolean as expected');
  assert.equal(await both({ subtractFeeFromOutputs: null }), '-1 JSON value is not an array as expected');
  assert.equal(await both({ feeRate: null }), '-3 Amount is not a number or string');
  assert.equal(await both({ estimate_mode: null, changeAddress: 'x' }), '-5 changeAddress must be a valid defi address');
  const types = '-8 Cannot specify both changeAddress and address_type options';
  assert.equal(await both({ change_type: null, changeAddress: ELSEWHERE }), types);
  assert.equal(await both({ conf_target: null, feeRate: 1 }), '-8 Cannot specify both conf_target and feeRate');
  assert.equal(await both({ estimate_mode: null, feeRate: 1 }), '-8 Cannot specify both estimate_mode and feeRate');
  const positions = (...list: unknown[]) => both({ subtractFeeFromOutputs: list });
  assert.equal(await positions(0, 0, 'x'), '-8 Invalid parameter, duplicated position: 0');
  assert.equal(await positions(1, 'x'), '-8 Invalid parameter, position too large: 1');
  assert.equal(await positions(0, 'x'), '-1 JSON value is not an integer as expected');
  assert.equal(await positions(0, 1.5), '-1 JSON integer out of range');
  await node.end();
});

test('funding with a preset input that the wallet cannot spend is a failure to sign', async () => {
  const node = await startWalletNode();
  await node.mint(1, ELSEWHERE);
  await node.mint(100, await node.call('getnewaddress'));
  await node.call('importaddress', [ELSEWHERE]);
  const [watched] = (await coinsOf(node)).filter(({ address }) => address === ELSEWHERE);
  assert.ok(watched);
  const { txid, vout } = watched;
  const fund = async (input: object, amount: number): Promise<unknown> =>
    node.call('fundrawtransaction', [await node.call('createrawtransaction', [[input], { [ELSEWHERE]: amount }])]);
  assert.equal(await fund({ txid, vout }, 10), '-4 Signing transaction failed');
  assert.equal(await fund({ txid, vout }, 5_000), '-4 Insufficient funds');
  assert.equal(await fund({ txid: 'ab'.repeat(32), vout }, 10), '-4 Insufficient funds');
  await node.end();
});

test('listreceivedbylabel shows the fewest confirmations of the addresses of a label, 0 included', async () => {
  const node = await startWalletNode();
  await node.mint(3, await node.call('getnewaddress', ['mined']));
  await node.mint(100, ELSEWHERE);
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const label = `label ${order}`;
    const addresses = [await node.call('getnewaddress', [label]), await node.call('getnewaddress', [label])];
    const inBookOrder = addresses.map(String).sort();
    assert.match(String(await node.call('sendtoaddress', [inBookOrder[order[0] as number], 1])), TXID);
    await node.mint(1, ELSEWHERE);
    assert.match(String(await node.call('sendtoaddress', [inBookOrder[order[1] as number], 2])), TXID);
    const received = (await node.call('listreceivedbylabel', [0])) as { label: string; confirmations: number; amount: number }[];
    const [found] = received.filter((each) => each.label === label);
    assert.deepEqual([found?.amount, found?.confirmations], [3, 0]);
    await node.mint(1, ELSEWHERE);
  }
  await node.end();
});

/** A wallet that avoids reuse; its only coin is the change of a payment. */
async function startAvoidingReuse(): Promise<{ readonly node: WalletNode; readonly own: unknown; readonly change: ListedCoin }> {
  const node = await startWalletNode();
  await node.call('setwalletflag', ['avoid_reuse', true]);
  const own = await node.call('getnewaddress', ['mine']);
  await node.mint(1, own);
  await node.mint(100, ELSEWHERE);
  assert.match(String(await node.call('sendtoaddress', [ELSEWHERE, 10])), TXID);
  await node.mint(1, ELSEWHERE);
  const [change] = await coinsOf(node);
  assert.ok(change);
  return { node, own, change };
}

test('a change address that was spent from is in the address book, also when the wallet is loaded again', async () => {
  const { node: first, change } = await startAvoidingReuse();
  let node = first;
  const described = async (): Promise<unknown> => {
    const { label, labels, ischange } = (await node.call('getaddressinfo', [change.address])) as Record<string, unknown>;
    return { label, labels, ischange };
  };
  assert.deepEqual(await described(), { label: undefined, labels: [], ischange: true });
  assert.match(String(await node.call('sendtoaddress', [ELSEWHERE, 20])), TXID);
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await described(), { label: '', labels: [{ name: '', purpose: 'unknown' }], ischange: false });
    assert.deepEqual(await node.call('listlabels', ['unknown']), ['']);
    assert.deepEqual(await node.call('listlabels'), ['', 'mine']);
    node = await node.restart();
  }
  await node.end();
});

test('sendtoaddress with avoid_reuse=false compares the fee with a balance that includes reused addresses', async () => {
  const { node, own } = await startAvoidingReuse();
  // Coins of an address that was spent from.
  await node.mint(1, own);
  await node.mint(100, ELSEWHERE);
  const coins = await coinsOf(node);
  assert.equal(coins.length, 2);
  await node.call('lockunspent', [false, coins.map(({ txid, vout }) => ({ txid, vout }))]);
  const send = (avoidReuse: boolean): Promise<unknown> =>
    node.call('sendtoaddress', [ELSEWHERE, 60, '', '', false, null, null, null, avoidReuse]);
  assert.equal(await send(false), '-4 Insufficient funds');
  assert.equal(await send(true), '-6 Insufficient funds');
  await node.end();
});
