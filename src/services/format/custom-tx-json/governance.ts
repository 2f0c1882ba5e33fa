import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import {
  clearGovHeights,
  type GivenVariable,
  type Removals,
  setGovVariable,
  setGovVariableHeight,
  unsetGovVariable,
  unsetGovVariableHeight,
} from '../../../dfi/governance/transactions.js';
import { inTableOrder } from '../../../dfi/governance/variable-order.js';
import { isVariableName } from '../../../dfi/governance/variables.js';
import { readableText } from '../../../dfi/kernel/text.js';
import { formatVariable } from '../governance-value.js';
import { type CustomTxJson, number, type ShowContext, shows, texts, variable } from './define.js';

/** JSON of the custom transactions of governance variables, in any order. */
export const governanceJson: readonly CustomTxJson[] = [
  shows(setGovVariable, (given, shown) => inTableOrder(given).flatMap((each) => givenVariable(each, shown))),
  shows(setGovVariableHeight, ({ variable: given, startHeight }, shown) => [
    ...givenVariable(given, shown),
    number('startHeight', startHeight),
  ]),
  shows(unsetGovVariable, (removals) => removed(removals)),
  shows(unsetGovVariableHeight, ({ removals, unsetHeight }) => [...removed(removals), number('unsetHeight', unsetHeight)]),
  shows(clearGovHeights, () => []),
];

/** Field of the variable; none for an unknown name. */
function givenVariable(given: GivenVariable, shown: ShowContext): CustomTxField[] {
  return given.value === undefined || !isVariableName(given.name) ? [] : [variable(given.name, formatVariable(given, shown))];
}

function removed(removals: Removals): CustomTxField[] {
  return removals.map(({ name, keys }) => texts(readableText(name), keys.map(readableText)));
}
