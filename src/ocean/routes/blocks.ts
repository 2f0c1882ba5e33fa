import type { BlockIndexEntry } from '../../chain/block-index.js';
import { HASH_DIGITS } from '../../primitives/hash.js';
import { Slicer } from '../../util/slicer.js';
import { page } from '../api/page.js';
import { type PageRequest, pageOf, pathText, queryStart } from '../api/request.js';
import { get, type OceanRequest, type Route } from '../api/route.js';
import type { OceanChain, OceanModules } from '../modules.js';
import { activeBlock, shownBlock } from '../shapes/block.js';
import { shownTransaction } from '../shapes/transaction.js';

/** More than any height. */
const MAX_HEIGHT_DIGITS = 10;

/** Blocks and their transactions. @see docs/protocol/ocean.md 2.2 */
export const blockRoutes: readonly Route[] = [
  get('blocks', async (modules, request) => {
    const asked = pageOf(request);
    const blocks = await shownBlocks(modules, entriesOf(modules.chain, asked));
    return page(
      blocks,
      asked,
      ({ height }) => String(height),
      (block) => block,
    );
  }),
  get('blocks/highest', (modules) => {
    const { position } = modules.rows;
    const entry = position && modules.chain.entry(position.hash);
    return { data: entry && shownBlock(modules, entry) };
  }),
  get('blocks/{id}', (modules, request) => {
    const entry = namedBlock(modules.chain, pathText(request, 'id'));
    return { data: entry && shownBlock(modules, entry) };
  }),
  get('blocks/{hash}/transactions', ({ chain }, request) => transactionsOf(chain, request)),
];

/** Blocks of a page from the tip down. A token that is no height is ignored. */
function entriesOf(chain: OceanChain, { size, next }: PageRequest): BlockIndexEntry[] {
  const before = next !== undefined && /^\d{1,10}$/.test(next) ? Number(next) : Number.POSITIVE_INFINITY;
  const entries: BlockIndexEntry[] = [];
  for (let height = Math.min(before - 1, chain.tip.height); height >= 0 && entries.length < size; height--) {
    const entry = chain.entryAt(height);
    if (entry) entries.push(entry);
  }
  return entries;
}

/** Without the index the blocks are read, which can take milliseconds for each. */
async function shownBlocks(modules: OceanModules, entries: readonly BlockIndexEntry[]) {
  const slicer = new Slicer();
  const blocks: ReturnType<typeof shownBlock>[] = [];
  for (const entry of entries) {
    const paused = slicer.pause();
    if (paused) await paused;
    blocks.push(shownBlock(modules, entry));
  }
  return blocks;
}

/** Block by hash or height. A text of 64 digits is a hash. */
function namedBlock(chain: OceanChain, id: string): BlockIndexEntry | undefined {
  if (id.length === HASH_DIGITS) return activeBlock(chain, id);
  return /^\d+$/.test(id) && id.length <= MAX_HEIGHT_DIGITS ? chain.entryAt(Number(id)) : undefined;
}

function transactionsOf(chain: OceanChain, request: OceanRequest) {
  const asked = pageOf(request);
  const entry = activeBlock(chain, pathText(request, 'hash'));
  const transactions = (entry && chain.block(entry)?.transactions) ?? [];
  const start = (queryStart(asked) ?? -1) + 1;
  const items = transactions.slice(start, start + asked.size).map((tx, i) => ({ tx, order: start + i }));
  return page(
    items,
    asked,
    ({ order }) => String(order),
    ({ tx, order }) => shownTransaction(tx, order, entry as BlockIndexEntry),
  );
}
