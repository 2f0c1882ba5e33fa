import { isActive } from '../../params/network.js';
import type { StateView } from '../../storage/view.js';
import { storedAttributes } from '../attributes/attributes.js';
import { liveTotal } from '../attributes/live-totals.js';
import type { TxContext } from '../context/custom-tx.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { CONTRACT } from '../kernel/contract-addresses.js';
import { categoryByte, EVENT_TYPES } from '../kernel/event-types.js';
import { TxRejected } from '../kernel/rejected.js';
import { splitRecords } from '../splits/columns.js';
import { convert } from '../splits/multiplier.js';
import { getToken } from '../tokens/columns.js';
import { addLocked, lockedPart, lockRatio, RESTARTED_TOKENS } from '../tokens/lock-columns.js';
import { addMinted } from '../tokens/minted.js';

/**
 * Converts an amount that leaves the EVM. Token splits do not change balances in the EVM, so all splits since are applied now; of tokens
 * that a restart replaced, the part still locked is locked for the owner.
 * @returns amount to credit to the owner
 * @throws {TxRejected}
 * @see docs/protocol/evm.md 3.2, 8.4
 */
export function migrateTransferred(context: TxContext, owner: Uint8Array, amount: TokenAmount): TokenAmount {
  const { params, height } = context;
  if (!isActive(params, 'df23', height) || amount.amount === 0n) return amount;
  const { migrated, wasLocked } = throughSplits(context, amount);
  const locks = wasLocked && isActive(params, 'df24', height) && migrated.amount !== 0n;
  return locks ? lockPart(context, owner, migrated) : migrated;
}

function throughSplits({ view }: TxContext, amount: TokenAmount): { readonly migrated: TokenAmount; readonly wasLocked: boolean } {
  const restarted = new Set(liveTotal(storedAttributes(view), RESTARTED_TOKENS).map(({ tokenId }) => tokenId));
  let migrated = amount;
  let wasLocked = false;
  for (let split = splitOf(view, migrated); split; split = splitOf(view, migrated)) {
    if (!getToken(view, migrated.tokenId)) throw new TxRejected('Token not found');
    wasLocked ||= restarted.has(migrated.tokenId);
    const multiplier = { value: split.multiplier, isFraction: split.isFraction };
    migrated = { tokenId: split.newId, amount: convert(multiplier, migrated.amount) };
    addMinted(view, migrated);
  }
  return { migrated, wasLocked };
}

function splitOf(view: StateView, { tokenId }: TokenAmount) {
  return view.get(splitRecords, tokenId);
}

/** Locks the current lock ratio of an amount. @returns the unlocked rest */
function lockPart({ view, tx, eventRecords }: TxContext, owner: Uint8Array, { tokenId, amount }: TokenAmount): TokenAmount {
  const ratio = lockRatio(view);
  if (ratio <= 0n) return { tokenId, amount };
  const locked = lockedPart(amount, ratio);
  addLocked(view, owner, { tokenId, amount: locked });
  eventRecords?.change(view, { category: categoryByte(EVENT_TYPES.tokenLock), txid: tx.txid }, (accounts) =>
    accounts.add(CONTRACT.tokenLock, { tokenId, amount: locked }),
  );
  return { tokenId, amount: amount - locked };
}
