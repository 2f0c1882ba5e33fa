import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { evmReceipts, evmTip } from '../../src/dfi/evm/blocks.js';
import { fromHex } from '../../src/util/bytes.js';
import { fc } from '../property.js';
import { readRecording, recordings } from '../shared.js';
import { emptyChain } from './recorded-chain.js';
import { digest } from './state-digest.js';

/** Recorded chains with EVM transactions, contracts, transfers between the domains, and tokens. */
const names = ['feature_evm_proxy', 'feature_evm_transferdomain', 'feature_evm_dst20', 'feature_evm_rpc_fee'];
const paths = recordings('evm');

for (const name of names) {
  const path = paths.find((each) => basename(each, '.jsonl.gz') === name);
  test(`${name}: reorganisations leave the state of a node that saw none`, { skip: !path }, () => {
    const recording = readRecording(path as string);
    const { chain, clock } = emptyChain(recording);
    const digests = new Map<number, string>();
    for (const step of recording.steps) {
      if (!('hex' in step)) continue;
      clock.set(step.time);
      assert.deepEqual(chain.submitBlock(fromHex(step.hex)), { status: 'accepted' }, `block ${step.block}`);
      if (evmTip(chain.state)) digests.set(step.block, digest(chain));
    }
    const tip = chain.tip.height;
    const [first = tip] = digests.keys();
    const numbers = Array.from({ length: (evmTip(chain.state)?.number ?? 0) + 1 }, (_, number) => number);
    const executed = numbers.flatMap((number) => evmReceipts(chain.state, number) ?? []).filter(({ isSystem }) => !isSystem);
    assert.ok(executed.length > 0, 'the EVM was not used');
    const heights = fc.array(fc.integer({ min: first, max: tip - 1 }), { minLength: 1, maxLength: 4 });
    const reorganise = (targets: readonly number[]) => {
      const removed = targets.map((height) => {
        if (height >= chain.tip.height) return undefined;
        const entry = chain.entryAt(height + 1);
        if (entry) chain.invalidate(entry);
        assert.equal(digest(chain), digests.get(height), `after the blocks above ${height} were disconnected`);
        return entry;
      });
      for (const entry of removed.reverse()) if (entry) chain.reconsider(entry);
      assert.deepEqual([chain.tip.height, digest(chain)], [tip, digests.get(tip)]);
    };
    reorganise([first]);
    fc.assert(fc.property(heights, reorganise), { numRuns: 10 });
  });
}
