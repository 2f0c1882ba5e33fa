import assert from 'node:assert/strict';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { networkParams } from '../../../src/params/index.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../../chains/block-builder.js';

/** Empty chain in memory, above which any block may follow. Another one with the same `parts` has the same blocks, but none in memory. */
export function emptyChain(parts = { store: new MemoryStore(), blocks: new MemoryBlocks() }): Chain {
  const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
  const clock = new FixedClock(params.genesis.header.time + 100_000);
  return new Chain({ params }, { ...parts, clock, log: silentLogger });
}

/** A chain with mature coins, and a function that connects a block with one transaction, and `size` more that spend its outputs. */
export function chainWithCoins(
  size: number,
  chain = emptyChain(),
): { readonly chain: Chain; readonly connectNext: () => readonly Transaction[] } {
  const coinbases = extend(chain, 20).map(({ transactions: [coinbase] }) => coinbase as Transaction);
  extend(chain, 100);
  const connectNext = (): readonly Transaction[] => {
    const coinbase = coinbases.shift() as Transaction;
    const vout = Array.from({ length: size }, () => ({ value: 1_000n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }));
    const first = spend(chain, [{ txid: coinbase.txid, vout: 0 }], [], { vout });
    const others = vout.map((_, i) =>
      spend(chain, [{ txid: first.txid, vout: i }], [], { vout: [{ value: 900n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] }),
    );
    const transactions = [first, ...others];
    const result = chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip, { transactions })));
    assert.equal(result.status, 'accepted');
    return transactions;
  };
  return { chain, connectNext };
}
