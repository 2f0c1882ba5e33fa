import { feeForSize } from '../../mempool/fee-rate.js';
import { COIN } from '../../primitives/amount.js';
import { pointKey } from '../../primitives/outpoint.js';
import { type TxOut, txOutSize } from '../../primitives/transaction.js';
import { isEager, skipsSolvable } from '../coin-search.js';
import { availableCoins, type CoinQuery, coinsAtRandom, type WalletCoin } from '../coins/coins.js';
import { Ownership } from '../keys/ownership.js';
import type { BuildPlan } from './build-plan.js';
import { groupsOf, MAX_GROUP_SIZE, WELL_CONFIRMED_DEPTH } from './coin-groups.js';
import { type CoinGroup, type InputCoin, MIN_CHANGE, shuffled } from './coin-selection.js';
import { discardFeeRate, longTermFeeRate } from './fees.js';
import { chooseCoins, type ExactCosts, type Funding } from './funding.js';

/** What coins have to pay for. */
export interface CoinDemand {
  /** Satoshis, fee included where recipients do not pay it. */
  readonly target: bigint;
  readonly vout: readonly TxOut[];
  /** Look for coins that pay exactly, so that no change is needed. */
  readonly exact: boolean;
  /** Satoshis per 1,000 virtual bytes. */
  readonly feeRate: bigint;
}

/** Bytes of a transaction beside inputs and outputs. */
const FIXED_SIZE = 11;
/** Input of a nested witness key, where nothing is known about the change. */
const USUAL_INPUT_SIZE = 91;

/** Of more coins than this, as many at random stand for all: to choose among all would take long and find nothing better. */
const ENOUGH_COINS = 2_000;

/** The coins that one transaction can be made of: those it was told to spend, and what else the wallet has. */
export class CoinSource {
  /** Inputs that were asked for; undefined if the wallet does not know one of them, or how to spend it. */
  readonly #preset: readonly InputCoin[] | undefined;
  readonly #taken: ReadonlySet<string>;
  readonly #byAddress: boolean;
  /** Some of the coins, and how much may be paid with them alone. */
  #some: { readonly groups: readonly CoinGroup[]; readonly reach: bigint } | undefined;
  #all: readonly CoinGroup[] | undefined;

  constructor(private readonly plan: BuildPlan) {
    const { options, wallet } = plan;
    this.#preset = presetOf(plan);
    this.#taken = new Set(this.#preset?.map(({ point }) => pointKey(point)));
    this.#byAddress = options.avoidPartialSpends ?? wallet.deps.settings.avoidPartialSpends;
  }

  /** @returns undefined if there are not enough, or one that was asked for is not known */
  choose({ target, vout, exact, feeRate }: CoinDemand): Funding | undefined {
    const { wallet, options, random } = this.plan;
    const preset = this.#preset;
    if (!preset) return undefined;
    if (options.inputs?.length && options.addsInputs === false) {
      const total = preset.reduce((sum, { out }) => sum + out.value, 0n);
      return total >= target ? { coins: preset, isExact: false } : undefined;
    }
    const costs = exact ? this.#exactCosts(vout, feeRate) : undefined;
    return chooseCoins(wallet, { target, preset, groups: (rest) => this.#groupsFor(rest), exact: costs }, random);
  }

  #groupsFor(rest: bigint): readonly CoinGroup[] {
    if (this.#all) return this.#all;
    if (!this.#some || this.#some.reach < rest) this.#some = this.#takeSome(rest);
    if (this.#some) return this.#some.groups;
    this.#all = this.#grouped(availableFor(this.plan));
    return this.#all;
  }

  /** Deep coins at random, enough of them and worth twice what is to be paid. @returns undefined if there are not so many */
  #takeSome(rest: bigint): { readonly groups: readonly CoinGroup[]; readonly reach: bigint } | undefined {
    const { wallet, options, random } = this.plan;
    const query = queryOf(this.plan);
    if (this.#byAddress || options.from || query.minSum !== undefined || wallet.unspent.confirmedOutputCount <= ENOUGH_COINS)
      return undefined;
    const found: WalletCoin[] = [];
    let worth = 0n;
    for (const coin of coinsAtRandom(wallet, { ...query, minDepth: Math.max(query.minDepth, WELL_CONFIRMED_DEPTH) }, random)) {
      if (!coin.spendable || this.#isTaken(coin)) continue;
      found.push(coin);
      worth += (coin.wtx.tx.vout[coin.vout] as TxOut).value;
      if (found.length < ENOUGH_COINS || worth < 2n * rest + MIN_CHANGE) continue;
      return { groups: this.#grouped(found), reach: (worth - MIN_CHANGE) / 2n };
    }
    return undefined;
  }

  #grouped(coins: readonly WalletCoin[]): CoinGroup[] {
    const { wallet, random } = this.plan;
    const free = this.#taken.size === 0 ? coins : coins.filter((coin) => !this.#isTaken(coin));
    const ordered = this.#byAddress && free.length > MAX_GROUP_SIZE ? shuffled(free, random) : free;
    return groupsOf(wallet, ordered, this.#byAddress, (coin) => this.#inputCoin(coin));
  }

  #isTaken({ wtx, vout }: WalletCoin): boolean {
    return this.#taken.size > 0 && this.#taken.has(`${wtx.key}${vout}`);
  }

  #exactCosts(vout: readonly TxOut[], feeRate: bigint): ExactCosts {
    const { wallet, options, sizes, version, replaceable, changeScript } = this.plan;
    const { txFormat } = wallet.deps.chain.params;
    const change = { value: 0n, scriptPubKey: changeScript, tokenId: 0 };
    const spendSize = sizes.inputSize(change, false) ?? USUAL_INPUT_SIZE;
    const fixedSize = vout.reduce((sum, out) => sum + txOutSize(out, version, txFormat), FIXED_SIZE);
    const changeSize = txOutSize(change, version, txFormat);
    return {
      feeRate,
      longTermFeeRate: longTermFeeRate(wallet, { ...options, replaceable }),
      costOfChange: feeForSize(discardFeeRate(wallet), spendSize) + feeForSize(feeRate, changeSize),
      fixedFee: feeForSize(feeRate, fixedSize),
    };
  }

  #inputCoin({ wtx, vout }: WalletCoin): InputCoin {
    const out = wtx.tx.vout[vout] as TxOut;
    const foreign = this.plan.wallet.outputsOf(wtx)[vout] === Ownership.Watched;
    return { point: { txid: wtx.tx.txid, vout }, out, inputSize: this.plan.sizes.inputSize(out, foreign) };
  }
}

/** What an eager search wants beyond what is paid, whatever the fee will be: 0.1 DFI. */
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
  const found: InputCoin[] = [];
  for (const point of options.inputs ?? []) {
    const out = wallet.txs.get(point.txid)?.tx.vout[point.vout] ?? options.linked?.get(pointKey(point));
    const inputSize = out && sizes.inputSize(out, false);
    if (!out || inputSize === undefined) return undefined;
    found.push({ point, out, inputSize });
  }
  return found;
}
