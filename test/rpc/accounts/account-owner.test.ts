import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from '../../../src/util/bytes.js';
import { GRAND_CENTRAL, legacyScript } from '../../unit/dfi/fixture.js';
import { startFounderNode } from '../founder-node.js';

const KEY_SCRIPT = toHex(legacyScript(1));
/** Scripts without a destination: data, and a multisig of one key. */
const DATA = '6a0100';
const MULTISIG = `5121${'02'.repeat(33)}51ae`;

test('getaccount from Metachain on: any script with an address is an owner', async () => {
  const node = await startFounderNode({ ...GRAND_CENTRAL, grandCentralEpilogue: 0, metachain: 0 });
  try {
    const call = (text: string) => node.call('getaccount', [text]);
    for (const text of ['', 'AAAAAAAAAA', 'nobody', '51', DATA, MULTISIG]) assert.equal(await call(text), '-5 Invalid owner address', text);
    for (const text of [KEY_SCRIPT, node.founder, '0x1111111111111111111111111111111111111111'])
      assert.deepEqual(await call(text), [], text);
    await node.confirm('utxostoaccount', [{ [node.founder]: '2@DFI' }]);
    assert.deepEqual(await call(node.founder), ['2.00000000@DFI']);
  } finally {
    await node.end();
  }
});

test('getaccount below Metachain: texts of the releases before', async () => {
  const node = await startFounderNode();
  try {
    assert.equal(await node.call('getaccount', ['nobody']), '-5 recipient (nobody) does not refer to any valid address');
    assert.equal(await node.call('getaccount', ['51']), '-5 recipient script (51) does not solvable/non-standard');
  } finally {
    await node.end();
  }
});
