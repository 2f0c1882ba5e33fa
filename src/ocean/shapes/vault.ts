import type { BatchKey } from '../../dfi/auctions/columns.js';
import { auctionLength } from '../../dfi/auctions/liquidation.js';
import { parseHash256 } from '../../primitives/hash.js';
import { Slicer, type Steps } from '../../util/slicer.js';
import type { Json, Reader } from '../api/json.js';
import { bidsBefore, placeAfter } from '../index/bids.js';
import type { OceanModules } from '../modules.js';
import { type LoanScheme, loanSchemes } from './loan-scheme.js';
import { plain } from './numbers.js';
import { shownOwner } from './script.js';
import { type AmountFormat, amountFormat } from './token-amount.js';

type Modules = Pick<OceanModules, 'operations' | 'perTip' | 'rows' | 'chain'>;

/** States of vaults that are not in liquidation, by the names of operations. */
const STATES: Readonly<Record<string, string>> = {
  active: 'ACTIVE',
  frozen: 'FROZEN',
  mayLiquidate: 'MAY_LIQUIDATE',
};

/** A vault as answers show it. */
export type ShownVault = ReturnType<typeof vaultParts> & { readonly [name: string]: Json | undefined };

/** Sources of the members of shown vaults. */
interface Context extends Pick<Modules, 'rows' | 'chain'> {
  readonly schemes: ReadonlyMap<string, LoanScheme>;
  readonly amount: AmountFormat;
}

/**
 * Vaults, each with its auction if it is in liquidation.
 * @param vaults answers of `getvault`, or elements of `listvaults` (verbose) or `listauctions`
 * @see docs/protocol/ocean.md 2.6
 */
export async function shownVaults(modules: Modules, vaults: readonly Reader[]): Promise<readonly ShownVault[]> {
  const { rows, chain } = modules;
  const schemes = new Map((await loanSchemes(modules)).map((scheme) => [scheme.id, scheme]));
  const context = { rows, chain, schemes, amount: await amountFormat(modules) };
  return new Slicer().run(inSteps(context, vaults));
}

function* inSteps(context: Context, vaults: readonly Reader[]): Steps<readonly ShownVault[]> {
  const shown: ShownVault[] = [];
  for (const vault of vaults) {
    const isLiquidated = vault.get('state').text() === 'inLiquidation';
    shown.push(isLiquidated ? yield* liquidatedVault(context, vault) : activeVault(context, vault));
    yield;
  }
  return shown;
}

function vaultParts({ schemes }: Context, vault: Reader) {
  const loanScheme = schemes.get(vault.get('loanSchemeId').text());
  if (!loanScheme) throw new Error(`vault ${vault.get('vaultId').text()} has an unknown scheme`);
  return { vaultId: vault.get('vaultId').text(), loanScheme, ownerAddress: vault.get('ownerAddress').text() };
}

function activeVault(context: Context, vault: Reader): ShownVault {
  const value = (name: string): string => plain(vault.get(name).digits());
  const amounts = (name: string) =>
    vault
      .get(name)
      .list()
      .map((amount) => context.amount(amount.text()));
  return {
    ...vaultParts(context, vault),
    state: STATES[vault.get('state').text()] ?? 'UNKNOWN',
    informativeRatio: value('informativeRatio'),
    collateralRatio: value('collateralRatio'),
    collateralValue: value('collateralValue'),
    loanValue: value('loanValue'),
    interestValue: value('interestValue'),
    collateralAmounts: amounts('collateralAmounts'),
    loanAmounts: amounts('loanAmounts'),
    interestAmounts: amounts('interestAmounts'),
  };
}

function* liquidatedVault(context: Context, vault: Reader): Steps<ShownVault> {
  const parts = vaultParts(context, vault);
  const liquidationHeight = vault.get('liquidationHeight').number();
  const batches: Json[] = [];
  for (const batch of vault.get('batches').list()) {
    batches.push(shownBatch(context, batch, parts.vaultId, liquidationHeight));
    yield;
  }
  return {
    ...parts,
    state: 'IN_LIQUIDATION',
    liquidationHeight,
    liquidationPenalty: vault.get('liquidationPenalty').number(),
    batchCount: vault.get('batchCount').number(),
    batches,
  };
}

function shownBatch(context: Context, batch: Reader, vaultId: string, liquidationHeight: number) {
  const { amount } = context;
  const index = batch.get('index').number();
  const highest = batch.get('highestBid');
  return {
    index,
    collaterals: batch
      .get('collaterals')
      .list()
      .map((each) => amount(each.text())),
    loan: amount(batch.get('loan').text()),
    highestBid: highest.isThere ? { owner: highest.get('owner').text(), amount: amount(highest.get('amount').text()) } : undefined,
    froms: biddersOf(context, { vaultId: parseHash256(vaultId), index }, liquidationHeight),
  };
}

/** Addresses of all bids for a batch in its auction, newest first. */
function biddersOf({ rows, chain }: Context, batch: BatchKey, liquidationHeight: number): string[] {
  const lowest = liquidationHeight - auctionLength(chain.params) + 1;
  return [...bidsBefore(rows.view, batch, placeAfter(liquidationHeight), lowest)].map(([, { owner }]) => shownOwner(owner, chain.params));
}
