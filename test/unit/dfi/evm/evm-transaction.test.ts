import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributes } from '../../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../../src/dfi/attributes/path.js';
import { carrier } from '../../mempool/evm-transactions.js';
import { startEvm } from '../evm-steps.js';
import { DfiFixture, GRAND_CENTRAL, heights } from '../fixture.js';

const HEIGHT = 200;
const late = heights({ ...GRAND_CENTRAL, metachain: 0 });

/** Error text of a carrier whose EVM transaction is cut off. */
function refusal(stage: 'block' | 'pool'): string | undefined {
  const fixture = new DfiFixture(late, HEIGHT);
  fixture.view.put(attributes, attributeAt('v0/params/feature/evm'), { kind: 'bool', value: true });
  startEvm(fixture);
  if (stage === 'pool') fixture.evm = { evmStage: 'pool' };
  const outcome = fixture.apply(carrier(Uint8Array.of(0xc1)));
  return outcome.status === 'failed' ? outcome.message : undefined;
}

test('an EVM transaction that cannot be decoded is refused with the words of its stage', () => {
  assert.equal(refusal('block'), 'EvmTx: evm tx failed to queue EVM: Transaction error\n');
  assert.equal(refusal('pool'), 'EvmTx: evm tx failed to pre-validate Error: decoding raw tx to TransactionV2');
});
