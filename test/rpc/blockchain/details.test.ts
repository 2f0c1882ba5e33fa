import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GRAND_CENTRAL } from '../../unit/dfi/fixture.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const METACHAIN = 120;
/** The masternode that mints. */
const MASTERNODE = 'e86c027861cc0af423313f4152a44a83296a388eb51bf1a6dde9bd75bed55fb4';
const OPERATOR = 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy';

interface Details {
  readonly height: number;
  readonly minter: Record<string, unknown>;
  readonly rewards: Record<string, unknown>;
  readonly tx: readonly Record<string, unknown>[];
}

describe('getblock with details', () => {
  let node: FounderNode;
  const blockAt = async (height: number, verbosity: number) => {
    const hash = await node.call('getblockhash', [height]);
    return (await node.call('getblock', [hash, verbosity])) as Details;
  };

  before(async () => {
    node = await startFounderNode({ ...GRAND_CENTRAL, metachain: METACHAIN });
  });
  after(() => node.end());

  test('is the layout of verbosity 2 on a chain without Metachain', async () => {
    const other = await startFounderNode();
    const hash = await other.call('getblockhash', [1]);
    const ask = (verbosity: number) => other.call('getblock', [hash, verbosity]);
    assert.deepEqual(await ask(3), await ask(2));
    assert.deepEqual(await ask(9), await ask(2));
    await other.end();
  });

  test('shows minter, rewards and custom transactions', async () => {
    await node.mint(METACHAIN - 1 - node.chain.tip.height, node.founder);
    const txid = await node.confirm('utxostoaccount', [{ [node.founder]: '2@DFI' }]);
    assert.equal(node.chain.tip.height, METACHAIN, txid);
    const block = await blockAt(METACHAIN, 3);
    assert.deepEqual(Object.keys(block), [
      ...['hash', 'confirmations', 'strippedsize', 'size', 'weight', 'height', 'version', 'versionHex', 'merkleroot', 'time', 'mediantime'],
      ...['bits', 'difficulty', 'chainwork', 'nTx', 'previousblockhash', 'minter', 'rewards', 'tx'],
    ]);
    const { totalMinted, stakeModifier, ...minter } = block.minter;
    assert.deepEqual(minter, { id: MASTERNODE, owner: '', operator: OPERATOR, rewardAddress: '' });
    assert.equal(typeof totalMinted, 'number');
    assert.match(String(stakeModifier), /^[0-9a-f]{64}$/);
    assert.deepEqual(Object.keys(block.rewards), [
      ...['block', 'AnchorReward', 'CommunityDevelopmentFunds', 'IncentiveFunding', 'Loan', 'Options', 'Burnt'],
    ]);
    const [coinbase, custom] = block.tx;
    assert.equal(coinbase?.vm, undefined);
    assert.equal(custom?.txid, txid);
    assert.deepEqual(custom?.vm, { vmtype: 'dvm', txtype: 'UtxosToAccount', msg: { [node.founder]: '2.00000000@0' } });
  });

  test('leaves out token ids, and hex below verbosity 4', async () => {
    const [, short] = (await blockAt(METACHAIN, 3)).tx;
    const [, long] = (await blockAt(METACHAIN, 4)).tx;
    const [, full] = (await blockAt(METACHAIN, 2)).tx;
    const text = JSON.stringify(short);
    assert.ok(!text.includes('"hex"') && !text.includes('"tokenId"'));
    assert.equal(long?.hex, full?.hex);
    assert.ok(!JSON.stringify(long).includes('"tokenId"'));
    const { vm: _, ...withHex } = long ?? {};
    const outputs = (full?.vout ?? []) as readonly { readonly tokenId: number }[];
    const vout = outputs.map(({ tokenId: _, ...output }) => output);
    assert.deepEqual(withHex, { ...full, vout });
  });
});
