import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coins } from '../../../../src/chain/coins.js';
import { type Token, TokenFlag } from '../../../../src/dfi/tokens/columns.js';
import { networkParams } from '../../../../src/params/index.js';
import { NULL_HASH } from '../../../../src/primitives/hash.js';
import { scriptOf } from '../../../../src/script/address.js';
import { formatToken } from '../../../../src/services/format/token.js';
import { MemoryStore } from '../../../../src/storage/memory.js';
import { Overlay } from '../../../../src/storage/overlay.js';
import { fromHex } from '../../../../src/util/bytes.js';

const params = networkParams({ network: 'regtest' });
const token: Token = {
  symbol: 'GOLD',
  name: 'gold',
  decimal: 8,
  limit: 0n,
  flags: TokenFlag.mintable,
  minted: 0n,
  creationTx: new Uint8Array(32).fill(7),
  destructionTx: NULL_HASH,
  creationHeight: 100,
  destructionHeight: -1,
};

const cases = [
  { name: 'its address', script: scriptOf({ type: 'pkh', hash: new Uint8Array(20) }), expected: 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8' },
  { name: 'its script in hex if that has no address', script: fromHex('00149257'), expected: '00149257' },
  { name: 'nothing if it is spent', script: undefined, expected: '' },
];
for (const { name, script, expected } of cases) {
  test(`a token shows of its collateral output ${name}`, () => {
    const state = new Overlay(new MemoryStore());
    const out = { value: 1n, tokenId: 0, scriptPubKey: script ?? new Uint8Array() };
    if (script) state.put(coins, { txid: token.creationTx, vout: 1 }, { out, height: 100, coinbase: false });
    assert.equal(formatToken({ id: 128, token }, { state, params }).collateraladdress, expected);
  });
}
