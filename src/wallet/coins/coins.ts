import { pointKey } from '../../primitives/outpoint.js';
import { equalBytes } from '../../util/bytes.js';
import type { Random } from '../../util/random.js';
import { Slicer } from '../../util/slicer.js';
import { Ownership } from '../keys/ownership.js';
import type { ConfirmedOutput } from '../txs/unspent.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';
import { isFinalNow, isImmature, isLockedCollateral, isTrusted } from './trust.js';

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
  /** In no particular order. */
  readonly anyOrder?: boolean;
  /** Only outputs with this script; costs no more than there are of them. */
  readonly script?: Uint8Array | undefined;
}

/** What coins are looked for among. */
interface Source {
  /** By raw txid, then index, unless the order does not matter. */
  readonly confirmed: Iterable<ConfirmedOutput>;
  readonly pending: Iterable<WalletCoin>;
  /** Of the tip. */
  readonly height: number;
}

/** The wallet's unspent outputs by raw txid, then index. @see docs/protocol/wallet.md 2.8 */
export function availableCoins(wallet: Wallet, query: CoinQuery = {}): WalletCoin[] {
  const found = new FoundCoins(query);
  for (const coin of coinsIn(sourceOf(wallet, query), wallet, query)) if (coin && found.add(coin)) break;
  return found.coins;
}

/** Settled coins, one after the other at random. To be read at once. */
export function* coinsAtRandom(wallet: Wallet, query: CoinQuery, random: Random): Generator<WalletCoin> {
  const { height } = wallet.deps.chain.tip;
  for (const output of wallet.unspent.confirmedAtRandom(random)) {
    const coin = confirmedCoin(wallet, output, height, query);
    if (coin) yield coin;
  }
}

/** Longest time that coins are looked for at once. */
const QUICK_MS = 10;

/** The same without holding others up: where it takes longer, coins are those that there were when it was asked. */
export async function collectCoins(wallet: Wallet, query: CoinQuery, signal?: AbortSignal): Promise<WalletCoin[]> {
  const end = performance.now() + QUICK_MS;
  const quick = new FoundCoins(query);
  let isLate = false;
  for (const coin of coinsIn(sourceOf(wallet, query), wallet, query)) {
    if (coin && quick.add(coin)) return quick.coins;
    isLate = performance.now() > end;
    if (isLate) break;
  }
  if (!isLate) return quick.coins;
  const { unspent, deps } = wallet;
  const [keys, all, height] = [unspent.confirmedTxids(), unspent.confirmedUnordered(), deps.chain.tip.height];
  const pending = [...pendingCoins(wallet, query)];
  const slicer = new Slicer(signal);
  const byKey = new Map<string, ConfirmedOutput[]>();
  for (const output of all) {
    const known = byKey.get(output.wtx.key);
    if (known) known.push(output);
    else byKey.set(output.wtx.key, [output]);
    const paused = slicer.pause();
    if (paused) await paused;
  }
  const found = new FoundCoins(query);
  for (const coin of coinsIn({ confirmed: inOrder(keys, byKey), pending, height }, wallet, query)) {
    if (coin && found.add(coin)) break;
    const paused = slicer.pause();
    if (paused) await paused;
  }
  return found.coins;
}

function* inOrder(keys: readonly string[], byKey: ReadonlyMap<string, ConfirmedOutput[]>): Generator<ConfirmedOutput> {
  for (const key of keys) yield* byKey.get(key)?.sort((a, b) => a.vout - b.vout) ?? [];
}

function sourceOf(wallet: Wallet, query: CoinQuery): Source {
  return { confirmed: confirmedOutputs(wallet, query), pending: pendingCoins(wallet, query), height: wallet.deps.chain.tip.height };
}

/** A coin, or none, for each output that is looked at. */
function* coinsIn({ confirmed, pending, height }: Source, wallet: Wallet, query: CoinQuery): Generator<WalletCoin | undefined> {
  const others = pending[Symbol.iterator]();
  let next = others.next();
  for (const output of confirmed) {
    for (; !next.done && next.value.wtx.key < output.wtx.key; next = others.next()) yield next.value;
    yield confirmedCoin(wallet, output, height, query);
  }
  for (; !next.done; next = others.next()) yield next.value;
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

function confirmedOutputs({ unspent }: Wallet, { script, anyOrder = false }: CoinQuery): Iterable<ConfirmedOutput> {
  if (script) return unspent.confirmedPaying(script);
  return anyOrder ? unspent.confirmedUnordered() : unspent.confirmed();
}

function confirmedCoin(wallet: Wallet, output: ConfirmedOutput, tipHeight: number, query: CoinQuery): WalletCoin | undefined {
  const { minDepth = 0, maxDepth = Number.MAX_SAFE_INTEGER } = query;
  const { wtx, vout, ownership, out, height } = output;
  const depth = tipHeight - height + 1;
  if (depth < minDepth || depth > maxDepth || !isConfirmedMatch(wallet, output, query)) return undefined;
  return { wtx, vout, depth, spendable: isSpendable(wallet, ownership, out.scriptPubKey, query), safe: true };
}

function* pendingCoins(wallet: Wallet, query: CoinQuery): Generator<WalletCoin> {
  for (const wtx of wallet.unspent.pendingTransactions()) yield* coinsOf(wallet, wtx, query);
}

function* coinsOf(wallet: Wallet, wtx: WalletTx, query: CoinQuery): Generator<WalletCoin> {
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
    if (!matches(wallet, wtx, vout, query) || (query.includeUsed === false && wallet.isUsedAddress({ scriptPubKey }))) continue;
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

function isConfirmedMatch(wallet: Wallet, { wtx, vout, isUsed }: ConfirmedOutput, query: CoinQuery): boolean {
  return matches(wallet, wtx, vout, query) && !(query.includeUsed === false && isUsed && wallet.avoidsReuse);
}

function matches({ outputLocks }: Wallet, wtx: WalletTx, vout: number, query: CoinQuery): boolean {
  const out = wtx.tx.vout[vout];
  if (!out) return false;
  const { minAmount = 0n, maxAmount, tokenId, selected, script } = query;
  if (out.value < minAmount || (maxAmount !== undefined && out.value > maxAmount)) return false;
  if (tokenId !== undefined && out.tokenId !== tokenId) return false;
  if (selected && !selected.has(pointKey({ txid: wtx.tx.txid, vout }))) return false;
  if (script && !equalBytes(script, out.scriptPubKey)) return false;
  return outputLocks.isEmpty || !outputLocks.has({ txid: wtx.tx.txid, vout });
}
