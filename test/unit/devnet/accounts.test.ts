import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HDNodeWallet } from 'ethers';
import { parseWif } from '../../../src/crypto/keys.js';
import { ACCOUNTS, devAccounts, WORDS } from '../../../src/devnet/accounts.js';
import { networkParams } from '../../../src/params/index.js';
import { decodeDestination } from '../../../src/script/address.js';
import { toHex } from '../../../src/util/bytes.js';

const params = networkParams({ network: 'regtest' });

test("the accounts are those of the words in Ethereum's wallets, with the same key on both sides", () => {
  const accounts = devAccounts(params);
  assert.equal(accounts.length, ACCOUNTS);
  for (const [index, { address, evmAddress, evmKey, key, publicKey }] of accounts.entries()) {
    const expected = HDNodeWallet.fromPhrase(WORDS, undefined, `m/44'/60'/0'/0/${index}`);
    assert.deepEqual([evmAddress, evmKey, `0x${publicKey}`], [expected.address, expected.privateKey, expected.publicKey]);
    assert.equal(toHex(parseWif(key, params.address)?.secret ?? new Uint8Array()), evmKey.slice(2));
    assert.equal(decodeDestination(address, params.address)?.type, 'wpkh');
  }
  assert.equal(accounts[0]?.evmAddress, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
});
