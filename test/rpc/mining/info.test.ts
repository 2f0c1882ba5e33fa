import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkParams } from '../../../src/params/index.js';
import { startServices } from '../service-node.js';

const ADDRESS = 'mud4VMfbBqXNpbt8ur33KHKx8pk3npSq8c';
const FIRST = 'e86c027861cc0af423313f4152a44a83296a388eb51bf1a6dde9bd75bed55fb4';

test('getmininginfo: no operator, no block assembled', async () => {
  const { ask } = startServices(networkParams({ network: 'regtest' }));
  const text =
    '{"blocks":0,"difficulty":4.656542373906925e-10,"networkhashps":0,"pooledtx":0,"chain":"regtest","isoperator":false,"masternodes":[],"warnings":""}';
  assert.equal(await ask('getmininginfo', '[]'), text);
  assert.equal(await ask('getmintinginfo', '[]'), text);
  assert.equal(await ask('getmininginfo', '[null]'), '-1 usage');
});

test('getmininginfo: an own masternode before Eunos Paya has one multiplier', async () => {
  const { ask } = startServices(networkParams({ network: 'regtest' }), { operate: [0] });
  await ask('generatetoaddress', `[2, "${ADDRESS}"]`);
  const info = JSON.parse(await ask('getmininginfo', '[]'));
  assert.deepEqual(
    { ...info, networkhashps: undefined, difficulty: undefined },
    {
      blocks: 2,
      currentblockweight: 4000,
      currentblocktx: 0,
      difficulty: undefined,
      networkhashps: undefined,
      pooledtx: 0,
      chain: 'regtest',
      isoperator: true,
      masternodes: [
        {
          id: FIRST,
          operator: 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy',
          state: 'ENABLED',
          generate: false,
          mintedblocks: 2,
          lastblockcreationattempt: '0',
          targetMultiplier: 57,
        },
      ],
      warnings: '',
    },
  );
});

test('getmininginfo: from Eunos Paya on there is a multiplier for each sub-node', async () => {
  const upgradeHeights = { dakota: 1, dakotaCrescent: 1, eunos: 2, eunosPaya: 3, fortCanning: 4 };
  const { ask, chain, clock } = startServices(networkParams({ network: 'regtest', upgradeHeights }), { operate: [0] });
  await ask('generatetoaddress', `[5, "${ADDRESS}"]`);
  const multipliers = async () => JSON.parse(await ask('getmininginfo', '[]')).masternodes[0].targetMultipliers;
  assert.deepEqual(await multipliers(), [1, 1]);
  // Every six hours of waiting add one, up to two weeks.
  clock.setMockTime(chain.tip.time + 21_600);
  assert.deepEqual(await multipliers(), [2, 2]);
  clock.setMockTime(chain.tip.time + 30 * 86_400);
  assert.deepEqual(await multipliers(), [57, 57]);
});

test('getmininginfo: the multipliers regard the blocks below the newest one, those of getmasternode that one too', async () => {
  const upgradeHeights = { dakota: 1, dakotaCrescent: 1, eunos: 2, eunosPaya: 3, fortCanning: 4 };
  const { ask, chain, clock } = startServices(networkParams({ network: 'regtest', upgradeHeights }), { operate: [0] });
  await ask('generatetoaddress', `[5, "${ADDRESS}"]`);
  clock.setMockTime(chain.tip.time + 4 * 21_600);
  await ask('generatetoaddress', `[1, "${ADDRESS}"]`);
  const [own] = JSON.parse(await ask('getmininginfo', '[]')).masternodes;
  assert.deepEqual(own.targetMultipliers, [5, 5]);
  const { targetMultipliers } = JSON.parse(await ask('getmasternode', `["${FIRST}"]`))[FIRST];
  assert.deepEqual([...targetMultipliers].sort(), [1, 5]);
});

test('getmininginfo: a staking node reports it, with the time of its last attempt', async () => {
  const { ask, staker, chain, clock } = startServices(networkParams({ network: 'regtest' }), { operate: [0], staking: true });
  const about = async () => {
    const [node] = JSON.parse(await ask('getmininginfo', '[]')).masternodes;
    return [node.generate, node.lastblockcreationattempt];
  };
  await ask('generatetoaddress', `[1, "${ADDRESS}"]`);
  assert.deepEqual(await about(), [false, '0'], 'blocks on request are not staking');
  clock.setMockTime(1_600_000_007);
  staker?.start();
  while (chain.tip.height < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.deepEqual(await about(), [true, '2020-09-13T12:26:47Z']);
  await staker?.stop();
  assert.deepEqual(await about(), [false, '0']);
});

test('getnetworkhashps: blocks of ten minutes on regtest', async () => {
  const { ask, clock } = startServices(networkParams({ network: 'regtest' }), { operate: [0] });
  for (let i = 1; i <= 5; i++) {
    clock.setMockTime(1_600_000_000 + i * 600);
    await ask('generatetoaddress', `[1, "${ADDRESS}"]`);
  }
  assert.equal(await ask('getnetworkhashps', '[4]'), '0.003333333333333334');
  assert.equal(await ask('getnetworkhashps', '[1, 3]'), '0.003333333333333334');
  assert.equal(await ask('getnetworkhashps', '[120, 0]'), '0');
  // Heights from the tip on, and below 0, mean the tip.
  assert.equal(await ask('getnetworkhashps', '[4, 99]'), '0.003333333333333334');
  assert.equal(await ask('getnetworkhashps', '{"nblocks": 4, "height": -5}'), '0.003333333333333334');
});
