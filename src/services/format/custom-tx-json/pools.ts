import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { type Balances, sumTransfers } from '../../../dfi/kernel/amounts.js';
import { readableText } from '../../../dfi/kernel/text.js';
import { type PoolPrice, priceNumber } from '../../../dfi/pools/curve.js';
import { addPoolLiquidity, removePoolLiquidity } from '../../../dfi/pools/liquidity-transactions.js';
import type { Swap } from '../../../dfi/pools/swap.js';
import { compositeSwap, poolSwap } from '../../../dfi/pools/swap-transactions.js';
import { createPoolPair, NO_REWARDS, updatePoolPair } from '../../../dfi/pools/transactions.js';
import { getToken, tokenByCreation } from '../../../dfi/tokens/columns.js';
import { COIN, formatAmount, MAX_MONEY } from '../../../primitives/amount.js';
import { formatHash } from '../../../primitives/hash.js';
import { INT64_MAX } from '../../../util/numbers.js';
import {
  amount,
  amountsById,
  amountText,
  byteTextField,
  type CustomTxJson,
  flag,
  owner,
  type ShowContext,
  shows,
  text,
  texts,
} from './define.js';
import { tokenInfo } from './tokens.js';

/** JSON of the custom transactions of pool pairs, in any order. */
export const poolJson: readonly CustomTxJson[] = [
  shows(createPoolPair, ({ tokenA, tokenB, commission, status, owner: script, rewards }, shown) => [
    text('creationTx', formatHash(shown.tx.txid)),
    ...createdToken(shown),
    ...nameField('tokenA', tokenA, shown),
    ...nameField('tokenB', tokenB, shown),
    amount('commission', commission),
    flag('status', status),
    owner('ownerAddress', script, shown),
    ...rewardField(rewards),
  ]),
  shows(updatePoolPair, ({ commission, status, owner: script, rewards = [] }, shown) => [
    amount('commission', commission),
    flag('status', status),
    owner('ownerAddress', script, shown),
    ...(takesAllRewards(rewards) ? [texts('customRewards', [])] : rewardField(rewards)),
  ]),
  shows(addPoolLiquidity, ({ from, shareAddress }, shown) => {
    const added = sumTransfers(from);
    return added.length === 2 ? [...amountsById(added), owner('shareaddress', shareAddress, shown)] : [];
  }),
  shows(removePoolLiquidity, ({ from, amount: shares }, shown) => [owner('from', from, shown), text('amount', amountText(shares))]),
  shows(poolSwap, swapFields),
  shows(compositeSwap, ({ path, ...swap }, shown) => {
    const dex = path.flatMap((id) => getToken(shown.view, id)?.symbol ?? []).join('/');
    return [...swapFields(swap, shown), ...(dex === '' ? [] : [byteTextField('compositeDex', dex)])];
  }),
];

/** Fields of the pool's own token; none if it was not created yet. */
function createdToken(shown: ShowContext): CustomTxField[] {
  const created = tokenByCreation(shown.view, shown.tx.txid);
  return created ? tokenInfo(created.token, shown) : [];
}

function nameField(name: string, tokenId: number, { view }: ShowContext): CustomTxField[] {
  const token = getToken(view, tokenId);
  return token ? [text(name, readableText(token.name))] : [];
}

/** Field with the rewards above 0; no field if there are none. */
function rewardField(rewards: Balances): CustomTxField[] {
  const paid = rewards.filter((reward) => reward.amount > 0n);
  return paid.length > 0 ? [texts('customRewards', paid.map(amountText))] : [];
}

function takesAllRewards([only, ...others]: Balances): boolean {
  const [all] = NO_REWARDS;
  return others.length === 0 && only?.tokenId === all?.tokenId && only?.amount === all?.amount;
}

function swapFields({ from, tokenFrom, amountFrom, to, tokenTo, maxPrice }: Swap, shown: ShowContext): CustomTxField[] {
  return [
    owner('fromAddress', from, shown),
    text('fromToken', String(tokenFrom)),
    amount('fromAmount', amountFrom),
    owner('toAddress', to, shown),
    text('toToken', String(tokenTo)),
    ...(shown.isMetachain
      ? metachainPrice(maxPrice)
      : [amount('maxPrice', BigInt.asIntN(64, maxPrice.integer * COIN + maxPrice.fraction))]),
  ];
}

/** Price field from Metachain on. `defid` caps prices at or above MAX_MONEY, which mean "no limit". */
function metachainPrice(price: PoolPrice): CustomTxField[] {
  const { integer, fraction } = price;
  const most = MAX_MONEY / COIN;
  if (integer > most || (integer === most && fraction >= MAX_MONEY % COIN)) return [amount('maxPrice', MAX_MONEY)];
  const whole = priceNumber(price);
  return [amount('maxPrice', whole > INT64_MAX ? INT64_MAX : whole), text('maxPriceHighPrecision', formatAmount(whole))];
}
