import { pointKey } from '../../primitives/outpoint.js';
import { equalBytes } from '../../util/bytes.js';
import type { Random } from '../../util/random.js';
import { type Abortable, Slicer } from '../../util/slicer.js';
import { Ownership } from '../keys/ownership.js';
import type { ConfirmedOutput } from '../txs/unspent.js';
import type { WalletTx } from '../txs/wallet-tx.js';
import type { Wallet } from '../wallet.js';
import { isFinalNow, isImmature, isLockedCollateral, isTrusted } from './trust.js';

/** An unspent output that the wallet can spend or watches. */
export interface WalletCoin {
  readonly wtx: WalletTx;
  readonly vout: number;
  /** Confirmations. */
  readonly depth: number;
  /** The wallet has the keys, or the query asks for watch-only coins. */
  readonly spendable: boolean;
  /** Its transaction is trusted, and if unconfirmed neither replaces another one nor is replaced. */
  readonly safe: boolean;
}

/** Filter for coins; empty for all unspent outputs. */
export interface CoinQuery {
  readonly minDepth?: number;
  readonly maxDepth?: number;
  readonly onlySafe?: boolean;
  /** Satoshis. */
  readonly minAmount?: bigint;
  readonly maxAmount?: bigint | undefined;
  /** Stop when the sum of the found coins reaches this, satoshis. */
  readonly minSum?: bigint | undefined;
  /** Stop when so many coins are found; 0 for no limit. */
  readonly maxCount?: number;
  readonly tokenId?: number | undefined;
  /** Include outputs of used addresses; true by default, and of effect only in wallets that avoid reuse. */
  readonly includeUsed?: boolean;
  /** Count solvable watch-only outputs as spendable. */
  readonly spendWatched?: boolean;
  /** Count all outputs as solvable (`-walletcoinoptskipsolvable`). */
  readonly skipsSolvable?: boolean;
  /** Only these outpoints, by `pointKey`. */
  readonly selected?: ReadonlySet<string> | undefined;
  /** The order of coins does not matter. */
  readonly anyOrder?: boolean;
  /** Only outputs with this script. The cost is proportional to their number. */
  readonly script?: Uint8Array | undefined;
}

/** Outputs to filter. */
interface Source {
  /** By raw txid, then index, unless the query has `anyOrder`. */
  readonly confirmed: Iterable<ConfirmedOutput>;
  readonly pending: Iterable<WalletCoin>;
  /** Height of the tip. */
  readonly height: number;
}

/** The wallet's unspent outputs by raw txid, then index. @see docs/protocol/wallet.md 2.8 */
export function availableCoins(wallet: Wallet, query: CoinQuery = {}): WalletCoin[] {
  const found = new FoundCoins(query);
  for (const coin of coinsIn(sourceOf(wallet, query), wallet, query)) if (coin && found.add(coin)) break;
  return found.coins;
}

/** Confirmed coins in random order. To be read before the index of unspent outputs changes. */
export function* coinsAtRandom(wallet: Wallet, query: CoinQuery, random: Random): Generator<WalletCoin> {
  const { height } = wallet.deps.chain.tip;
  for (const output of wallet.unspent.confirmedAtRandom(random)) {
    const coin = confirmedCoin(wallet, output, height, query);
    if (coin) yield coin;
  }
}

/** Maximum time of a search that does not yield to the event loop. */
const QUICK_MS = 10;

/** As {@link availableCoins}, but yields to the event loop if it takes long. The coins are those at the time of the call. */
export async function collectCoins(wallet: Wallet, query: CoinQuery, call?: Abortable): Promise<WalletCoin[]> {
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
  const slicer = new Slicer(call);
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

/** Merges confirmed and pending coins by txid. Yields undefined for outputs that do not match, so that the caller can pause. */
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

  /** @returns true when the query needs no more coins */
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
  const ownership = wallet.outputOwnership(wtx);
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
  // Either the replacement or the transaction that it replaces may confirm.
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
