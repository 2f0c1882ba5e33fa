import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { readableText } from '../../../dfi/kernel/text.js';
import type { PricePair } from '../../../dfi/oracles/columns.js';
import { appointOracle, type OracleTerms, removeOracle, setOracleData, updateOracle } from '../../../dfi/oracles/transactions.js';
import { formatAmount } from '../../../primitives/amount.js';
import { formatHash } from '../../../primitives/hash.js';
import { byteTextField, type CustomTxJson, number, objects, owner, type ShowContext, shows, text } from './define.js';

/** JSON of the custom transactions of oracles, in any order. */
export const oracleJson: readonly CustomTxJson[] = [
  shows(appointOracle, (terms, shown) => oracleTerms(terms, shown)),
  shows(updateOracle, ({ oracleId, ...terms }, shown) => [text('oracleId', formatHash(oracleId)), ...oracleTerms(terms, shown)]),
  shows(removeOracle, ({ oracleId }) => [text('oracleId', formatHash(oracleId))]),
  shows(setOracleData, ({ oracleId, timestamp, prices }) => [
    text('oracleId', formatHash(oracleId)),
    number('timestamp', timestamp),
    objects(
      'tokenPrices',
      prices.map(({ token, currency, price }) => [
        byteTextField('currency', currency),
        text('tokenAmount', `${formatAmount(price)}@${readableText(token)}`),
      ]),
    ),
  ]),
];

function oracleTerms({ address, weight, pairs }: OracleTerms, shown: ShowContext): CustomTxField[] {
  return [owner('oracleAddress', address, shown), number('weightage', weight), objects('availablePairs', pairs.map(pairFields))];
}

function pairFields({ token, currency }: PricePair): CustomTxField[] {
  return [byteTextField('token', token), byteTextField('currency', currency)];
}
