import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { readableText } from '../../../dfi/kernel/text.js';
import { type SetLoanToken, setCollateralToken, setLoanToken, updateLoanToken } from '../../../dfi/loan-tokens/transactions.js';
import type { PricePair } from '../../../dfi/oracles/columns.js';
import { formatHash } from '../../../primitives/hash.js';
import { amount, byteTextField, type CustomTxJson, flag, shows, signedNumber, symbolField, text } from './define.js';

/** JSON of the custom transactions of loan and collateral tokens, in any order. */
export const loanTokenJson: readonly CustomTxJson[] = [
  shows(setCollateralToken, ({ tokenId, factor, pair, activateAfterBlock }, shown) => [
    ...symbolField('token', tokenId, shown),
    amount('factor', factor),
    priceField(pair),
    ...(activateAfterBlock > 0 ? [signedNumber('activateAfterBlock', activateAfterBlock)] : []),
  ]),
  shows(setLoanToken, loanToken),
  shows(updateLoanToken, ({ tokenTx, ...fields }) => [text('id', formatHash(tokenTx)), ...loanToken(fields)]),
];

function loanToken({ symbol, name, pair, mintable, interest }: SetLoanToken): CustomTxField[] {
  return [
    byteTextField('symbol', symbol),
    byteTextField('name', name),
    priceField(pair),
    flag('mintable', mintable),
    amount('interest', interest),
  ];
}

function priceField({ token, currency }: PricePair): CustomTxField {
  return text('fixedIntervalPriceId', `${readableText(token)}/${readableText(currency)}`);
}
