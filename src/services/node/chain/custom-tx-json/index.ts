import type { CustomTxFields } from '../../../../../gen/ts/dfi/node/v1/tokens.js';
import { decodeBody } from '../../../../dfi/context/custom-tx.js';
import { checkGate } from '../../../../dfi/execution/gate.js';
import { customTxOf } from '../../../../dfi/execution/registry.js';
import { NodeError } from '../../../../util/errors.js';
import { accountJson } from './accounts.js';
import type { CustomTxJson, ShowContext } from './define.js';
import { governanceJson } from './governance.js';
import { icxJson } from './icx.js';
import { loanTokenJson } from './loan-tokens.js';
import { loanJson } from './loans.js';
import { masternodeJson } from './masternodes.js';
import { oracleJson } from './oracles.js';
import { poolJson } from './pools.js';
import { proposalJson } from './proposals.js';
import { tokenJson } from './tokens.js';

/** JSON forms of all messages, by family. Types without a message need no entry. */
export const customTxJson: readonly CustomTxJson[] = [
  masternodeJson,
  tokenJson,
  accountJson,
  oracleJson,
  governanceJson,
  loanTokenJson,
  loanJson,
  poolJson,
  proposalJson,
  icxJson,
].flat();

const byType = new Map(customTxJson.map((entry) => [entry.type, entry]));

/**
 * Fields of a custom transaction's message.
 * @param type its type byte as a letter
 * @throws {TxRejected} if the type is not allowed at the height, or the message cannot be decoded
 */
export function showCustomTx(type: string, body: Uint8Array, shown: ShowContext): CustomTxFields {
  const definition = customTxOf(type);
  const entry = byType.get(type);
  if (!definition) throw new NodeError('misc', `Transactions of type ${type} cannot be shown by this version`);
  checkGate(definition, shown.height, shown.params);
  if (!definition.codec || !entry) return { fields: [] };
  return { fields: entry.show(decodeBody(definition.codec, body), shown) };
}
