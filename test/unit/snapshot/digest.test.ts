import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Digester } from '../../../src/snapshot/digest.js';

const ROWS = ['blocks', 'dfi/anchor-confirm', 'history/account', 'history/auction', 'history/vault'];

/** Digest of one row in each of the columns. */
function digestOf(options: readonly string[], columns = ROWS) {
  const digester = new Digester({ genesis: new Uint8Array(32), height: 5, hash: new Uint8Array(32).fill(1), options });
  for (const column of columns) digester.add(column, 1, Uint8Array.of(1, 2, 3));
  return digester.digest();
}

const both = digestOf(['acindex', 'vaultindex']);

test('options of the state change its digest, those of histories do not', () => {
  assert.equal(both.state, 'f7fef57d24c0a53ba8b2181722c337b68a244cb0451d82d016826463a0499af8');
  assert.equal(digestOf([]).state, both.state);
  const states = [[], ['dexstats'], ['negativeinterest'], ['dexstats', 'negativeinterest']].map((each) => digestOf(each).state);
  assert.equal(new Set(states).size, 4);
});

test('histories that have rows are digested by these alone', () => {
  assert.equal(both.history, '74f3d6bb189ce542975bc3b467d30f304378f8aefddeb0650ca51bc70063639b');
  assert.equal(digestOf(['acindex', 'vaultindex', 'dexstats']).history, both.history);
});

test('a header that claims or denies a history changes the digest of the histories', () => {
  const digests = [both, digestOf(['acindex']), digestOf(['vaultindex']), digestOf([])].map(({ history }) => history);
  assert.equal(new Set(digests).size, 4);
  const accounts = ['dfi/anchor-confirm', 'history/account'];
  assert.notEqual(digestOf(['acindex', 'vaultindex'], accounts).history, digestOf(['acindex'], accounts).history);
  assert.equal(digestOf(['acindex', 'vaultindex'], ['dfi/anchor-confirm']).history, undefined);
});
