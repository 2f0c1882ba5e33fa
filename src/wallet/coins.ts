import { equalBytes } from '../util/bytes.js';
import { Ownership } from './ownership.js';
import { pointKey } from './transactions.js';
import { isFinalNow, isImmature, isLockedCollateral, isTrusted } from './trust.js';
import type { SettledOutput } from './unspent.js';
import type { Wallet } from './wallet.js';
import type { WalletTx } from './wallet-tx.js';

/** An output that the wallet could spend, or watches. */
export interface WalletCoin {
  readonly wtx: WalletTx;
  readonly vout: number;
  readonly depth: number;
  /** The wallet has the keys, or was told to use what it watches. */
  readonly spendable: boolean;
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
  /** Everything is taken for solvable. */
  readonly skipsSolvable?: boolean;
  /** Only these points, as `pointKey` writes them. */
  readonly selected?: ReadonlySet<string> | undefined;
  /** In whatever order takes least time. */
  readonly anyOrder?: boolean;
  /** Only outputs with this script; costs no more than there are of them. */
  readonly script?: Uint8Array | undefined;
}

/** The wallet's unspent outputs by raw txid, then index. @see spec: wallet 2.8 */
export function availableCoins(wallet: Wallet, query: CoinQuery = {}): WalletCoin[] {
  const { unspent } = wallet;
  const found = new FoundCoins(query);
  const open = unspent.open();
  let next = 0;
  for (const output of settledOutputs(wallet, query)) {
    for (let wtx = open[next]; wtx && wtx.key < output.wtx.key; wtx = open[++next]) {
      for (const coin of openCoins(wallet, wtx, query)) if (found.add(coin)) return found.coins;
    }
    const coin = settledCoin(wallet, output, query);
    if (coin && found.add(coin)) return found.coins;
  }
  for (const wtx of open.slice(next)) for (const coin of openCoins(wallet, wtx, query)) if (found.add(coin)) return found.coins;
  return found.coins;
}

class FoundCoins {
  readonly coins: WalletCoin[] = [];
  #sum = 0n;

  constructor(private readonly query: CoinQuery) {}

  /** @returns true once there are enough */
  add(coin: WalletCoin): boolean {
    const { minSum, maxCount } = this.query;
    this.coins.push(coin);
    if (minSum !== undefined) this.#sum += coin.wtx.tx.vout[coin.vout]?.value ?? 0n;
    return (minSum !== undefined && this.#sum >= minSum) || (Boolean(maxCount) && this.coins.length >= (maxCount ?? 0));
  }
}

function settledOutputs({ unspent }: Wallet, { script, anyOrder = false }: CoinQuery): Iterable<SettledOutput> {
  if (script) return unspent.settledWith(script);
  return anyOrder ? unspent.settledUnordered() : unspent.settled();
}

function settledCoin(wallet: Wallet, output: SettledOutput, query: CoinQuery): WalletCoin | undefined {
  const { minDepth = 0, maxDepth = Number.MAX_SAFE_INTEGER } = query;
  const { wtx, vout, ownership, out, height } = output;
  const depth = wallet.deps.chain.tip.height - height + 1;
  if (depth < minDepth || depth > maxDepth || !isSettledWanted(wallet, output, query)) return undefined;
  return { wtx, vout, depth, spendable: isSpendable(wallet, ownership, out.scriptPubKey, query), safe: true };
}

function* openCoins(wallet: Wallet, wtx: WalletTx, query: CoinQuery): Generator<WalletCoin> {
  const { chain } = wallet.deps;
  const { minDepth = 0, maxDepth = Number.MAX_SAFE_INTEGER } = query;
  const depth = wtx.depth(chain);
  if (depth < 0 || depth < minDepth || depth > maxDepth) return;
  const ownership = wallet.outputsOf(wtx);
  if (ownership.every((each) => each === Ownership.None)) return;
  if (!isFinalNow(wallet, wtx) || isImmature(wallet, wtx)) return;
  if (depth === 0 && !wallet.isInMempool(wtx)) return;
  const safe = isSafe(wallet, wtx, depth);
  if (query.onlySafe && !safe) return;
  for (const [vout, { scriptPubKey }] of wtx.tx.vout.entries()) {
    const own = ownership[vout] ?? Ownership.None;
    if (own === Ownership.None || wtx.isSpent(vout, chain) || isLockedCollateral(wallet, wtx, vout)) continue;
    if (!isWanted(wallet, wtx, vout, query) || (query.includeUsed === false && wallet.isUsedAddress({ scriptPubKey }))) continue;
    yield { wtx, vout, depth, spendable: isSpendable(wallet, own, scriptPubKey, query), safe };
  }
}

function isSafe(wallet: Wallet, wtx: WalletTx, depth: number): boolean {
  // What replaces, or was replaced, may still lose its place to the other.
  if (depth === 0 && (wtx.notes.has('replaces_txid') || wtx.notes.has('replaced_by_txid'))) return false;
  return isTrusted(wallet, wtx);
}

function isSpendable(
  wallet: Wallet,
  ownership: Ownership,
  script: Uint8Array,
  { spendWatched = false, skipsSolvable = false }: CoinQuery,
): boolean {
  return ownership === Ownership.Spendable || (spendWatched && (skipsSolvable || wallet.isSolvable(script)));
}

function isSettledWanted(wallet: Wallet, { wtx, vout, isUsed }: SettledOutput, query: CoinQuery): boolean {
  return isWanted(wallet, wtx, vout, query) && !(query.includeUsed === false && isUsed && wallet.avoidsReuse);
}

function isWanted({ outputLocks }: Wallet, wtx: WalletTx, vout: number, query: CoinQuery): boolean {
  const out = wtx.tx.vout[vout];
  if (!out) return false;
  const { minAmount = 0n, maxAmount, tokenId, selected, script } = query;
  if (out.value < minAmount || (maxAmount !== undefined && out.value > maxAmount)) return false;
  if (tokenId !== undefined && out.tokenId !== tokenId) return false;
  if (selected && !selected.has(pointKey({ txid: wtx.tx.txid, vout }))) return false;
  if (script && !equalBytes(script, out.scriptPubKey)) return false;
  return outputLocks.isEmpty || !outputLocks.has({ txid: wtx.tx.txid, vout });
}
