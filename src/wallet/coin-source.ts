import { feeForSize } from '../mempool/fee-rate.js';
import { COIN } from '../primitives/amount.js';
import { type TxOut, txOutSize } from '../primitives/transaction.js';
import type { BuildPlan } from './build-plan.js';
import { isEager, skipsSolvable } from './coin-search.js';
import type { InputCoin } from './coin-selection.js';
import { availableCoins, type WalletCoin } from './coins.js';
import { discardFeeRate, longTermFeeRate } from './fees.js';
import { chooseCoins, type ExactCosts, type Funding } from './funding.js';
import { Ownership } from './ownership.js';
import { pointKey } from './transactions.js';

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

/** The coins that one transaction can be made of: those it was told to spend, and what else the wallet has. */
export class CoinSource {
  readonly #available: readonly WalletCoin[];

  constructor(private readonly plan: BuildPlan) {
    this.#available = availableFor(plan);
  }

  /** @returns undefined if there are not enough, or one that was asked for is not known */
  choose({ target, vout, exact, feeRate }: CoinDemand): Funding | undefined {
    const { wallet, options, random } = this.plan;
    const preset = this.#preset();
    if (!preset) return undefined;
    if (options.inputs?.length && options.addsInputs === false) {
      const total = preset.reduce((sum, { out }) => sum + out.value, 0n);
      return total >= target ? { coins: preset, isExact: false } : undefined;
    }
    const groupByAddress = options.avoidPartialSpends ?? wallet.deps.settings.avoidPartialSpends;
    const costs = exact ? this.#exactCosts(vout, feeRate) : undefined;
    const request = { target, coins: this.#available, preset, exact: costs, groupByAddress };
    return chooseCoins(wallet, request, random, (coin) => this.#inputCoin(coin));
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

  /** Inputs that were asked for. @returns undefined if the wallet does not know one of them, or how to spend it */
  #preset(): InputCoin[] | undefined {
    const { wallet, options, sizes } = this.plan;
    const found: InputCoin[] = [];
    for (const point of options.inputs ?? []) {
      const out = wallet.txs.get(point.txid)?.tx.vout[point.vout] ?? options.linked?.get(pointKey(point));
      const inputSize = out && sizes.inputSize(out, false);
      if (!out || inputSize === undefined) return undefined;
      found.push({ point, out, inputSize });
    }
    return found;
  }

  #inputCoin({ wtx, vout }: WalletCoin): InputCoin {
    const out = wtx.tx.vout[vout] as TxOut;
    const foreign = this.plan.wallet.outputsOf(wtx)[vout] === Ownership.Watched;
    return { point: { txid: wtx.tx.txid, vout }, out, inputSize: this.plan.sizes.inputSize(out, foreign) };
  }
}

/** What an eager search wants beyond what is paid, whatever the fee will be: 0.1 DFI. */
const EAGER_MARGIN = COIN / 10n;

function availableFor({ wallet, options, recipients }: BuildPlan): WalletCoin[] {
  const { spendWatched = false, avoidReuse = false, minDepth = 0, from: script, coinSearch = wallet.deps.settings.coinSearch } = options;
  const eager = isEager(coinSearch);
  const query = {
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
  };
  return availableCoins(wallet, query).filter(({ spendable }) => spendable);
}
