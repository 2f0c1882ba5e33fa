/** Anchors on regtest, from the signatures of a masternode of the wallet to the reward in a minted block. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Daemon } from '../daemon.js';

const RULES = ['-dummypos=1', '-amkheight=0', '-dakotaheight=1', '-fortcanningheight=1'];
const OPERATOR = 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy';
/** Published key of the operator of the first genesis masternode. */
const OPERATOR_KEY = 'cPGEaz8AGiM71NGMRybbCqFNRcuUhg3uGvyY4TFE1BZC26EW2PkC';
const START = 1_700_000_000;
const SPACING_SEC = 720;
const FUNDS = {
  txid: 'a0d5a294be3cde6a8bddab5815b8c4cb1b2ebf2c2b8a4018205d6f8c576e8963',
  vout: 3,
  amount: 2_262_303,
  privkey: 'cStbpreCo2P4nbehPXZAAM3gXXY1sAphRfEhj7ADaLx8i2BmxvEP',
};

describe('anchors', () => {
  const daemon = new Daemon(['-regtest', ...RULES, `-masternode_operator=${OPERATOR}`]);
  let minted = 0;
  const mint = async (count: number): Promise<void> => {
    for (const end = minted + count; minted < end; minted++) {
      await daemon.ask('setmocktime', START + minted * SPACING_SEC);
      await daemon.ask('generatetoaddress', 1, OPERATOR);
    }
  };
  const count = async (method: string): Promise<number> => ((await daemon.ask(method)) as unknown[]).length;

  before(() => daemon.start());
  after(() => daemon.destroy());

  test('nothing is signed without the key of a masternode', async () => {
    await mint(60);
    assert.equal(await count('spv_listanchorauths'), 0);
  });

  test('an anchor is signed with the key of the wallet, sent, confirmed and rewarded', async () => {
    await daemon.ask('importprivkey', OPERATOR_KEY, '', false);
    await mint(15);
    const [auth] = (await daemon.ask('spv_listanchorauths')) as Record<string, unknown>[];
    assert.deepEqual([auth?.blockHeight, auth?.creationHeight, auth?.signees], [45, 75, [OPERATOR]]);
    await daemon.ask('spv_setlastheight', 1);
    const { txHash } = (await daemon.ask('spv_createanchor', [FUNDS], OPERATOR)) as { readonly txHash: string };
    await mint(1);
    await daemon.ask('spv_setlastheight', 6);
    assert.equal(await count('spv_listanchorrewardconfirms'), 1);
    await mint(1);
    const [reward] = (await daemon.ask('spv_listanchorrewards')) as Record<string, unknown>[];
    assert.equal(reward?.AnchorTxHash, txHash);
    const block = (await daemon.ask('getblock', await daemon.ask('getbestblockhash'))) as { readonly tx: readonly string[] };
    assert.deepEqual([block.tx.length, block.tx[1]], [2, reward?.RewardTxHash]);
    const [anchor] = (await daemon.ask('listanchors')) as Record<string, unknown>[];
    assert.deepEqual([anchor?.anchorHeight, anchor?.btcAnchorHash, anchor?.rewardAddress], [45, txHash, OPERATOR]);
    assert.equal(await count('spv_listanchorrewardconfirms'), 0);
  });

  test('without -spv nothing is signed, and the rewarded anchor remains', async () => {
    assert.equal(await daemon.end(), 0);
    await daemon.start(['-spv=0']);
    await mint(15);
    assert.deepEqual([await count('spv_listanchorauths'), await count('spv_listanchorrewards')], [0, 1]);
    await assert.rejects(daemon.ask('spv_syncstatus') as Promise<unknown>, /spv module disabled/);
  });
});
