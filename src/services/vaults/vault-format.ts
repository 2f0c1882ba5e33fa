import type { Vault as ShownVault, VaultValue } from '../../../gen/ts/dfi/node/v1/vaults.js';
import { isTokenLocked } from '../../dfi/attributes/features.js';
import type { TokenAmount } from '../../dfi/kernel/amounts.js';
import type { ReadContext } from '../../dfi/kernel/block-context.js';
import { multiplyAmounts } from '../../dfi/kernel/math.js';
import { readableText } from '../../dfi/kernel/text.js';
import { getLoanToken } from '../../dfi/loan-tokens/columns.js';
import { type Interest, loansOf } from '../../dfi/loans/columns.js';
import { addInterest, interestRate, NO_INTEREST, totalInterest } from '../../dfi/loans/interest.js';
import { collateralRatio, preciseRatio } from '../../dfi/loans/ratio.js';
import type { PricePair } from '../../dfi/oracles/columns.js';
import { findFixedPrice } from '../../dfi/oracles/fixed-prices.js';
import { collateralOf, type Vault } from '../../dfi/vaults/columns.js';
import { isActive } from '../../params/network.js';
import { COIN, formatAmount } from '../../primitives/amount.js';
import { formatHash, type Hash256 } from '../../primitives/hash.js';
import type { StateView } from '../../storage/view.js';
import { formatTokenAmount, tokenSymbol } from '../format/amounts.js';
import { formatInterest } from '../format/interest.js';
import { formatOwner } from '../format/owner.js';
import { assetsIfAny, type VaultState } from './state.js';

/** Shown instead of numbers while a token of the vault is locked. */
const LOCKED = -1;

/**
 * Vault that is not under liquidation. Values are for the block after the tip, the state is that of the tip.
 * @param tip context at the height of the tip
 */
export function formatVault(tip: ReadContext, vaultId: Hash256, vault: Vault, state: VaultState, verbose: boolean): ShownVault {
  const { view, params } = tip;
  const next = { ...tip, height: tip.height + 1 };
  const assets = assetsIfAny(next, vaultId, { useNext: false, requireLive: state !== 'frozen' });
  const loans = openLoans(tip, vaultId);
  const collateral = collateralOf(view, vaultId) ?? [];
  const isLocked = [...collateral, ...loans].some(({ tokenId }) => isTokenLocked(view, tokenId));
  const owed = loans.filter(({ amount, interest }) => amount + interest > 0n);
  const hasLoans = loansOf(view, vaultId) !== undefined;
  const shown = (value: bigint | undefined): VaultValue => formatValue(value, isLocked);
  return {
    vaultid: formatHash(vaultId),
    loanschemeid: readableText(vault.scheme),
    owneraddress: formatOwner(vault.owner, params),
    state,
    collateralamounts: collateral.map((amount) => formatTokenAmount(view, amount)),
    loanamounts: owed.map(({ tokenId, amount, interest }) => formatTokenAmount(view, { tokenId, amount: amount + interest })),
    interestamounts: owed.map(({ tokenId, interest }) => formatTokenAmount(view, { tokenId, amount: interest })),
    collateralvalue: shown(assets?.totalCollaterals),
    loanvalue: shown(assets?.totalLoans),
    interestvalue: shown(hasLoans ? owed.reduce((sum, { price = 0n, interest }) => sum + multiplyAmounts(price, interest), 0n) : undefined),
    informativeratio: shown(assets && preciseRatio(assets)),
    collateralratio: isLocked ? LOCKED : assets ? shownRatio(assets) : 0,
    ...(verbose ? verboseParts(next, vaultId, state, owed, isLocked) : NOT_VERBOSE),
  };
}

/** Value as shown: -1 while a token is locked, 0 if there is nothing to value. @param value satoshis; undefined if there is nothing to value */
function formatValue(value: bigint | undefined, isLocked: boolean): VaultValue {
  if (isLocked || value === undefined) return { form: { $case: 'plain', value: isLocked ? LOCKED : 0 } };
  return { form: { $case: 'amount', value } };
}

/** Ratio in percent as signed 32-bit number: a vault without loans shows -1. */
export function shownRatio(assets: Parameters<typeof collateralRatio>[0]): number {
  return collateralRatio(assets) | 0;
}

const NOT_VERBOSE = { nextcollateralratio: undefined, interestperblockvalue: undefined, interestsperblock: undefined };

interface OpenLoan extends TokenAmount {
  /** Satoshis, including the block after the tip. */
  readonly interest: bigint;
  readonly perBlock: Interest;
  /** Active price; undefined if there is none. */
  readonly price: bigint | undefined;
}

function openLoans(tip: ReadContext, vaultId: Hash256): OpenLoan[] {
  const { view, height, params } = tip;
  return (loansOf(view, vaultId) ?? []).flatMap(({ tokenId, amount }) => {
    const token = getLoanToken(view, tokenId);
    const rate = interestRate(view, { vaultId, tokenId }, tip);
    if (!token || !rate) return [];
    const interest = totalInterest(rate, { height: height + 1, params });
    return [{ tokenId, amount, interest, perBlock: rate.perBlock, price: activePrice(view, token.pair) }];
  });
}

function activePrice(view: StateView, pair: PricePair): bigint | undefined {
  return findFixedPrice(view, pair)?.active;
}

function verboseParts(
  next: ReadContext,
  vaultId: Hash256,
  state: VaultState,
  owed: readonly OpenLoan[],
  isLocked: boolean,
): Pick<ShownVault, keyof typeof NOT_VERBOSE> {
  const assets = assetsIfAny(next, vaultId, { useNext: true, requireLive: state !== 'frozen' });
  const isPrecise = isActive(next.params, 'fortCanningHill', next.height - 1);
  return {
    nextcollateralratio: assets && shownRatio(assets),
    interestperblockvalue: {
      form: isLocked
        ? { $case: 'plain', value: LOCKED }
        : isPrecise
          ? { $case: 'text', value: formatInterest(preciseValue(owed)) }
          : { $case: 'amount', value: owed.reduce((sum, { price = 0n, perBlock }) => sum + multiplyAmounts(price, perBlock.amount), 0n) },
    },
    interestsperblock: { texts: isPrecise && isLocked ? [] : owed.flatMap((loan) => formatPerBlock(next.view, loan, isPrecise)) },
  };
}

/** Interest of all loans per block, in USD. */
function preciseValue(owed: readonly OpenLoan[]): Interest {
  return owed.reduce((sum, { price = 0n, perBlock: { negative, amount } }) => {
    return addInterest(sum, { negative, amount: BigInt.asUintN(128, price * amount) / COIN });
  }, NO_INTEREST);
}

function formatPerBlock(view: StateView, { tokenId, price, perBlock }: OpenLoan, isPrecise: boolean): string[] {
  if (price === undefined) return [];
  return [`${isPrecise ? formatInterest(perBlock) : formatAmount(perBlock.amount)}@${tokenSymbol(view, tokenId)}`];
}
