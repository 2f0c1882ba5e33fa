import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockMagics } from '../../../src/app/block-magics.js';
import { networkParams } from '../../../src/params/index.js';
import { toHex } from '../../../src/util/bytes.js';

test('block files begin alike with and without -devnet-bootstrap, and those of earlier versions are read', () => {
  const magics = (network: 'main' | 'devnet' | 'changi', bootstrap = false) => {
    const { magic, formerMagic } = blockMagics(networkParams({ network, bootstrap }));
    return [toHex(magic), toHex(formerMagic)];
  };
  assert.deepEqual(magics('main'), ['e2aac1e1', 'e2aac1e1']);
  assert.deepEqual(magics('devnet'), ['0c101008', '0c101008']);
  assert.deepEqual(magics('devnet', true), ['0c101008', '0b110907']);
  assert.deepEqual(magics('changi', true), ['0d111109', '0b110907']);
});
