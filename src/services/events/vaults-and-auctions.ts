import type { VaultState } from '../../../gen/ts/dfi/events/v1/events.js';
import { auctionBatches, auctionBids, type BatchKey } from '../../dfi/auctions/columns.js';
import type { Balances } from '../../dfi/kernel/amounts.js';
import { readableText } from '../../dfi/kernel/text.js';
import { loanAmounts } from '../../dfi/loans/columns.js';
import { type Vault, vaultCollaterals, vaults } from '../../dfi/vaults/columns.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import { toHex } from '../../util/bytes.js';
import { tokenSymbol } from '../format/amounts.js';
import { formatOwner } from '../format/owner.js';
import { tokenSums } from './balances.js';
import { type BlockFacts, type Change, type FoundEvent, observed } from './observed.js';

/** Owner, scheme and liquidation of vaults. */
export const vaultEvents = observed(vaults, ({ key, before, after }, facts) => {
  const state = (vault: Vault | undefined) => vault && vaultState(vault, facts);
  const owners = [before?.owner, after?.owner].filter((owner) => owner !== undefined);
  return [vaultEvent(key, 'vault', state(before), state(after), owners)];
});

/** Collateral of vaults. */
export const collateralEvents = observed(vaultCollaterals, (change, facts) => [amountsEvent('collateral', change, facts)]);

/** Principal of the loans of vaults. */
export const loanEvents = observed(loanAmounts, (change, facts) => [amountsEvent('loans', change, facts)]);

function amountsEvent(part: string, { key, before, after }: Change<Hash256, Balances>, { state, vaultOwners }: BlockFacts): FoundEvent {
  const shown = (amounts: Balances | undefined) => amounts && { ...NO_STATE, amounts: tokenSums(state, amounts) };
  const tokens = [...new Set([...(before ?? []), ...(after ?? [])].map(({ tokenId }) => tokenId))];
  const owner = vaultOwners.get(toHex(key));
  return { ...vaultEvent(key, part, shown(before), shown(after), owner ? [owner] : []), tokens };
}

const NO_STATE: VaultState = { owner: '', scheme: '', inLiquidation: false, amounts: [] };

function vaultState({ owner, scheme, isUnderLiquidation }: Vault, { params }: BlockFacts): VaultState {
  return { owner: formatOwner(owner, params), scheme: readableText(scheme), inLiquidation: isUnderLiquidation, amounts: [] };
}

function vaultEvent(
  vault: Hash256,
  part: string,
  before: VaultState | undefined,
  after: VaultState | undefined,
  owners: readonly Uint8Array[],
): FoundEvent {
  return { kind: 'vault', body: { vault: { vaultId: formatHash(vault), part, before, after } }, vault, owners };
}

/** Batches of auctions that are opened, sold or returned to their vaults. */
export const batchEvents = observed(auctionBatches, ({ key, after }) => [auctionEvent(key, { part: 'batch', open: after !== undefined })]);

/** Highest bids. */
export const bidEvents = observed(auctionBids, ({ key, before, after }, { state, params }) => {
  const bid = after && { token: tokenSymbol(state, after.amount.tokenId), amount: after.amount.amount };
  const bidder = after && formatOwner(after.owner, params);
  const owners = [before?.owner, after?.owner].filter((owner) => owner !== undefined);
  return [{ ...auctionEvent(key, { part: 'bid', open: after !== undefined, bid, bidder }), owners }];
});

interface AuctionPart {
  readonly part: string;
  readonly open: boolean;
  readonly bid?: { readonly token: string; readonly amount: bigint } | undefined;
  readonly bidder?: string | undefined;
}

function auctionEvent({ vaultId, index }: BatchKey, { part, open, bid, bidder }: AuctionPart): FoundEvent {
  return { kind: 'auction', body: { auction: { vaultId: formatHash(vaultId), batch: index, part, bidder, bid, open } }, vault: vaultId };
}
