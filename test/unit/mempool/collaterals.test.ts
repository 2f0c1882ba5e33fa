import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { ANYONE, carrying, DFI, NO_TX, output, PoolNode } from './fixture.js';

const unconfirmed = (own: PoolNode, message: string): Transaction => {
  const vout = [carrying(`DfTx${message}`), { value: DFI, scriptPubKey: ANYONE, tokenId: 0 }];
  const creation = own.pay([own.coin(0)], [], { vout });
  own.add(creation);
  return creation;
};
const locked = (creation: Transaction, end = ', cheater?') =>
  `collateral-locked-in-mempool, tried to spend collateral of non-created mn or token ${formatHash(creation.txid)}${end} (code 16)`;

test('the collateral of an unconfirmed masternode or token cannot be spent', () => {
  for (const type of ['C', 'T']) {
    const own = new PoolNode({ coins: 1 });
    const creation = unconfirmed(own, `${type}xyz`);
    const spend = own.pay([output(creation, 1)], [DFI / 2n]);
    assert.equal(own.tell(spend), locked(creation));
    const verdict = own.mempool.test(spend);
    assert.equal(verdict.status === 'rejected' && verdict.misbehaviour, 100);
  }
});

test('the text about unconfirmed ones is shorter from Metachain on', () => {
  const next = new PoolNode({ coins: 1 }).chain.tip.height + 1;
  const own = new PoolNode({ coins: 1, metachain: next });
  const creation = unconfirmed(own, 'Cxyz');
  assert.equal(own.tell(own.pay([output(creation, 1)], [DFI / 2n])), locked(creation, ''));
});

test('the collateral of an unconfirmed masternode is noticed before a missing input, not after it', () => {
  const own = new PoolNode({ coins: 1 });
  const creation = unconfirmed(own, 'Cxyz');
  const collateral = output(creation, 1);
  assert.equal(own.tell(own.pay([collateral, NO_TX], [DFI / 2n])), locked(creation));
  assert.equal(own.tell(own.pay([NO_TX, collateral], [DFI / 2n])), 'missing-inputs');
});

for (const message of ['Uxyz', 'gxyz', 'nxyz', `m${'\0'.repeat(33)}`]) {
  test(`output 1 of a custom transaction ${message[0]} without effect can`, () => {
    const own = new PoolNode({ coins: 1 });
    const creation = unconfirmed(own, message);
    assert.equal(own.tell(own.pay([output(creation, 1)], [DFI / 2n])), 'allowed');
  });
}

test('the collateral of a masternode is locked', () => {
  const node = new PoolNode({ coins: 1 });
  const [first] = node.chain.params.masternode.genesis;
  const point = { txid: first?.id as Uint8Array, vout: 1 };
  const expected = `bad-txns-collateral-locked, tried to spend locked collateral for ${formatHash(point.txid)} (code 16)`;
  assert.equal(node.tell(node.pay([point], [DFI])), expected);
});
