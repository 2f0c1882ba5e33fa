import type { GetBlockStatsRequest, GetBlockStatsResponse, HashOrHeight } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { BlockIndexEntry } from '../../../chain/block-index.js';
import type { CallContext, Handler } from '../../../rpc/handler.js';
import { parseHash } from '../../../rpc/shapes.js';
import { compareBytes, toHex } from '../../../util/bytes.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { Lru } from '../../../util/lru.js';
import { type MaybePromise, withValue } from '../../../util/slicer.js';
import { requireBlock, requireBlockEntry } from '../../format/blocks.js';
import type { BlockchainModules } from '../modules.js';
import { type BlockStats, blockStats } from './block-stats.js';

type Chain = Pick<BlockchainModules['chain'], 'params' | 'tip' | 'entry' | 'entryAt' | 'isActive' | 'block' | 'spentCoins'>;

export const getBlockStats: Handler<{ readonly chain: Chain }, GetBlockStatsRequest, GetBlockStatsResponse> = (
  { chain },
  request,
  call,
) => {
  const entry = findBlock(request.hashOrHeight, chain);
  const names = [...new Set(request.stats)].sort((a, b) => compareBytes(Buffer.from(a), Buffer.from(b)));
  return withValue(statsOf(entry, chain, call), (stats) => (names.length === 0 ? stats : select(stats, names)));
};

/** Blocks of a chain whose statistics are kept, about a kilobyte each. */
const MAX_KNOWN = 1_000;

/** Statistics by block hash. They never change, because the coins that a block of the active chain spends do not. */
const knownStats = new WeakMap<Chain, Lru<string, BlockStats>>();

function statsOf(entry: BlockIndexEntry, chain: Chain, call: Pick<CallContext, 'signal'>): MaybePromise<BlockStats> {
  const stored = knownStats.get(chain) ?? new Lru<string, BlockStats>(MAX_KNOWN);
  knownStats.set(chain, stored);
  const hash = toHex(entry.hash);
  // Those of a pruned block are refused, as the block is.
  const known = entry.hasData ? stored.get(hash) : undefined;
  if (known) return known;
  const block = requireBlock(chain, entry);
  const spent = chain.spentCoins(entry, block);
  if (!spent) throw new NodeError('misc', "Can't read undo data from disk");
  const input = { block, height: entry.height, mediantime: entry.medianTimePast(), spent, params: chain.params };
  return withValue(blockStats(input, call), (stats) => {
    stored.set(hash, stats);
    return stats;
  });
}

function findBlock(which: HashOrHeight | undefined, chain: Chain): BlockIndexEntry {
  const block = which?.block;
  if (block?.$case === 'height') return blockAt(block.value, chain);
  const entry = requireBlockEntry(chain, parseHash(block?.value ?? '', 'hash_or_height'));
  if (!chain.isActive(entry)) throw invalidParameter(`Block is not in chain ${chain.params.name}`);
  return entry;
}

function blockAt(height: number, chain: Chain): BlockIndexEntry {
  if (height < 0) throw invalidParameter(`Target block height ${height} is negative`);
  const entry = chain.entryAt(height);
  if (!entry) throw new NodeError('out-of-range', `Target block height ${height} after current tip ${chain.tip.height}`);
  return entry;
}

/** Field names of statistics whose request name differs. */
const FIELDS: Readonly<Record<string, keyof BlockStats>> = {
  feerate_percentiles: 'feeratePercentiles',
  swtotal_size: 'swtotalSize',
  swtotal_weight: 'swtotalWeight',
  total_out: 'totalOut',
  total_size: 'totalSize',
  total_weight: 'totalWeight',
  utxo_increase: 'utxoIncrease',
  utxo_size_inc: 'utxoSizeInc',
};

function select(stats: BlockStats, names: readonly string[]): GetBlockStatsResponse {
  const selected = names.map((name) => [fieldOf(stats, name), name] as const);
  const fields = selected.map(([field, name]) => {
    if (field === undefined) throw invalidParameter(`Invalid selected statistic ${name}`);
    return [field, stats[field]] as const;
  });
  return { feeratePercentiles: undefined, ...Object.fromEntries(fields) };
}

function fieldOf(stats: BlockStats, name: string): keyof BlockStats | undefined {
  if (Object.hasOwn(FIELDS, name)) return FIELDS[name];
  const hasOtherRequestName = Object.values<string>(FIELDS).includes(name);
  return Object.hasOwn(stats, name) && !hasOtherRequestName ? (name as keyof BlockStats) : undefined;
}
