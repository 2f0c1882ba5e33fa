import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../../src/crypto/hash.js';
import { networkParams } from '../../../src/params/index.js';
import { getTxOutProof } from '../../../src/services/blockchain/blocks/proofs.js';
import { toHex } from '../../../src/util/bytes.js';
import { turnsOf } from '../../event-loop-turns.js';
import { jsonRpcCall } from '../json-rpc-call.js';

const TXIDS = 1_000;

test('gettxoutproof: yields to other work while it searches for many transactions', async () => {
  const txids = Array.from({ length: TXIDS }, (_, n) => toHex(sha256(Uint8Array.of(n, n >> 8))));
  let looked = 0;
  const chain = {
    params: networkParams({ network: 'regtest' }),
    hasUnspent: () => {
      looked += 1;
      return undefined;
    },
  };
  const proof = async () =>
    getTxOutProof({ chain, txIndex: undefined, mempool: { pool: new Map() } } as never, { txids, blockhash: undefined }, jsonRpcCall);
  const turns = await turnsOf(() => assert.rejects(proof(), /Transaction not yet in block/));
  assert.equal(looked, TXIDS);
  // A slice is five clock reads: one for each parsed id, one for each search.
  assert.ok(turns > (2 * TXIDS) / 6, `${turns} turns`);
});
