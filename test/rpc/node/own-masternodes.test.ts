import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FounderNode, startFounderNode } from '../founder-node.js';

interface Shown {
  readonly ownerAuthAddress: string;
  readonly ownerIsMine: boolean;
  readonly operatorIsMine: boolean;
  readonly localMasternode: boolean;
}

describe('masternodes of this node and its wallets', () => {
  let node: FounderNode;
  let [genesis, foreign] = ['', ''];

  const flags = ({ ownerIsMine, operatorIsMine, localMasternode }: Shown) => [ownerIsMine, operatorIsMine, localMasternode];
  const listed = async (wallet?: string): Promise<Record<string, Shown>> =>
    JSON.parse(await node.ask('listmasternodes', '[]', { wallet })) as Record<string, Shown>;
  const flagsOf = async (id: string, wallet?: string) => {
    const alone = JSON.parse(await node.ask('getmasternode', JSON.stringify([id]), { wallet })) as Record<string, Shown>;
    const inList = (await listed(wallet))[id];
    assert.deepEqual(inList, alone[id], 'the list and the single answer agree');
    return flags(inList as Shown);
  };

  before(async () => {
    node = await startFounderNode(undefined, ['other']);
    const all = Object.entries(await listed());
    genesis = all.find(([, { ownerAuthAddress }]) => ownerAuthAddress === node.founder)?.[0] as string;
    foreign = all.find(([id]) => id !== genesis)?.[0] as string;
  });
  after(() => node.end());

  test('listmasternodes and getmasternode: ownerIsMine follows the wallet of the call, localMasternode -masternode_operator', async () => {
    assert.deepEqual(await flagsOf(genesis, ''), [true, false, true]);
    assert.deepEqual(await flagsOf(genesis, 'other'), [false, false, true]);
    assert.deepEqual(await flagsOf(foreign, ''), [false, false, false]);
  });

  test('operatorIsMine once the wallet has the operator key', async () => {
    await node.call('importprivkey', [node.chain.params.masternode.genesis[0]?.operatorKey], 'other');
    assert.deepEqual(await flagsOf(genesis, 'other'), [false, true, true]);
    assert.deepEqual(await flagsOf(genesis, ''), [true, false, true]);
  });

  test('a watch-only key is not mine', async () => {
    await node.call('importaddress', [node.founder], 'other');
    assert.deepEqual(await flagsOf(genesis, 'other'), [false, true, true]);
  });

  test('without a named wallet every loaded one counts', async () => {
    assert.deepEqual(await flagsOf(genesis), [true, true, true]);
  });

  test('a wallet that is not loaded is refused', async () => {
    const refusal = '-18 Requested wallet does not exist or is not loaded';
    assert.equal(await node.ask('listmasternodes', '[]', { wallet: 'missing' }), refusal);
    assert.equal(await node.ask('getmasternode', JSON.stringify([genesis]), { wallet: 'missing' }), refusal);
  });

  test('getmasternodeblocks: an address of a script is none of a masternode', async () => {
    for (const key of ['ownerAddress', 'operatorAddress']) {
      const params = JSON.stringify([{ [key]: '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc' }]);
      assert.equal(await node.ask('getmasternodeblocks', params), '-5 Invalid P2PKH address');
    }
  });

  test('getmasternodeblocks: blocks minted under an earlier operator stay those of the masternode', async () => {
    const before = await node.call('getmasternodeblocks', [{ id: genesis }, 3]);
    assert.equal(Object.keys(before as object).length, 3);
    await node.confirm('setgov', [{ ATTRIBUTES: { 'v0/params/feature/mn-setoperatoraddress': 'true' } }]);
    await node.confirm('updatemasternode', [genesis, { operatorAddress: await node.call('getnewaddress', ['', 'legacy']) }]);
    const after = (await node.call('getmasternodeblocks', [{ id: genesis }, 5])) as object;
    const { height } = node.chain.tip;
    assert.deepEqual(Object.keys(after), [height, height - 1, height - 2, height - 3, height - 4].map(String).sort());
  });
});
