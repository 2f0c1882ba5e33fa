import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { ByteReader } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { blockHeader } from '../../../src/primitives/header.js';
import { fromHex } from '../../../src/util/bytes.js';
import { mintedChain, mintedNode, tip } from './minted-chain.js';
import { answer } from './node.js';

function show(entry: BlockIndexEntry, branchlen: number, status: string): object {
  return { height: entry.height, hash: formatHash(entry.hash), branchlen, status };
}

test('getchaintips: only the tip', async () => {
  const node = mintedNode();
  assert.equal(await answer(node, 'getchaintips', '[]'), `[{"height":23,"hash":"${tip}","branchlen":0,"status":"active"}]`);
});

test('getchaintips: an invalid branch next to the active chain, highest first', async () => {
  const node = mintedNode();
  const { chain } = node;
  const old = chain.tip;
  chain.invalidate(chain.entryAt(20) as BlockIndexEntry);
  assert.equal(chain.tip.height, 19);
  assert.deepEqual(JSON.parse(await answer(node, 'getchaintips', '[]')), [show(old, 4, 'invalid'), show(chain.tip, 0, 'active')]);
  // An index that was enabled later does not have the branch.
  const later = { ...node, filterIndex: { filter: () => undefined, synced: true } };
  const filter = '{"code":-5,"message":"Filter not found. Block was not connected to active chain."}';
  assert.equal(await answer(later, 'getblockfilter', JSON.stringify([formatHash(old.hash)])), filter);
});

test('getchaintips: a header without its block', async () => {
  const node = mintedNode(2);
  const { chain, clock } = node;
  const next = mintedChain.blocks[2];
  assert.ok(next);
  clock.set(next.time);
  const entry = chain.acceptHeader(blockHeader.read(new ByteReader(fromHex(next.hex))));
  assert.deepEqual(JSON.parse(await answer(node, 'getchaintips', '[]')), [show(entry, 1, 'headers-only'), show(chain.tip, 0, 'active')]);
  const hash = JSON.stringify([formatHash(entry.hash)]);
  assert.match(await answer(node, 'getblockheader', hash), /"confirmations":-1,"height":3,.*"nTx":0,"previousblockhash":/);
  assert.equal(await answer(node, 'getblock', hash), '{"code":-1,"message":"Block not found on disk"}');
  const filter = '{"code":-5,"message":"Filter not found. Block was not connected to active chain."}';
  assert.equal(await answer(node, 'getblockfilter', hash), filter);
  assert.match(await answer(node, 'getblockchaininfo', '[]'), /"blocks":2,"headers":3,/);
});

const status = (name: string, flags: Pick<BlockIndexEntry, 'failed' | 'valid' | 'chainTx'>) => ({ name, flags });
const branches = [
  status('invalid', { failed: true, valid: true, chainTx: 12 }),
  status('headers-only', { failed: false, valid: false, chainTx: 0 }),
  status('valid-headers', { failed: false, valid: false, chainTx: 12 }),
  status('valid-fork', { failed: false, valid: true, chainTx: 12 }),
];
for (const { name, flags } of branches) {
  test(`getchaintips: status ${name}`, async () => {
    const node = mintedNode(2);
    const { tip: active } = node.chain;
    const below = { height: 2, hash: new Uint8Array(32).fill(1), parent: active.parent, ...flags };
    const stale = { height: 3, hash: new Uint8Array(32).fill(2), parent: below, ...flags } as unknown as BlockIndexEntry;
    const chain = {
      tip: active,
      entries: () => [active, below, stale],
      isActive: (entry: unknown) => entry === active,
      forkPoint: (entry: BlockIndexEntry) => (entry === active ? active : active.parent),
    };
    const tips = JSON.parse(await answer({ ...node, chain: chain as never }, 'getchaintips', '[]'));
    assert.deepEqual(tips, [show(stale, 2, name), show(active, 0, 'active')]);
  });
}
