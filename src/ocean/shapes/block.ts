import type { BlockIndexEntry } from '../../chain/block-index.js';
import { shownMinter } from '../../chain/shown-minter.js';
import { difficultyOf } from '../../consensus/pos/target.js';
import { formatAmount } from '../../primitives/amount.js';
import { formatHash, HASH_DIGITS, parseHash256 } from '../../primitives/hash.js';
import { WITNESS_SCALE_FACTOR } from '../../primitives/transaction.js';
import { isHex } from '../../util/bytes.js';
import { formatDouble } from '../../util/json.js';
import { badRequest } from '../api/errors.js';
import { type BlockFacts, blockFacts, factsOf } from '../index/blocks.js';
import type { OceanModules } from '../modules.js';

type Modules = Pick<OceanModules, 'chain' | 'rows'>;

/** A block. Its masternode and minter are those that the key of its signature operates at present. @see docs/protocol/ocean.md 2.2 */
export function shownBlock({ chain, rows }: Modules, entry: BlockIndexEntry) {
  const header = chain.header(entry);
  const minter = shownMinter(entry, header, chain);
  // A list takes several turns, in which the block may leave the active chain.
  const indexed = entry.isActive ? rows.view.get(blockFacts, entry.height) : undefined;
  const { size, strippedSize, reward, medianTime } = indexed ?? storedFacts(chain, entry);
  const hash = formatHash(entry.hash);
  return {
    id: hash,
    hash,
    previousHash: entry.parent && formatHash(entry.parent.hash),
    height: entry.height,
    version: header.version,
    time: entry.time,
    medianTime,
    transactionCount: entry.nTx,
    // With the digits of `getblock`.
    difficulty: Number(formatDouble(difficultyOf(header.bits))),
    masternode: minter?.masternode,
    minter: minter?.minter,
    minterBlockCount: Number(header.mintedBlocks),
    reward: formatAmount(reward),
    stakeModifier: formatHash(header.stakeModifier),
    merkleroot: formatHash(header.merkleRoot),
    size,
    sizeStripped: strippedSize,
    weight: strippedSize * (WITNESS_SCALE_FACTOR - 1) + size,
  };
}

/** Facts of a block that is not indexed. @throws {OceanError} if it was pruned */
function storedFacts(chain: Modules['chain'], entry: BlockIndexEntry): BlockFacts {
  const block = chain.block(entry);
  if (!block) throw badRequest('Block not available (pruned data)');
  return factsOf(block, entry);
}

/** Block of the active chain with that hash; undefined for any other text. */
export function activeBlock(chain: Pick<Modules['chain'], 'entry'>, hash: string): BlockIndexEntry | undefined {
  if (hash.length !== HASH_DIGITS || !isHex(hash)) return undefined;
  const entry = chain.entry(parseHash256(hash));
  return entry?.isActive ? entry : undefined;
}
