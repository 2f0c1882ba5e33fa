import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex } from '../../../src/util/bytes.js';
import { projectRoot } from '../../shared.js';
import { startNode, type TestNode } from './node.js';

interface MintedChain {
  readonly flags: readonly string[];
  readonly blocks: readonly { readonly time: number; readonly hex: string }[];
  readonly answers: readonly { readonly method: string; readonly params: string; readonly result: string }[];
}

/** 23 regtest blocks of one masternode and answers about them, recorded with `defid` (chain feature_masternode_operator). */
export const mintedChain = JSON.parse(
  readFileSync(join(projectRoot, 'test', 'rpc', 'blockchain', 'minted-chain.json'), 'utf8'),
) as MintedChain;

/** Hash of its tip; below, of the coinbase of its tip and of its genesis block. */
export const tip = '3d0d75c883e67f50028f54549a588709835f4c73b5d5529ff6cf879a104775a4';
export const coinbase = '2d86b0495ab5017d4c41e476f54bbc7a544653067251d9177f6de1fd57c35055';
export const genesis = '0091f00915b263d08eba2091ba70ba40cea75242b3f51ea29f4a1b8d7814cd01';

/** Node that has connected the first `count` blocks. */
export function mintedNode(count = mintedChain.blocks.length): TestNode {
  const node = startNode(mintedChain.flags);
  for (const { time, hex } of mintedChain.blocks.slice(0, count)) {
    node.clock.set(time);
    assert.deepEqual(node.chain.submitBlock(fromHex(hex)), { status: 'accepted' });
  }
  return node;
}
