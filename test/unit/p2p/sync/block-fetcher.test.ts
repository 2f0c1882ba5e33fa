import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainFault } from '../../../../src/chain/faults.js';
import { BlockFetcher, type BlockFetcherDeps } from '../../../../src/p2p/sync/block-fetcher.js';
import type { SyncPeer } from '../../../../src/p2p/sync/sync-peer.js';

/** Number of blocks, new ones and those below a snapshot, that are requested from a peer while a chain has a fault. */
function requestedWith(fault: ChainFault['kind'] | undefined): number {
  const requested = new Set<number>();
  const chain = {
    fault: fault && { kind: fault, message: '' },
    isInitialDownload: () => false,
    history: { wanted: { from: 1, to: 2 } },
  };
  const entry = (height: number) => ({ hash: new Uint8Array(32).fill(height), height });
  const downloads = {
    next: () => ({ entries: [entry(5), entry(6)] }),
    nextHistorical: () => [entry(1)],
    add: (_peer: unknown, _hash: unknown, _now: number, height: number | undefined) => requested.add(height ?? 5 + requested.size),
  };
  const peer = { requested, servesBlocks: true, resolveAnnounced: () => {}, peer: { disconnected: false, send: () => {} } };
  const deps = { chain, downloads, peers: () => [], nowMs: () => 0, isNearTip: () => true };
  new BlockFetcher(deps as unknown as BlockFetcherDeps).fill(peer as unknown as SyncPeer);
  return requested.size;
}

test('no blocks are requested while they would be rejected; each one resumes processing after a failed write', () => {
  assert.equal(requestedWith(undefined), 3);
  assert.equal(requestedWith('write'), 3);
  for (const kind of ['disk-full', 'damaged', 'internal'] as const) assert.equal(requestedWith(kind), 0, kind);
});
