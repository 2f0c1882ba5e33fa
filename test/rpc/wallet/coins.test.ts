import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWalletNode } from './wallet-node.js';

const ELSEWHERE = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';

test('listunspent accepts a token by id or symbol, and refuses unknown names', async () => {
  const node = await startWalletNode();
  await node.mint(102, await node.call('getnewaddress'));
  const listed = async (tokenId: unknown): Promise<unknown> => {
    const found = await node.call('listunspent', [1, 9_999_999, [], true, { tokenId }]);
    return Array.isArray(found) ? found.length > 0 : found;
  };
  for (const name of ['0', 0, '00', 'DFI', ' DFI ', '', null]) assert.equal(await listed(name), true, String(name));
  assert.equal(await listed('5'), '-8 Invalid token id: 5');
  assert.equal(await listed('NOPE'), '-8 Invalid token id: NOPE');
  assert.equal(await listed('ab'.repeat(32)), `-8 Invalid token id: ${'ab'.repeat(32)}`);
  await node.end();
});

test('listunspent: a count of zero or less is no limit', async () => {
  const node = await startWalletNode();
  await node.mint(103, await node.call('getnewaddress'));
  const counted = async (maximumCount: number): Promise<unknown> => {
    const found = await node.call('listunspent', [1, 9_999_999, [], true, { maximumCount }]);
    return Array.isArray(found) ? found.length : found;
  };
  const all = await counted(0);
  assert.ok(Number(all) > 2);
  assert.deepEqual([await counted(2), await counted(-1), await counted(-(2 ** 40))], [2, all, all]);
  await node.end();
});

test('listreceivedbyaddress: a filter that is null is of a wrong type', async () => {
  const node = await startWalletNode();
  assert.deepEqual(await node.call('listreceivedbyaddress', [null, null, null]), []);
  assert.equal(await node.call('listreceivedbyaddress', [null, null, null, null]), '-1 JSON value is not a string as expected');
  await node.end();
});

test('sendutxosfrom searches coins as the options of the node say, whatever the call says', async () => {
  const node = await startWalletNode();
  const own = await node.call('getnewaddress');
  await node.mint(4, own);
  await node.mint(101, ELSEWHERE);
  const chosen = new Set<string>();
  for (let n = 0; n < 16; n++) {
    const txid = JSON.parse(
      await node.ask('sendutxosfrom', JSON.stringify([own, ELSEWHERE, 49]), { settings: { walletfastselect: true } }),
    );
    const { hex } = (await node.call('gettransaction', [txid])) as { hex: string };
    const { vin } = (await node.call('decoderawtransaction', [hex])) as { vin: { txid: string }[] };
    chosen.add(vin[0]?.txid ?? '');
    await node.call('clearmempool');
  }
  assert.ok(chosen.size > 1);
  await node.end();
});

test('a call may override the options of the coin search; in lists all coins count as solvable if that check is skipped', async () => {
  for (const [operator, caller, isEager] of [
    [false, {}, false],
    [false, { walletfastselect: true }, true],
    [true, {}, true],
    [true, { walletfastselect: false }, false],
    [true, { walletfastselect: false, walletcoinopteagerselect: true }, true],
  ] as const) {
    const node = await startWalletNode({ coinSearch: { fast: operator, skipSolvable: false, eager: false } });
    const own = await node.call('getnewaddress');
    await node.mint(4, own);
    await node.mint(101, ELSEWHERE);
    const coins = (await node.call('listunspent')) as { txid: string }[];
    const send = JSON.stringify([ELSEWHERE, 49]);
    const [first] = coins;
    const chosen = new Set<string>();
    for (let n = 0; n < 12; n++) {
      const txid = JSON.parse(await node.ask('sendtoaddress', send, { settings: caller }));
      const { hex } = (await node.call('gettransaction', [txid])) as { hex: string };
      const { vin } = (await node.call('decoderawtransaction', [hex])) as { vin: { txid: string }[] };
      chosen.add(vin[0]?.txid ?? '');
      await node.call('clearmempool');
    }
    assert.equal(chosen.size === 1 && chosen.has(first?.txid ?? ''), isEager, JSON.stringify([operator, caller]));
    await node.call('importaddress', [ELSEWHERE]);
    const all = (await node.call('listunspent')) as { address: string; solvable: boolean; desc?: string }[];
    const watched = all.find(({ address }) => address === ELSEWHERE);
    assert.deepEqual([watched?.solvable, watched?.desc !== undefined], [operator, operator]);
    await node.end();
  }
});
