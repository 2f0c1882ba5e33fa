import { isActive } from '../../params/network.js';
import { Overlay } from '../../storage/overlay.js';
import { AttributeDraft, storedAttributes } from '../attributes/attributes.js';
import { isTokenLocked } from '../attributes/features.js';
import type { BlockEventContext } from '../context/block-event.js';
import { EventRecords } from '../context/event-records.js';
import type { SplitCreation } from '../context/split-creation.js';
import { refundFutures } from '../futures/refunds.js';
import { applyAttributes } from '../governance/attribute-effects.js';
import { noChanges } from '../governance/attribute-import.js';
import { ignoreRejection, isRejection } from '../kernel/rejected.js';
import { addMinted } from '../tokens/minted.js';
import { convertTotals, deleteSplits, moveLock, movePendingLocks, moveTokenAttributes } from './attributes.js';
import { convertAuctions } from './auctions.js';
import { convertedBalances, convertLocks, writeBalances } from './balances.js';
import { splitRecords } from './columns.js';
import type { SplitContext, Succession } from './context.js';
import { splitOrders, splitsKey } from './creation.js';
import { movePools } from './pools.js';
import { replaceToken } from './tokens.js';
import { addToVaults, removeFromVaults } from './vaults.js';

/**
 * Executes the splits scheduled for this height in turn. A token that is not locked, or whose split fails, is left unchanged.
 * @see docs/protocol/defi.md 9.3
 */
export function executeSplits(context: BlockEventContext, creations: readonly SplitCreation[]): void {
  if (creations.length === 0) return;
  const { view, history } = context;
  // A transaction of the block may have cancelled a split whose creation transactions the block had to contain.
  const ordered = new Set(splitOrders(storedAttributes(view), context.height).map(({ tokenId }) => tokenId));
  if (ordered.size === 0) return;
  const draft = AttributeDraft.of(view);
  draft.delete(splitsKey(context.height));
  draft.write(view);
  for (const split of creations) {
    if (!ordered.has(split.tokenId) || !isTokenLocked(view, split.tokenId)) continue;
    const overlay = new Overlay(view);
    const eventRecords = new EventRecords();
    // Changes of a failed split to the draft remain and are written by the next successful one, as in `defid`.
    ignoreRejection(() => {
      splitToken({ ...context, view: overlay, split, draft, eventRecords });
      overlay.commit();
    }, isRejection);
    // History entries of a failed split are written too, as in `defid`.
    eventRecords.addTo(history);
  }
}

/** Replaces a token, and the pools that the split lists, by successors. @throws {TxRejected} @throws {ArithmeticError} */
export function splitToken(context: SplitContext): Succession {
  const { view, draft, eventRecords, split, height, params } = context;
  refundFutures(view, draft, 'dfip2203', eventRecords, { tokenId: split.tokenId });
  const tokens = replaceToken(context);
  moveTokenAttributes(draft, tokens, height);
  const { pools, multiplier } = split;
  convertTotals(draft, tokens, multiplier);
  const ofPools = movePools(context, { pools, multiplier, successors: new Map([[tokens.oldId, tokens.newId]]) }).get(tokens.newId) ?? 0n;
  const balances = convertedBalances(context);
  const ofAccounts = balances.reduce((sum, { after }) => sum + after, ofPools);
  // From Metachain on `defid` adds vault collateral to the minted amount, which it then sets at the end.
  const countsVaults = isActive(params, 'metachain', height);
  if (!countsVaults) addMinted(view, { tokenId: tokens.newId, amount: ofAccounts });
  if (isActive(params, 'df24', height)) convertLocks(context, tokens);
  writeBalances(context, tokens, balances);
  const ofVaults = splitVaults(context, tokens);
  if (countsVaults) addMinted(view, { tokenId: tokens.newId, amount: ofAccounts + ofVaults });
  deleteSplits(draft, tokens.oldId);
  draft.write(view);
  if (isActive(params, 'grandCentral', height)) movePendingLocks(view, tokens, height);
  if (isActive(params, 'df23', height)) {
    view.put(splitRecords, tokens.oldId, { newId: tokens.newId, multiplier: multiplier.value, isFraction: multiplier.isFraction });
  }
  return tokens;
}

/** Converts vaults and auctions, and applies the attributes. @returns satoshis of the new token created as vault collateral */
function splitVaults(context: SplitContext, tokens: Succession): bigint {
  const { draft, view, height } = context;
  const removed = removeFromVaults(context, tokens.oldId);
  moveLock(draft, tokens);
  applyAttributes(draft, noChanges(), context, height);
  draft.write(view);
  const created = addToVaults(context, tokens, removed);
  convertAuctions(context, tokens);
  return created;
}
