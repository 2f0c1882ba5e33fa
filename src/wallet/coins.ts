import { equalBytes } from '../util/bytes.js';
import { Ownership } from './ownership.js';
import { pointKey } from './transactions.js';
import { isFinalNow, isImmature, isLockedCollateral, isTrusted } from './trust.js';
import type { Wallet } from './wallet.js';
import type { WalletTx } from './wallet-tx.js';

/** An output that the wallet could spend, or watches. */
export interface WalletCoin {
  readonly wtx: WalletTx;
  readonly vout: number;
  readonly depth: number;
  /** The wallet has the keys, or was told to use what it watches. */
  readonly spendable: boolean;
  readonly solvable: boolean;
  /** Its transaction is in a block or the wallet's own, and replaces nothing. */
  readonly safe: boolean;
}

/** Which coins are wanted; without a word, all that are not spent. */
export interface CoinQuery {
  readonly minDepth?: number;
  readonly maxDepth?: number;
  readonly onlySafe?: boolean;
  /** Satoshis. */
  readonly minAmount?: bigint;
  readonly maxAmount?: bigint | undefined;
  /** Stop once so much is found. */
  readonly minSum?: bigint | undefined;
  /** Stop once so many are found; 0 for no limit. */
  readonly maxCount?: number;
  readonly tokenId?: number | undefined;
  /** Outputs whose addresses were spent from count too. */
  readonly includeUsed?: boolean;
  /** What is only watched counts as spendable where it is solvable. */
  readonly spendWatched?: boolean;
  /** Only these points, as `pointKey` writes them. */
  readonly selected?: ReadonlySet<string> | undefined;
  /** Only outputs with this script. */
  readonly script?: Uint8Array | undefined;
}

/** The wallet's unspent outputs by raw txid, then index. @see spec: wallet 2.8 */
export function availableCoins(wallet: Wallet, query: CoinQuery = {}): WalletCoin[] {
  const found: WalletCoin[] = [];
  let sum = 0n;
  for (const wtx of wallet.txs.all()) {
    for (const coin of coinsOf(wallet, wtx, query)) {
      found.push(coin);
      sum += coin.wtx.tx.vout[coin.vout]?.value ?? 0n;
      if (query.minSum !== undefined && sum >= query.minSum) return found;
      if (query.maxCount && found.length >= query.maxCount) return found;
    }
  }
  return found;
}

function* coinsOf(wallet: Wallet, wtx: WalletTx, query: CoinQuery): Generator<WalletCoin> {
  const { minDepth = 0, maxDepth = Number.MAX_SAFE_INTEGER } = query;
  const depth = wtx.depth(wallet.deps.chain);
  if (depth < 0 || depth < minDepth || depth > maxDepth) return;
  const ownership = wallet.outputsOf(wtx);
  if (ownership.every((each) => each === Ownership.None)) return;
  if (!isFinalNow(wallet, wtx) || isImmature(wallet, wtx)) return;
  if (depth === 0 && !wallet.isInMempool(wtx)) return;
  const safe = isSafe(wallet, wtx, depth);
  if (query.onlySafe && !safe) return;
  for (let vout = 0; vout < wtx.tx.vout.length; vout++) {
    const own = ownership[vout] ?? Ownership.None;
    if (own === Ownership.None || !isWanted(wallet, wtx, vout, query)) continue;
    const script = wtx.tx.vout[vout]?.scriptPubKey ?? new Uint8Array(0);
    const solvable = wallet.isSolvable(script);
    const spendable = own === Ownership.Spendable || (query.spendWatched === true && solvable);
    yield { wtx, vout, depth, spendable, solvable, safe };
  }
}

function isSafe(wallet: Wallet, wtx: WalletTx, depth: number): boolean {
  // What replaces, or was replaced, may still lose its place to the other.
  if (depth === 0 && (wtx.notes.has('replaces_txid') || wtx.notes.has('replaced_by_txid'))) return false;
  return isTrusted(wallet, wtx);
}

function isWanted(wallet: Wallet, wtx: WalletTx, vout: number, query: CoinQuery): boolean {
  const out = wtx.tx.vout[vout];
  if (!out) return false;
  const { minAmount = 0n, maxAmount, tokenId, includeUsed = true, selected, script } = query;
  if (out.value < minAmount || (maxAmount !== undefined && out.value > maxAmount)) return false;
  const point = { txid: wtx.tx.txid, vout };
  if (selected && !selected.has(pointKey(point))) return false;
  if (tokenId !== undefined && out.tokenId !== tokenId) return false;
  if (wallet.outputLocks.has(point) || wtx.isSpent(vout, wallet.deps.chain)) return false;
  if (!includeUsed && wallet.isUsedAddress(out)) return false;
  if (script && !equalBytes(script, out.scriptPubKey)) return false;
  return !isLockedCollateral(wallet, wtx, vout);
}
