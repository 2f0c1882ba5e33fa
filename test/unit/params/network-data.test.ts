import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NULL_SWAPS } from '../../../src/dfi/tokens/null-swaps.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkName } from '../../../src/params/network.js';
import { skippedCustomTxs } from '../../../src/params/skipped-custom-txs.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { protocolData } from '../../shared.js';

// Lists too long to be written out here, compared with the data of the protocol pages.

/** Compares with a file of `docs/protocol/data/`. */
function against<T>(file: string, name: string, compare: (data: T) => void): void {
  test(name, () => compare(protocolData<T>(file)));
}

const LIVE = ['main', 'test', 'devnet', 'changi'] as const satisfies readonly NetworkName[];

type Checkpoints = Readonly<Record<'v4.2.5', Readonly<Record<string, readonly (readonly [number, string])[]>>>>;
against<Checkpoints>('checkpoints.json', 'checkpoints: each of every network', (data) => {
  for (const network of LIVE) {
    const found = networkParams({ network }).checkpoints.map(({ height, hash }) => [height, formatHash(hash)]);
    assert.deepEqual(found, data['v4.2.5'][network], network);
  }
});

type Seeds = Readonly<Record<'fixedSeedsV425', Readonly<Record<string, readonly string[]>>>>;
against<Seeds>('fixed-seeds.json', 'fixed seeds: each of every network', ({ fixedSeedsV425 }) => {
  for (const network of LIVE) assert.deepEqual(networkParams({ network }).fixedSeeds, fixedSeedsV425[network], network);
});

type Skipped = Readonly<Record<'main' | 'other', readonly string[]>>;
against<Skipped>('skipped_custom_txs.json', 'custom transactions without effect: each, by network', ({ main, other }) => {
  assert.deepEqual([...skippedCustomTxs('main')].sort(), [...main].sort());
  for (const network of ['test', 'devnet', 'changi', 'regtest']) {
    assert.deepEqual([...skippedCustomTxs(network)].sort(), [...other].sort(), network);
  }
});

interface Refund {
  readonly address: string;
  readonly tokenId: number;
  readonly amountSat: number;
}
against<readonly Refund[]>('null_pool_swap_refunds.json', 'swaps that are made good: each, in order', (data) => {
  const found = NULL_SWAPS.map(({ address, tokenId, amount }) => ({ address, tokenId, amountSat: Number(amount) }));
  assert.deepEqual(
    found,
    data.map(({ address, tokenId, amountSat }) => ({ address, tokenId, amountSat })),
  );
});
