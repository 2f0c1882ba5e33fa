import { masternodes } from '../dfi/state/masternodes.js';
import { isImmature, isLockedCollateral, isTrusted, type OutputFilter, spendableOutputs, watchedOutputs } from './trust.js';
import type { Wallet } from './wallet.js';
import type { WalletTx } from './wallet-tx.js';

/** Satoshis by token id. DFI is always among them. */
export type TokenSums = Map<number, bigint>;

/** What one kind of outputs holds. @see spec: wallet 2.4 */
export interface BalanceBuckets {
  readonly trusted: TokenSums;
  readonly pending: TokenSums;
  /** DFI of coinbases. */
  immature: bigint;
}

export interface Balances {
  readonly mine: BalanceBuckets;
  readonly watched: BalanceBuckets;
}

export interface BalanceOptions {
  readonly minDepth?: number;
  /** Leave out what used addresses hold. */
  readonly avoidReuse?: boolean;
}

export function balancesOf(wallet: Wallet, { minDepth = 0, avoidReuse = true }: BalanceOptions = {}): Balances {
  const balances: Balances = { mine: newBuckets(), watched: newBuckets() };
  const { chain } = wallet.deps;
  for (const wtx of wallet.txs.inOrder()) {
    const depth = wtx.depth(chain);
    if (depth < 0) continue;
    const skipUsed = avoidReuse && wallet.avoidsReuse;
    addCoinbase(wallet, wtx, depth, balances);
    if (isImmature(wallet, wtx)) continue;
    if (depth === 0 && !wallet.isInMempool(wtx)) continue;
    const trusted = isTrusted(wallet, wtx);
    if (trusted ? depth < minDepth : depth !== 0) continue;
    const bucket = trusted ? 'trusted' : 'pending';
    addCredit(wallet, wtx, spendableOutputs, skipUsed, balances.mine[bucket]);
    addCredit(wallet, wtx, watchedOutputs, skipUsed, balances.watched[bucket]);
  }
  return balances;
}

function newBuckets(): BalanceBuckets {
  return { trusted: new Map([[0, 0n]]), pending: new Map([[0, 0n]]), immature: 0n };
}

function addCoinbase(wallet: Wallet, wtx: WalletTx, depth: number, { mine, watched }: Balances): void {
  if (depth <= 0 || !isImmature(wallet, wtx)) return;
  // The first masternodes came with the genesis block, in transactions that look like coinbases.
  if (!wallet.deps.chain.state.has(masternodes, wtx.tx.txid)) mine.immature += creditOf(wallet, wtx, spendableOutputs);
  watched.immature += creditOf(wallet, wtx, watchedOutputs);
}

/** DFI that a transaction pays the wallet, spent or not. */
export function creditOf(wallet: Wallet, wtx: WalletTx, filter: OutputFilter): bigint {
  const ownership = wallet.outputsOf(wtx);
  let sum = 0n;
  wtx.tx.vout.forEach(({ value, tokenId }, vout) => {
    if (tokenId === 0 && filter(ownership[vout] ?? 0)) sum += value;
  });
  return sum;
}

/** Adds unspent outputs, each token by itself. */
function addCredit(wallet: Wallet, wtx: WalletTx, filter: OutputFilter, skipUsed: boolean, sums: TokenSums): void {
  const { chain } = wallet.deps;
  const ownership = wallet.outputsOf(wtx);
  wtx.tx.vout.forEach((out, vout) => {
    if (!filter(ownership[vout] ?? 0) || wtx.isSpent(vout, chain)) return;
    if ((skipUsed && wallet.isUsedAddress(out)) || isLockedCollateral(wallet, wtx, vout)) return;
    sums.set(out.tokenId, (sums.get(out.tokenId) ?? 0n) + out.value);
  });
}

/** Sum of both, token by token. */
export function addSums(a: TokenSums, b: TokenSums): TokenSums {
  const sum = new Map(a);
  for (const [token, amount] of b) sum.set(token, (sum.get(token) ?? 0n) + amount);
  return sum;
}

export function dfiOf(sums: TokenSums): bigint {
  return sums.get(0) ?? 0n;
}
