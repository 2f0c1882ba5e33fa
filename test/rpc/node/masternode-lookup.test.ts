import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeDestination } from '../../../src/script/address.js';
import { GRAND_CENTRAL, heights } from '../../unit/dfi/fixture.js';
import { startServices } from '../service-node.js';

interface Shown {
  readonly ownerAuthAddress: string;
  readonly operatorAuthAddress: string;
}

const UNKNOWN_KEY = encodeDestination({ type: 'pkh', hash: new Uint8Array(20).fill(7) }, heights().address);

test('getmasternode from Metachain on: by id, by the address of the operator or of the owner', async () => {
  const { ask } = startServices(heights({ ...GRAND_CENTRAL, grandCentralEpilogue: 0, metachain: 0 }));
  const all = JSON.parse(await ask('listmasternodes', '[]')) as Record<string, Shown>;
  const get = (text: string) => ask('getmasternode', JSON.stringify([text]));
  assert.ok(Object.keys(all).length > 1);
  for (const [id, node] of Object.entries(all)) {
    for (const text of [id, id.toUpperCase(), node.operatorAuthAddress, node.ownerAuthAddress])
      assert.deepEqual(JSON.parse(await get(text)), { [id]: node }, text);
  }
  for (const text of ['ab'.repeat(32), 'zz', '', UNKNOWN_KEY, '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'])
    assert.equal(await get(text), '-5 Masternode not found', text);
});

test('getmasternode below Metachain: by id', async () => {
  const { ask } = startServices(heights(GRAND_CENTRAL));
  const text = `-8 masternode id must be of length 64 (not 34, for '${UNKNOWN_KEY}')`;
  assert.equal(await ask('getmasternode', JSON.stringify([UNKNOWN_KEY])), text);
  assert.equal(await ask('getmasternode', JSON.stringify(['ab'.repeat(32)])), '-5 Masternode not found');
});
