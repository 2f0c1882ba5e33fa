import type {
  ListAuctionHistoryRequest,
  ListAuctionHistoryResponse,
  ListAuctionsRequest,
  ListAuctionsResponse,
  Auction as ShownAuction,
  AuctionBatch as ShownBatch,
  AuctionWin as ShownWin,
} from '../../../gen/ts/dfi/node/v1/auctions.js';
import { readState } from '../../chain/read-state.js';
import {
  type AuctionEntry,
  type AuctionWin,
  type AuctionWinKey,
  auctionBatches,
  auctionBids,
  auctions,
  auctionWins,
  type BatchKey,
} from '../../dfi/auctions/columns.js';
import { readableText } from '../../dfi/kernel/text.js';
import { getVault } from '../../dfi/vaults/columns.js';
import { isStandardScript } from '../../mempool/policy.js';
import { formatHash, HASH_DIGITS, type Hash256, NULL_HASH, parseHash256 } from '../../primitives/hash.js';
import { rawJson } from '../../rpc/bind.js';
import type { Handler } from '../../rpc/handler.js';
import { parseHash } from '../../rpc/shapes.js';
import type { StateView } from '../../storage/view.js';
import { EMPTY_BYTES, equalBytes, fromHex, isHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { Ownership } from '../../wallet/keys/ownership.js';
import { formatTokenAmount } from '../format/amounts.js';
import { formatOwner, MAX_DATA_SCRIPT, parseOwner } from '../format/owner.js';
import { lowerUint32, pageLimit, UNBOUNDED } from '../format/page.js';
import type { VaultsModules } from './modules.js';

type ReadModules = Pick<VaultsModules, 'chain'>;

export const listAuctions: Handler<VaultsModules, ListAuctionsRequest, ListAuctionsResponse> = ({ chain }, request, call) => {
  const limit = pageLimit(request.limit);
  const { start } = request;
  const vaultId = start?.vaultid === undefined ? NULL_HASH : parseHash(start.vaultid, 'vaultId');
  const height = lowerUint32(start?.height) ?? 0;
  const includesStart = request.includingStart ?? start === undefined;
  return readState(chain, call, function* answer(state) {
    const found: ShownAuction[] = [];
    let skips = !includesStart;
    for (const entry of state.entries(auctions, { from: { height, vaultId } })) {
      if (!skips) found.push(formatAuction({ state, params: chain.params }, entry));
      skips = false;
      if (found.length >= limit) break;
      yield;
    }
    return { auctions: found };
  });
};

type ShownFrom = Pick<ReadModules['chain'], 'state' | 'params'>;

/** Auction as operations show it; also shown in place of a vault under liquidation. */
export function formatAuction(chain: ShownFrom, [{ vaultId, height }, { batchCount, penalty }]: AuctionEntry): ShownAuction {
  const { state, params } = chain;
  const vault = getVault(state, vaultId);
  return {
    vaultid: formatHash(vaultId),
    loanschemeid: readableText(vault?.scheme ?? ''),
    owneraddress: formatOwner(vault?.owner ?? EMPTY_BYTES, params),
    state: 'inLiquidation',
    liquidationheight: BigInt(height),
    batchcount: BigInt(batchCount),
    liquidationpenalty: penalty * 100n,
    batches: Array.from({ length: batchCount }, (_, index) => formatBatch(chain, { vaultId, index })),
  };
}

function formatBatch({ state, params }: ShownFrom, key: BatchKey): ShownBatch {
  const batch = state.get(auctionBatches, key);
  const bid = state.get(auctionBids, key);
  return {
    index: key.index,
    collaterals: (batch?.collaterals ?? []).map((amount) => formatTokenAmount(state, amount)),
    loan: batch && formatTokenAmount(state, batch.loan),
    highestbid: bid && { owner: formatOwner(bid.owner, params), amount: formatTokenAmount(state, bid.amount) },
  };
}

/** Selection of won auctions. */
interface WinFilter {
  readonly owner?: Uint8Array;
  readonly vaultId?: Hash256;
}

export const listAuctionHistory: Handler<VaultsModules, ListAuctionHistoryRequest, ListAuctionHistoryResponse> = (
  modules,
  request,
  call,
) => {
  const { chain, keepsHistory } = modules;
  if (!keepsHistory) throw new NodeError('invalid-request', '-acindex is needed for auction history');
  const index = (request.index ?? 0) >>> 0;
  const vaultId = request.vaultid === undefined ? NULL_HASH : parseHash(request.vaultid, 'vaultId');
  const height = lowerUint32(request.maxblockheight) ?? UNBOUNDED;
  const limit = pageLimit(request.limit);
  const text = rawJson(request, 'owner') === null ? '' : (request.owner ?? 'mine');
  const filter = text === 'mine' || text === 'all' ? {} : parseFilter(text, modules);
  const wallet = text === 'mine' ? modules.wallets?.find(call.wallet) : undefined;
  const isMine = (owner: Uint8Array) => text !== 'mine' || wallet?.ownershipOf(owner) === Ownership.Spendable;
  // The filter also sets the position within the first block.
  const from = { height, owner: filter.owner ?? EMPTY_BYTES, vaultId: filter.vaultId ?? vaultId, index };
  return readState(chain, call, function* answer(state) {
    const wins: ShownWin[] = [];
    for (const [key, win] of state.entries(auctionWins, { from })) {
      yield;
      if (filter.owner && !equalBytes(filter.owner, key.owner)) continue;
      if (filter.vaultId && !equalBytes(filter.vaultId, key.vaultId)) continue;
      if (!isMine(key.owner)) continue;
      wins.push(formatWin(chain, state, key, win));
      if (wins.length >= limit) break;
    }
    return { wins };
  });
};

/** Filter by an address, a script in hex, or a vault id. @throws {NodeError} `invalid-address` */
function parseFilter(text: string, { chain }: ReadModules): WinFilter {
  if (!isHex(text)) return { owner: parseOwner(text, chain) };
  const bytes = fromHex(text);
  if (isStandardScript(bytes, MAX_DATA_SCRIPT)) return { owner: bytes };
  if (text.length === HASH_DIGITS) return { vaultId: parseHash256(text) };
  throw new NodeError('invalid-address', 'not solvable/non-standard address neither txid');
}

function formatWin(chain: ReadModules['chain'], state: StateView, key: AuctionWinKey, { bid, collaterals }: AuctionWin): ShownWin {
  const { params } = chain;
  const block = chain.entryAt(key.height);
  return {
    winner: formatOwner(key.owner, params),
    blockheight: BigInt(key.height),
    blockhash: block && formatHash(block.hash),
    blocktime: block && BigInt(block.time),
    vaultid: formatHash(key.vaultId),
    batchindex: BigInt(key.index),
    auctionbid: formatTokenAmount(state, bid),
    auctionwon: collaterals.map((amount) => formatTokenAmount(state, amount)),
  };
}
