import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListAnchorsResponse } from '../../../gen/ts/dfi/node/v1/masternodes.js';
import { anchorConfirms, anchorRewards, anchorTeams, asTeam, confirmHash } from '../../../src/dfi/anchors/columns.js';
import { updateTeams } from '../../../src/dfi/anchors/teams.js';
import { masternodeOperators, masternodes, P2PKH, P2WPKH } from '../../../src/dfi/masternodes/columns.js';
import { formatHash, NULL_HASH } from '../../../src/primitives/hash.js';
import { Paging } from '../../../src/rpc/paging.js';
import { getAnchorTeams, listAnchors } from '../../../src/services/node/masternodes/anchors.js';
import { DfiFixture, GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { committedCatalogue } from '../catalogue.js';
import { jsonRpcCall } from '../json-rpc-call.js';
import { asker } from '../state-asker.js';

const TIP = 100;
const LEGACY = 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8';
const SEGWIT = 'bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t';
const key = (n: number) => new Uint8Array(20).fill(n);
const hash = (n: number) => new Uint8Array(32).fill(n);
const hex = (n: number) => n.toString(16).padStart(2, '0').repeat(32);

function askerOf(fixture: DfiFixture) {
  const chain = { params: fixture.params, state: fixture.view, tip: { height: TIP } };
  return asker({ getAnchorTeams, listAnchors }, { chain: chain as never });
}

function operate(fixture: DfiFixture, n: number, operatorType: number): void {
  const keys = { ownerKey: key(n), ownerType: P2PKH, operatorKey: key(n), operatorType, rewardKey: key(0), rewardType: 0 };
  const life = { creationHeight: 0, resignHeight: -1, version: -1, resignTx: NULL_HASH, collateralTx: NULL_HASH, mintedBlocks: 0 };
  fixture.view.put(masternodes, hash(n), { ...keys, ...life });
  fixture.view.put(masternodeOperators, key(n), hash(n));
}

test('getanchorteams: the teams at a height, as operator addresses', async () => {
  const fixture = new DfiFixture(heights());
  const ask = askerOf(fixture);
  const change = fixture.params.anchor.teamChange;
  const start = TIP - (TIP % change);
  assert.equal(await ask('getanchorteams'), '{"auth":[],"confirm":[]}');
  operate(fixture, 0, P2PKH);
  operate(fixture, 1, P2WPKH);
  fixture.view.put(anchorTeams, start, { auth: asTeam([key(1), key(0)]), confirm: asTeam([key(1)]) });
  fixture.view.put(anchorTeams, start - change, { auth: asTeam([key(9)]), confirm: asTeam([key(0)]) });
  const current = `{"auth":["${LEGACY}","${SEGWIT}"],"confirm":["${SEGWIT}"]}`;
  assert.equal(await ask('getanchorteams'), current, 'of the tip, by the bytes of the keys');
  assert.equal(await ask('getanchorteams', [start]), current);
  assert.equal(await ask('getanchorteams', { blockHeight: start + change - 1 }), current);
  const before = `{"auth":[],"confirm":["${LEGACY}"]}`;
  assert.equal(await ask('getanchorteams', [start - 1]), before, 'a key without a masternode is left out');
  for (const height of [start + change, -1, -change - 1]) assert.equal(await ask('getanchorteams', [height]), '{"auth":[],"confirm":[]}');
  assert.equal(await ask('getanchorteams', ['1']), '-1 JSON value is not an integer as expected');
});

test('a block that selects teams shows them', async () => {
  const fixture = new DfiFixture(heights(GRAND_CENTRAL));
  for (const n of [1, 2]) operate(fixture, n, P2WPKH);
  const height = TIP - (TIP % fixture.params.anchor.teamChange);
  updateTeams(fixture.view, { height, stakeModifier: hash(5), minter: () => key(1) }, fixture.params);
  assert.equal(await askerOf(fixture)('getanchorteams'), `{"auth":["${SEGWIT}"],"confirm":["${SEGWIT}"]}`);
});

test('listanchors: paid anchors, by height', async () => {
  const fixture = new DfiFixture(heights());
  const ask = askerOf(fixture);
  assert.equal(await ask('listanchors'), '[]');
  const anchors = [
    { n: 1, anchorHeight: 60, type: P2WPKH },
    { n: 2, anchorHeight: 15, type: P2PKH },
  ].map(({ n, anchorHeight, type }) => ({
    ...{ btcTxHash: hash(n), anchorHeight, previousAnchorHeight: 0, rewardKeyId: key(type === P2PKH ? 0 : 1), rewardKeyType: type },
    ...{ blockHash: hash(16 + n), btcTxHeight: 700 + n },
  }));
  const signed = anchors.map((anchor) => {
    fixture.view.put(anchorConfirms, anchor.btcTxHash, anchor);
    fixture.view.put(anchorRewards, anchor.btcTxHash, hash(32 + (anchor.btcTxHash[0] ?? 0)));
    return formatHash(confirmHash(anchor));
  });
  const shown = (n: number, height: number, address: string) =>
    `{"anchorHeight":${height},"anchorHash":"${hex(16 + n)}","rewardAddress":"${address}","dfiRewardHash":"${hex(32 + n)}",` +
    `"btcAnchorHeight":${700 + n},"btcAnchorHash":"${hex(n)}","confirmSignHash":"${signed[n - 1]}"}`;
  assert.equal(await ask('listanchors'), `[${shown(2, 15, LEGACY)},${shown(1, 60, SEGWIT)}]`);
});

test('listanchors: pages from the newest anchor down, of which no others are described', async () => {
  const fixture = new DfiFixture(heights());
  const heightsOf = [15, 30, 30, 45, 60];
  for (const [i, anchorHeight] of heightsOf.entries()) {
    const facts = {
      anchorHeight,
      previousAnchorHeight: 0,
      rewardKeyId: key(1),
      rewardKeyType: P2WPKH,
      blockHash: hash(9),
      btcTxHeight: 700,
    };
    fixture.view.put(anchorConfirms, hash(i + 1), { ...facts, btcTxHash: hash(i + 1) });
  }
  const op = committedCatalogue().byName('listanchors');
  assert.ok(op);
  const call = { ...jsonRpcCall, dialect: 'document' as const };
  const chain = { params: fixture.params, state: fixture.view, tip: { height: TIP } };
  const described: number[] = [];
  const found: string[][] = [];
  let page = '';
  do {
    const run = async (request: never): Promise<object> => {
      const answer = await listAnchors({ chain: chain as never }, request, call);
      described.push(answer.anchors.length);
      return answer;
    };
    const answer = (await new Paging(op).answer({ page, limit: 2 }, call, run)) as ListAnchorsResponse;
    found.push(answer.anchors.map((each) => `${each.anchorheight} ${each.btcanchorhash.slice(0, 2)}`));
    page = answer.next ?? '';
  } while (page !== '');
  assert.deepEqual(found, [['60 05', '45 04'], ['30 02', '30 03'], ['15 01']]);
  assert.deepEqual(described, [3, 3, 1]);
});
