import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { carriedTransaction } from '../../../../src/dfi/evm/carried.js';
import { decodeAhead } from '../../../../src/dfi/evm/decoded-ahead.js';
import { DecodeError } from '../../../../src/primitives/codec.js';
import { finish } from '../../../../src/util/slicer.js';
import { carrier, evm, legacy, signed } from '../../mempool/evm-transactions.js';
import { startEvm } from '../evm-steps.js';
import { DfiFixture, GRAND_CENTRAL, heights } from '../fixture.js';

const HEIGHT = 200;
const late = heights({ ...GRAND_CENTRAL, metachain: 0 });

const CUT_OFF = carrier(Uint8Array.of(0xc1));

/** Error text of a carrier. */
function refusal(stage: 'block' | 'pool', tx = CUT_OFF): string | undefined {
  const fixture = new DfiFixture(late, HEIGHT);
  fixture.view.put(attributes, attributeAt('v0/params/feature/evm'), { kind: 'bool', value: true });
  startEvm(fixture);
  if (stage === 'pool') fixture.evm = { evmStage: 'pool' };
  const outcome = fixture.apply(tx);
  return outcome.status === 'failed' ? outcome.message : undefined;
}

test('an EVM transaction that cannot be decoded is refused with the words of its stage', () => {
  assert.equal(refusal('block'), 'EvmTx: evm tx failed to queue EVM: Transaction error\n');
  assert.equal(refusal('pool'), 'EvmTx: evm tx failed to pre-validate Error: decoding raw tx to TransactionV2');
});

test('a transaction that was decoded ahead is not decoded again for the mempool', () => {
  const raw = signed(legacy(0), 3);
  const [ahead, other] = [carrier(raw), carrier(raw)];
  assert.ok(finish(decodeAhead(ahead, raw, {})));
  assert.equal(carriedTransaction(ahead)?.signed, carriedTransaction(ahead)?.signed);
  assert.deepEqual(carriedTransaction(ahead)?.signed.hash, carriedTransaction(other)?.signed.hash);
});

test('a transaction that did not decode ahead is refused as any other', () => {
  const raw = Uint8Array.of(0xc1);
  const tx = carrier(raw);
  assert.equal(finish(decodeAhead(tx, raw, {})), undefined);
  assert.equal(refusal('pool', tx), refusal('pool'));
  assert.throws(() => carriedTransaction(tx), DecodeError);
});

test('prices and prepaid fees beyond 256 bits are refused in a block, each with its own words', () => {
  const gas = { gasLimit: 1n << 200n, gasPrice: 1n << 60n };
  assert.equal(refusal('block', evm(3, 0, gas)), 'EvmTx: evm tx failed to queue calculate current prepay fee failed from overflow\n');
  const { type: _, gasPrice, chainId, ...fields } = legacy(0);
  const prices = { maxFee: gasPrice, maxPriorityFee: (1n << 256n) - 1n };
  const tx = carrier(signed({ ...fields, ...prices, type: 2, chainId: 1133n }, 3));
  assert.equal(refusal('block', tx), 'EvmTx: evm tx failed to queue effective_gas_price overflow\n');
});
