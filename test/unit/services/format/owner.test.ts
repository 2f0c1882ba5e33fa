import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, formatOwner } from '../../../../src/services/format/owner.js';
import { fromHex, toHex } from '../../../../src/util/bytes.js';
import { heights, legacyScript } from '../../dfi/fixture.js';

const EVM = '6014ac6aa4068a7429e5cc1dcc68d2d629e05e972e48';
const KECCAK = toHex(legacyScript(1)).replace('76a914', '76c014');
const MULTISIG = `5121${'02'.repeat(33)}51ae`;
const KEY = 'mfcGAzvis9JQAb6avB6WBGiGrgWzLxuGaC';

const rows = [
  {
    name: 'EVM script',
    hex: EVM,
    early: 'bcrt1s4342gp52ws57tnqae35d943fup0fwtjgjhmclr',
    late: '0x482e975Ee029d6d268CC1dCce529748a06A46AAc',
  },
  { name: 'hash of a key by OP_KECCAK', hex: KECCAK, early: undefined, late: KEY },
  { name: 'bare multisig', hex: MULTISIG, early: undefined, late: undefined },
  { name: 'hash of a key', hex: toHex(legacyScript(1)), early: KEY, late: KEY },
];
for (const { name, hex, early, late } of rows) {
  test(`owner: ${name}, without and with Metachain`, () => {
    for (const [params, address] of [
      [heights(), early],
      [heights({ metachain: 1000 }), late],
    ] as const) {
      assert.equal(addressOf(fromHex(hex), params), address);
      assert.equal(formatOwner(fromHex(hex), params), address ?? hex);
    }
  });
}
