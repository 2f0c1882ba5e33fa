import { feeForSize } from '../../mempool/fee-rate.js';
import { COIN } from '../../primitives/amount.js';
import { pointKey } from '../../primitives/outpoint.js';
import { type TxOut, txOutSize } from '../../primitives/transaction.js';
import { shuffled } from '../../util/random.js';
import { isEager, skipsSolvable } from '../coin-search.js';
import { availableCoins, type CoinQuery, coinsAtRandom, type WalletCoin } from '../coins/coins.js';
import type { BuildPlan } from './build-plan.js';
import { groupsOf, MAX_GROUP_SIZE, WELL_CONFIRMED_DEPTH } from './coin-groups.js';
import { type CoinGroup, type InputCoin, MIN_CHANGE } from './coin-selection.js';
import { discardFeeRate, longTermFeeRate } from './fees.js';
import { chooseCoins, type ExactCosts, type Funding } from './funding.js';

/** Requirements for a selection of coins. */
export interface CoinDemand {
  /** Satoshis, including the fee unless recipients pay it. */
  readonly target: bigint;
  /** Outputs without change. */
  readonly vout: readonly TxOut[];
  /** Select coins so exactly that no change is needed. */
  readonly exact: boolean;
  /** Satoshis per 1,000 virtual bytes. */
  readonly feeRate: bigint;
}

/** Bytes of a transaction without inputs and outputs. */
const FIXED_SIZE = 11;
/** Virtual bytes of a P2SH-P2WPKH input, used if the wallet does not know how to spend the change. */
const USUAL_INPUT_SIZE = 91;

/**
 * Maximum number of coins among which coins are selected. Of more coins a random sample is used, because selecting among all takes long and
 * finds no better solution.
 */
const ENOUGH_COINS = 2_000;

/** Coins available to one transaction: the preset inputs, and other coins of the wallet. */
export class CoinSource {
  /** Preset inputs; undefined if one of them is unknown. */
  readonly #preset: readonly InputCoin[] | undefined;
  /** `pointKey` of the preset inputs. */
  readonly #presetKeys: ReadonlySet<string>;
  readonly #byAddress: boolean;
  /** Groups of a sample of the coins, and the largest amount that may be paid from it. */
  #sample: { readonly groups: readonly CoinGroup[]; readonly reach: bigint } | undefined;
  #all: readonly CoinGroup[] | undefined;

  constructor(private readonly plan: BuildPlan) {
    const { options, wallet } = plan;
    this.#preset = presetOf(plan);
    this.#presetKeys = new Set(this.#preset?.map(({ point }) => pointKey(point)));
    this.#byAddress = options.avoidPartialSpends ?? wallet.deps.settings.avoidPartialSpends;
  }

  /** @returns undefined if the coins do not suffice, or a preset input is unknown */
  choose({ target, vout, exact, feeRate }: CoinDemand): Funding | undefined {
    const { wallet, random } = this.plan;
    const preset = this.#preset;
    if (!preset) return undefined;
    const costs = exact ? this.#exactCosts(vout, feeRate) : undefined;
    return chooseCoins(wallet, { target, preset, groups: (rest) => this.#groupsFor(rest), exact: costs }, random);
  }

  #groupsFor(rest: bigint): readonly CoinGroup[] {
    if (this.#all) return this.#all;
    if (!this.#sample || this.#sample.reach < rest) this.#sample = this.#sampleFor(rest);
    if (this.#sample) return this.#sample.groups;
    this.#all = this.#grouped(availableFor(this.plan));
    return this.#all;
  }

  /** Random well-confirmed coins worth at least twice the amount. @returns undefined if there are too few, or the query needs all */
  #sampleFor(rest: bigint): { readonly groups: readonly CoinGroup[]; readonly reach: bigint } | undefined {
    const { wallet, options, random } = this.plan;
    const query = queryOf(this.plan);
    if (this.#byAddress || options.from || query.minSum !== undefined || wallet.unspent.confirmedOutputCount <= ENOUGH_COINS)
      return undefined;
    const found: WalletCoin[] = [];
    let worth = 0n;
    for (const coin of coinsAtRandom(wallet, { ...query, minDepth: Math.max(query.minDepth, WELL_CONFIRMED_DEPTH) }, random)) {
      if (!coin.spendable || this.#isPreset(coin)) continue;
      found.push(coin);
      worth += (coin.wtx.tx.vout[coin.vout] as TxOut).value;
      if (found.length < ENOUGH_COINS || worth < 2n * rest + MIN_CHANGE) continue;
      return { groups: this.#grouped(found), reach: (worth - MIN_CHANGE) / 2n };
    }
    return undefined;
  }

  #grouped(coins: readonly WalletCoin[]): CoinGroup[] {
    const { wallet, random } = this.plan;
    const free = this.#presetKeys.size === 0 ? coins : coins.filter((coin) => !this.#isPreset(coin));
    const ordered = this.#byAddress && free.length > MAX_GROUP_SIZE ? shuffled(free, random) : free;
    return groupsOf(wallet, ordered, this.#byAddress, (coin) => this.#inputCoin(coin));
  }

  #isPreset({ wtx, vout }: WalletCoin): boolean {
    return this.#presetKeys.size > 0 && this.#presetKeys.has(`${wtx.key}${vout}`);
  }

  #exactCosts(vout: readonly TxOut[], feeRate: bigint): ExactCosts {
    const { wallet, sizes, version, changeScript } = this.plan;
    const { txFormat } = wallet.deps.chain.params;
    const change = { value: 0n, scriptPubKey: changeScript, tokenId: 0 };
    const spendSize = sizes.inputSize(change, false) ?? USUAL_INPUT_SIZE;
    const fixedSize = vout.reduce((sum, out) => sum + txOutSize(out, version, txFormat), FIXED_SIZE);
    const changeSize = txOutSize(change, version, txFormat);
    return {
      feeRate,
      longTermFeeRate: longTermFeeRate(wallet),
      costOfChange: feeForSize(discardFeeRate(wallet), spendSize) + feeForSize(feeRate, changeSize),
      fixedFee: feeForSize(feeRate, fixedSize),
    };
  }

  #inputCoin({ wtx, vout }: WalletCoin): InputCoin {
    const out = wtx.tx.vout[vout] as TxOut;
    const { sizes, options } = this.plan;
    // If watch-only coins may be spent, every signature is measured as if another wallet made it, as in the size of the transaction.
    return { point: { txid: wtx.tx.txid, vout }, out, inputSize: sizes.inputSize(out, options.spendWatched ?? false) };
  }
}

/** Amount that an eager search finds in addition to the payments, to cover any fee, satoshis: 0.1 DFI. */
const EAGER_MARGIN = COIN / 10n;

function availableFor(plan: BuildPlan): WalletCoin[] {
  return availableCoins(plan.wallet, queryOf(plan)).filter(({ spendable }) => spendable);
}

function queryOf({ wallet, options, recipients }: BuildPlan) {
  const { spendWatched = false, avoidReuse = false, minDepth = 0, from: script, coinSearch = wallet.deps.settings.coinSearch } = options;
  const eager = isEager(coinSearch);
  return {
    onlySafe: true,
    minAmount: 1n,
    tokenId: 0,
    spendWatched,
    skipsSolvable: skipsSolvable(coinSearch),
    includeUsed: !avoidReuse,
    minDepth,
    script,
    minSum: eager ? recipients.reduce((sum, { amount }) => sum + amount, EAGER_MARGIN) : undefined,
    anyOrder: !eager,
  } satisfies CoinQuery;
}

function presetOf({ wallet, options, sizes }: BuildPlan): InputCoin[] | undefined {
  const found = new Map<string, InputCoin>();
  for (const point of options.inputs ?? []) {
    const out = wallet.txs.get(point.txid)?.tx.vout[point.vout] ?? options.linked?.get(pointKey(point));
    if (!out) return undefined;
    // Its value would be counted as DFI.
    if (out.tokenId !== 0) continue;
    // One that the wallet cannot spend counts too, until the size of the transaction is computed. One named twice counts once.
    found.set(pointKey(point), { point, out, inputSize: sizes.inputSize(out, false) });
  }
  return [...found.values()];
}
