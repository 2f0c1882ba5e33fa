import { masternodes } from '../../dfi/masternodes/columns.js';
import { Ownership } from '../keys/ownership.js';
import { addTo, type TokenSums } from '../txs/running-sums.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';
import { isImmature, isLockedCollateral, isTrusted, type OutputFilter, spendableOutputs, watchedOutputs } from './trust.js';

/** Balances of spendable, or of watch-only, outputs. @see docs/protocol/wallet.md 2.4 */
export interface BalanceBuckets {
  readonly trusted: TokenSums;
  /** Unconfirmed and untrusted. */
  readonly pending: TokenSums;
  /** DFI of immature coinbases, satoshis. */
  immature: bigint;
}

export interface Balances {
  readonly mine: BalanceBuckets;
  readonly watched: BalanceBuckets;
}

export interface BalanceOptions {
  /** Minimum confirmations of trusted outputs; 0 by default. */
  readonly minDepth?: number;
  /** Leave out used addresses, in wallets that avoid reuse; true by default. */
  readonly avoidReuse?: boolean;
}

/** Balances of the wallet: the sums of confirmed outputs, to which pending transactions are added one by one. */
export function balancesOf(wallet: Wallet, { minDepth = 0, avoidReuse = true }: BalanceOptions = {}): Balances {
  const skipUsed = avoidReuse && wallet.avoidsReuse;
  const summed = (ownership: Ownership): BalanceBuckets => ({
    trusted: wallet.unspent.sumsOf(ownership, { minDepth, skipUsed }),
    pending: new Map([[0, 0n]]),
    immature: 0n,
  });
  const balances: Balances = { mine: summed(Ownership.Spendable), watched: summed(Ownership.Watched) };
  for (const wtx of wallet.unspent.pendingTransactions()) addPending(wallet, wtx, { minDepth, skipUsed }, balances);
  return balances;
}

function addPending(
  wallet: Wallet,
  wtx: WalletTx,
  { minDepth, skipUsed }: { readonly minDepth: number; readonly skipUsed: boolean },
  balances: Balances,
): void {
  const depth = wtx.depth(wallet.deps.chain);
  addCoinbase(wallet, wtx, depth, balances);
  if (isImmature(wallet, wtx)) return;
  if (depth === 0 && !wallet.isInMempool(wtx)) return;
  const trusted = isTrusted(wallet, wtx);
  if (trusted ? depth < minDepth : depth !== 0) return;
  const bucket = trusted ? 'trusted' : 'pending';
  addCredit(wallet, wtx, spendableOutputs, skipUsed, balances.mine[bucket]);
  addCredit(wallet, wtx, watchedOutputs, skipUsed, balances.watched[bucket]);
}

function addCoinbase(wallet: Wallet, wtx: WalletTx, depth: number, { mine, watched }: Balances): void {
  if (depth <= 0 || !isImmature(wallet, wtx)) return;
  const { chain } = wallet.deps;
  // Transactions of the genesis block that created masternodes look like coinbases.
  const isOfGenesis = depth > chain.tip.height;
  if (!isOfGenesis || !chain.state.has(masternodes, wtx.tx.txid)) mine.immature += creditOf(wallet, wtx, spendableOutputs);
  watched.immature += creditOf(wallet, wtx, watchedOutputs);
}

/** DFI that a transaction pays the wallet, spent or not; satoshis. */
export function creditOf(wallet: Wallet, wtx: WalletTx, filter: OutputFilter): bigint {
  const ownership = wallet.outputOwnership(wtx);
  let sum = 0n;
  wtx.tx.vout.forEach(({ value, tokenId }, vout) => {
    if (tokenId === 0 && filter(ownership[vout] ?? 0)) sum += value;
  });
  return sum;
}

/** Adds the transaction's unspent outputs to the sums, by token. */
function addCredit(wallet: Wallet, wtx: WalletTx, filter: OutputFilter, skipUsed: boolean, sums: TokenSums): void {
  const { chain } = wallet.deps;
  const ownership = wallet.outputOwnership(wtx);
  wtx.tx.vout.forEach((out, vout) => {
    if (!filter(ownership[vout] ?? 0) || wtx.isSpent(vout, chain)) return;
    if ((skipUsed && wallet.isUsedAddress(out)) || isLockedCollateral(wallet, wtx, vout)) return;
    addTo(sums, out.tokenId, out.value);
  });
}

/** Sum by token, as a new map. */
export function addSums(a: TokenSums, b: TokenSums): TokenSums {
  const sum = new Map(a);
  for (const [token, amount] of b) addTo(sum, token, amount);
  return sum;
}

/** Satoshis of DFI. */
export function dfiOf(sums: TokenSums): bigint {
  return sums.get(0) ?? 0n;
}
