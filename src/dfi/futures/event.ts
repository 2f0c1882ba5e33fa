import { isActive } from '../../params/network.js';
import type { Upgrade } from '../../params/upgrades.js';
import { COIN } from '../../primitives/amount.js';
import type { StateView } from '../../storage/view.js';
import type { Accounts } from '../accounts/columns.js';
import { storedAttributes } from '../attributes/attributes.js';
import { storedTotals } from '../attributes/live-totals.js';
import type { BlockEvent, BlockEventContext } from '../context/block-event.js';
import { EventRecords } from '../context/event-records.js';
import type { TokenAmount } from '../kernel/amounts.js';
import { categoryByte, EVENT_TYPES } from '../kernel/event-types.js';
import { divideAmounts, multiplyAmounts } from '../kernel/math.js';
import { ignoreRejection, unlessRejected } from '../kernel/rejected.js';
import { listLoanTokens, loanSymbol } from '../loan-tokens/columns.js';
import type { PricePair } from '../oracles/columns.js';
import { requireValue } from '../oracles/fixed-prices.js';
import { samplePools } from '../pools/averages-event.js';
import { tokenBySymbol } from '../tokens/columns.js';
import { addMinted } from '../tokens/minted.js';
import {
  addToTotal,
  allowsFutures,
  byAge,
  deleteFuture,
  type FutureEntry,
  type FutureKind,
  type FutureTerms,
  futureTerms,
  listFutures,
  subFromTotal,
} from './columns.js';
import { refundFuture } from './refunds.js';

/** Pays out future swaps of loan tokens once per period. @see docs/protocol/oracles-governance.md 6.3 */
export const futureSettlement: BlockEvent = settlement('futures', 'dfip2203', 'fortCanningRoad', settleTokens, (context, isDue) => {
  const tokens = settledTokens(context.view).map(({ id }) => id);
  samplePools(context, tokens, isDue);
});

/** Pays out future swaps of DFI for DUSD once per period. @see docs/protocol/oracles-governance.md 6.4 */
export const dusdSettlement: BlockEvent = settlement('DUSD futures', 'dfip2206f', 'fortCanningSpring', settleCoins);

function settlement(
  name: string,
  kind: FutureKind,
  since: Upgrade,
  settle: (context: BlockEventContext, terms: FutureTerms) => void,
  before: (context: BlockEventContext, isDue: boolean) => void = () => {},
): BlockEvent {
  return {
    name,
    isDue: ({ height, params }) => isActive(params, since, height),
    run(context) {
      const terms = futureTerms(storedAttributes(context.view), kind);
      if (!terms || terms.blockPeriod === 0 || context.height < terms.startBlock) return;
      const isDue = (context.height - terms.startBlock) % terms.blockPeriod === 0;
      before(context, isDue);
      if (isDue) settle(context, terms);
    },
  };
}

/** Satoshis of DUSD for one token: when it is sold, and when it is bought. */
interface TokenPrices {
  readonly discount: bigint;
  readonly premium: bigint;
}

function settleTokens(context: BlockEventContext, terms: FutureTerms): void {
  const { view, blockHash, history } = context;
  const prices = tokenPrices(view, terms);
  const dollar = tokenBySymbol(view, 'DUSD');
  const totals = storedTotals(view);
  const executed = new EventRecords();
  const burned: TokenAmount[] = [];
  const minted: TokenAmount[] = [];
  const unpaid: FutureEntry[] = [];
  for (const entry of listFutures(view, 'dfip2203')) {
    const [key, { source }] = entry;
    deleteFuture(view, 'dfip2203', key);
    const out = outcomeOf(view, entry, prices, dollar?.id);
    if (out === undefined) unpaid.push(entry);
    // Each swap gets its number in the history, even if it pays nothing.
    executed.change(view, { category: categoryByte(EVENT_TYPES.futureExecution), txid: blockHash }, (accounts) => {
      if (out) payOut(context, accounts, key.owner, out);
    });
    if (!out) continue;
    burned.push(source);
    minted.push(out);
  }
  executed.addTo(history);
  refundUnpaid(context, 'dfip2203', unpaid.sort(byAge));
  addToTotal(totals, 'dfip2203', 'burned', burned);
  addToTotal(totals, 'dfip2203', 'minted', minted);
}

/** Pays a swap. If the balance or the minted amount overflows, the swap is still completed. */
function payOut({ view }: BlockEventContext, accounts: Accounts, owner: Uint8Array, out: TokenAmount): void {
  ignoreRejection(() => addMinted(view, out));
  ignoreRejection(() => accounts.add(owner, out));
}

/** Result of a swap; undefined without a price, null for a price of 0. */
function outcomeOf(
  view: StateView,
  [, { source, destination }]: FutureEntry,
  prices: ReadonlyMap<number, TokenPrices>,
  dollarId: number | undefined,
): TokenAmount | null | undefined {
  if (loanSymbol(view, source.tokenId) === 'DUSD') {
    const price = prices.get(destination);
    if (!price) return undefined;
    return price.premium > 0n ? { tokenId: destination, amount: divideAmounts(source.amount, price.premium) } : null;
  }
  const price = prices.get(source.tokenId);
  if (!price || dollarId === undefined) return undefined;
  return { tokenId: dollarId, amount: multiplyAmounts(source.amount, price.discount) };
}

function tokenPrices(view: StateView, { rewardPct }: FutureTerms): Map<number, TokenPrices> {
  const prices = new Map<number, TokenPrices>();
  for (const { id, pair } of settledTokens(view)) {
    const discount = fixedValue(view, COIN - rewardPct, pair);
    const premium = fixedValue(view, COIN + rewardPct, pair);
    if (discount !== undefined && premium !== undefined) prices.set(id, { discount, premium });
  }
  return prices;
}

function settledTokens(view: StateView): { readonly id: number; readonly pair: PricePair }[] {
  return listLoanTokens(view).flatMap(({ tokenId: id, loanToken: { pair } }) => (allowsFutures(view, id) ? [{ id, pair }] : []));
}

/** Value of an amount at the active price; undefined if that is not live, or on overflow. */
function fixedValue(view: StateView, amount: bigint, pair: PricePair): bigint | undefined {
  return unlessRejected(() => requireValue(view, amount, pair));
}

function refundUnpaid({ view, history, blockHash }: BlockEventContext, kind: FutureKind, unpaid: readonly FutureEntry[]): void {
  const records = new EventRecords();
  for (const entry of unpaid) {
    deleteFuture(view, kind, entry[0]);
    refundFuture(view, kind, entry, records, { txid: blockHash });
    ignoreRejection(() => subFromTotal(storedTotals(view), kind, 'current', entry[1].source));
  }
  records.addTo(history);
}

function settleCoins(context: BlockEventContext, { rewardPct }: FutureTerms): void {
  const { view, history, blockHash } = context;
  const price = fixedValue(view, COIN - rewardPct, { token: 'DFI', currency: 'USD' });
  const dollar = tokenBySymbol(view, 'DUSD');
  const entries = listFutures(view, 'dfip2206f');
  if (price === undefined || !dollar) {
    refundUnpaid(context, 'dfip2206f', entries);
    return;
  }
  const executed = new EventRecords();
  const minted: TokenAmount[] = [];
  for (const [key, { source }] of entries) {
    const out = { tokenId: dollar.id, amount: multiplyAmounts(source.amount, price) };
    executed.change(view, { category: categoryByte(EVENT_TYPES.futureExecution), txid: blockHash }, (accounts) => {
      payOut(context, accounts, key.owner, out);
    });
    minted.push(out);
    deleteFuture(view, 'dfip2206f', key);
  }
  executed.addTo(history);
  const totals = storedTotals(view);
  addToTotal(
    totals,
    'dfip2206f',
    'burned',
    entries.map(([, { source }]) => source),
  );
  addToTotal(totals, 'dfip2206f', 'minted', minted);
}
