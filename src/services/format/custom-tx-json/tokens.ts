import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { hasFlag, type TokenFields } from '../../../dfi/tokens/columns.js';
import { tokenLockRelease } from '../../../dfi/tokens/lock-transactions.js';
import { burnToken, createToken, mintToken } from '../../../dfi/tokens/transactions.js';
import { updateToken, updateTokenAny } from '../../../dfi/tokens/updates.js';
import { formatAmount } from '../../../primitives/amount.js';
import { formatHash } from '../../../primitives/hash.js';
import { amountsById, byteTextField, type CustomTxJson, flag, owner, type ShowContext, shows, text } from './define.js';

const BURN_TYPE = 0;

/** JSON of the custom transactions of tokens, in any order. */
export const tokenJson: readonly CustomTxJson[] = [
  shows(createToken, (fields, shown) => [text('creationTx', formatHash(shown.tx.txid)), ...tokenInfo(fields, shown)]),
  shows(updateToken, ({ isDat }) => [flag('isDAT', isDat)]),
  shows(updateTokenAny, ({ token, newCollateral = false }, shown) => [
    ...tokenInfo(token, shown),
    ...(shown.isMetachain ? [flag('newCollateralAddress', newCollateral)] : []),
  ]),
  shows(mintToken, ({ balances, to }, shown) => [...amountsById(balances), owner('to', to, shown)]),
  shows(burnToken, ({ amounts, from, burnType, context }, shown) => [
    ...amountsById(amounts),
    owner('from', from, shown),
    text('type', burnType === BURN_TYPE ? 'TokenBurn' : 'Unexpected'),
    ...(context && context.length > 0 ? [owner('context', context, shown)] : []),
  ]),
  shows(tokenLockRelease, ({ part }) => [text('releasePart', formatAmount(part))]),
];

/** Fields of a token as its creator set them. */
export function tokenInfo(token: TokenFields, { isMetachain }: Pick<ShowContext, 'isMetachain'>): CustomTxField[] {
  return [
    byteTextField('name', token.name),
    byteTextField('symbol', token.symbol),
    flag('isDAT', hasFlag(token, 'dat')),
    flag('mintable', hasFlag(token, 'mintable')),
    flag('tradeable', hasFlag(token, 'tradeable')),
    flag('finalized', hasFlag(token, 'finalized')),
    ...(isMetachain ? [flag('deprecated', hasFlag(token, 'deprecated'))] : []),
  ];
}
