import { isActive } from '../../params/network.js';
import { formatAmount } from '../../primitives/amount.js';
import { bool, struct, u32, varBytes } from '../../primitives/codec.js';
import { equalBytes } from '../../util/bytes.js';
import { storedAttributes } from '../attributes/attributes.js';
import { isTokenLocked } from '../attributes/features.js';
import { storedTotals } from '../attributes/live-totals.js';
import { hasAuth } from '../context/auth.js';
import { customTx, type TxContext } from '../context/custom-tx.js';
import { formatShort, type TokenAmount, tokenAmount } from '../kernel/amounts.js';
import { low64, multiplyAmounts } from '../kernel/math.js';
import { TxRejected } from '../kernel/rejected.js';
import { isLoanToken, loanSymbol } from '../loan-tokens/columns.js';
import { findFixedPrice } from '../oracles/fixed-prices.js';
import { futureLimit, poolAverage } from '../pools/average-columns.js';
import { materialiseRewards } from '../rewards/owner-rewards.js';
import { getToken, tokenBySymbol } from '../tokens/columns.js';
import {
  addToTotal,
  allowsFutures,
  contractOf,
  deleteFuture,
  type FutureKind,
  futureTerms,
  listFutures,
  putFuture,
  subFromTotal,
} from './columns.js';

/** A swap of `source` into the token with the id `destination`; with `withdraw`, the part of pending swaps to be paid back to the owner. */
export interface FutureSwapBody {
  readonly owner: Uint8Array;
  readonly source: TokenAmount;
  readonly destination: number;
  readonly withdraw: boolean;
}

/** Requests a swap at the next settlement, or withdraws from pending ones. @see docs/protocol/oracles-governance.md 6.2 */
export const futureSwap = customTx<FutureSwapBody>({
  type: 'Q',
  name: 'DFIP2203',
  since: 'fortCanningRoad',
  codec: struct<FutureSwapBody>({ owner: varBytes, source: tokenAmount, destination: u32, withdraw: bool }),
  apply(context, body) {
    const { view, height, params } = context;
    const kind: FutureKind = body.source.tokenId === 0 ? 'dfip2206f' : 'dfip2203';
    if (!hasAuth(context, body.owner)) throw new TxRejected('Transaction must have at least one input from owner');
    requireRunning(context, kind);
    if (body.source.amount <= 0n) throw new TxRejected('Source amount must be more than zero');
    if (kind === 'dfip2206f') requireCoinSwap(context, body);
    else requireTokenSwap(context, body);
    if (isActive(params, 'fortCanningCrunch', height)) materialiseRewards(view, body.owner, context);
    if (body.withdraw) withdraw(context, kind, body);
    else {
      if (kind === 'dfip2203' && isActive(params, 'df23', height)) requireWithinLimit(context, body);
      deposit(context, kind, body);
    }
  },
});

function requireRunning({ view, height }: TxContext, kind: FutureKind): void {
  const terms = futureTerms(storedAttributes(view), kind);
  const name = kind.toUpperCase();
  if (!terms) throw new TxRejected(`${name} not currently active`);
  if (height < terms.startBlock) throw new TxRejected(`${name} not active until block ${terms.startBlock}`);
}

function requireTokenSwap({ view }: TxContext, { source, destination }: FutureSwapBody): void {
  const { tokenId } = source;
  if (!isLoanToken(view, tokenId)) throw new TxRejected(`Could not get source loan token ${tokenId}`);
  const isDollar = loanSymbol(view, tokenId) === 'DUSD';
  const changing = isDollar ? destination : tokenId;
  const requireAllowed = () => {
    if (!allowsFutures(view, changing)) throw new TxRejected(`DFIP2203 currently disabled for token ${changing}`);
  };
  const requireUnlocked = () => {
    if (isTokenLocked(view, changing)) throw new TxRejected('Cannot create future swap for locked token');
  };
  if (isDollar) {
    requireAllowed();
    if (!isLoanToken(view, destination)) {
      throw new TxRejected(`Could not get destination loan token ${destination}. Set valid destination.`);
    }
    requireUnlocked();
    return;
  }
  if (destination !== 0) throw new TxRejected('Destination should not be set when source amount is dToken or DFI');
  requireUnlocked();
  requireAllowed();
}

function requireCoinSwap({ view }: TxContext, { destination }: FutureSwapBody): void {
  const dollar = tokenBySymbol(view, 'DUSD');
  if (!dollar) throw new TxRejected('No DUSD token defined');
  if (!findFixedPrice(view, { token: 'DFI', currency: 'USD' })) throw new TxRejected('DFI / DUSD fixed interval price not found');
  if (destination !== dollar.id) {
    throw new TxRejected(`Incorrect destination defined for DFI swap, DUSD destination expected id: ${dollar.id}`);
  }
}

/** Limits pending swaps to a share of the pool's average reserve. @throws {TxRejected} @see docs/protocol/oracles-governance.md 6.5 */
function requireWithinLimit({ view }: TxContext, { source, destination }: FutureSwapBody): void {
  const dollar = tokenBySymbol(view, 'DUSD');
  if (!dollar) throw new TxRejected('No DUSD token defined');
  const limit = futureLimit(storedAttributes(view));
  const average = poolAverage(view, { source: source.tokenId, destination: destination || dollar.id });
  if (!limit || average === undefined) return;
  const most = multiplyAmounts(average, limit.share);
  let used = 0n;
  for (const [, swap] of listFutures(view, 'dfip2203')) {
    if (swap.source.tokenId === source.tokenId && swap.destination === destination) used += swap.source.amount;
  }
  if (source.amount + used <= most) return;
  const percent = formatShort(limit.share * 100n);
  const left = `${formatAmount(low64(most - used))}@${getToken(view, source.tokenId)?.symbol ?? ''}`;
  throw new TxRejected(`Swap amount exceeds ${percent}% of average pool liquidity limit. Available amount to swap: ${left}`);
}

function deposit({ view, accounts, height, txIndex }: TxContext, kind: FutureKind, { owner, source, destination }: FutureSwapBody): void {
  accounts.move(owner, contractOf(kind), source);
  putFuture(view, kind, { height, owner, txn: txIndex }, { source, destination });
  addToTotal(storedTotals(view), kind, 'current', [source]);
}

/** Merges all pending swaps of the owner, less the amount withdrawn, into one at the current height. @throws {TxRejected} */
function withdraw({ view, accounts, height, txIndex }: TxContext, kind: FutureKind, body: FutureSwapBody): void {
  const { owner, source, destination } = body;
  let sum = 0n;
  for (const [key, swap] of listFutures(view, kind)) {
    if (!equalBytes(key.owner, owner)) continue;
    if (kind === 'dfip2203' && (swap.source.tokenId !== source.tokenId || swap.destination !== destination)) continue;
    sum += swap.source.amount;
    deleteFuture(view, kind, key);
  }
  const rest = sum - source.amount;
  if (rest < 0n) throw new TxRejected(`amount ${formatAmount(sum)} is less than ${formatAmount(source.amount)}`);
  if (rest > 0n) putFuture(view, kind, { height, owner, txn: txIndex }, { source: { ...source, amount: rest }, destination });
  accounts.move(contractOf(kind), owner, source);
  subFromTotal(storedTotals(view), kind, 'current', source);
}
