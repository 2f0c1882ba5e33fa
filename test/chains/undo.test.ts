import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { auctions } from '../../src/dfi/auctions/columns.js';
import { isDestroyed, tokens } from '../../src/dfi/tokens/columns.js';
import type { StateView } from '../../src/storage/view.js';
import { fromHex } from '../../src/util/bytes.js';
import { readRecording, recordings } from '../shared.js';
import { emptyChain } from './recorded-chain.js';
import { digest } from './state-digest.js';

/** Parts of recorded chains with liquidations and auctions of vaults, or splits of tokens with their pools and loans. */
const stretches = [
  { name: 'feature_loan', from: 394, to: 434, seen: (state: StateView) => [...state.entries(auctions)].length },
  {
    name: 'feature_token_split_usd_value',
    from: 380,
    to: 386,
    seen: (state: StateView) => [...state.entries(tokens)].filter(([, token]) => isDestroyed(token)).length,
  },
];

const paths = recordings('finance');

for (const { name, from, to, seen } of stretches) {
  const path = paths.find((each) => basename(each, '.jsonl.gz') === name);
  test(`${name}: disconnecting blocks restores the state of every height, and connecting them again that of the tip`, {
    skip: !path,
  }, () => {
    const recording = readRecording(path as string);
    const { chain, clock } = emptyChain(recording);
    const digests = new Map<number, string>();
    const counts = new Set<number>();
    for (const step of recording.steps) {
      if (!('hex' in step) || step.block > to) continue;
      clock.set(step.time);
      chain.submitBlock(fromHex(step.hex));
      if (step.block < from) continue;
      digests.set(step.block, digest(chain));
      counts.add(seen(chain.state));
    }
    assert.equal(chain.tip.height, to);
    assert.ok(counts.size > 1, 'what the stretch is there for did not happen');
    const first = chain.entryAt(from + 1);
    while (chain.tip.height > from) {
      chain.invalidate(chain.tip);
      assert.equal(digest(chain), digests.get(chain.tip.height), `after block ${chain.tip.height + 1} was disconnected`);
    }
    if (first) chain.reconsider(first);
    assert.deepEqual([chain.tip.height, digest(chain)], [to, digests.get(to)]);
  });
}
