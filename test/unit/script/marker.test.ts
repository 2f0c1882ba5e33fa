import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markerPayload } from '../../../src/script/marker.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';

const DFTX = '44665478';

const cases = [
  { name: 'direct push', script: `6a06${DFTX}43aa`, payload: '43aa', extra: false },
  { name: 'one byte of payload', script: `6a05${DFTX}43`, payload: '43', extra: false },
  { name: 'push longer than needed', script: `6a4c05${DFTX}43`, payload: '43', extra: false },
  { name: 'PUSHDATA2', script: `6a4d0500${DFTX}43`, payload: '43', extra: false },
  { name: 'PUSHDATA4', script: `6a4e05000000${DFTX}43`, payload: '43', extra: false },
  { name: 'another opcode after it', script: `6a05${DFTX}4351`, payload: '43', extra: true },
  { name: 'a truncated push after it', script: `6a05${DFTX}430501`, payload: '43', extra: false },
];
for (const { name, script, payload, extra } of cases) {
  test(`marker: ${name}`, () => {
    const found = markerPayload(fromHex(script), 'DfTx');
    assert.equal(found && toHex(found.payload), payload);
    assert.equal(found?.extra, extra);
  });
}

const none = [
  { name: 'empty script', script: '' },
  { name: 'OP_RETURN alone', script: '6a' },
  { name: 'no payload', script: `6a04${DFTX}` },
  { name: 'no OP_RETURN', script: `05${DFTX}43` },
  { name: 'another marker', script: '6a05446654584300' },
  { name: 'an opcode before the push', script: `6a6105${DFTX}43` },
  { name: 'an empty push first', script: `6a0005${DFTX}43` },
  { name: 'push cut off', script: `6a07${DFTX}43` },
];
for (const { name, script } of none) {
  test(`no marker: ${name}`, () => assert.equal(markerPayload(fromHex(script), 'DfTx'), undefined));
}

test('the other markers', () => {
  assert.ok(markerPayload(fromHex('6a05446641660a'), 'DfAf'));
  assert.ok(markerPayload(fromHex('6a05446641500a'), 'DfAP'));
  assert.ok(markerPayload(fromHex('6a05446654530a'), 'DfTS'));
  assert.equal(markerPayload(fromHex('6a05446654530a'), 'DfTx'), undefined);
});
