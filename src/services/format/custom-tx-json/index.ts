import type { CustomTxFields } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { decodeBody } from '../../../dfi/context/custom-tx.js';
import type { Classified } from '../../../dfi/execution/classify.js';
import { checkGate } from '../../../dfi/execution/gate.js';
import { customTxOf } from '../../../dfi/execution/registry.js';
import { TxRejected } from '../../../dfi/kernel/rejected.js';
import { NodeError } from '../../../util/errors.js';
import { accountJson } from './accounts.js';
import type { CustomTxJson, ShowContext } from './define.js';
import { evmJson } from './evm.js';
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
  evmJson,
].flat();

const byType = new Map(customTxJson.map((entry) => [entry.type, entry]));

/** Height for decoding transactions outside the chain: above every upgrade. */
export const ANY_HEIGHT = 2 ** 31 - 1;

/** Transaction with a custom part. */
export type CustomPart = Exclude<Classified, { kind: 'none' }>;

/** Name of the type. A marker without a known type byte counts as type "Reject". */
export function customTxName(found: CustomPart): string {
  return found.kind === 'custom' ? found.type.name : 'Reject';
}

/** Fields of a custom transaction's message, or the reason for which it has none. */
export function describeCustomTx(
  found: CustomPart,
  shown: ShowContext,
): { readonly error?: string; readonly results: CustomTxFields | undefined } {
  if (found.kind !== 'custom') return { results: { fields: [] } };
  try {
    return { results: showCustomTx(found.type.type, found.body, shown) };
  } catch (error) {
    if (error instanceof TxRejected) return { error: error.message, results: undefined };
    throw error;
  }
}

/**
 * Fields of a custom transaction's message.
 * @param type its type byte as a letter
 * @throws {TxRejected} if the type is not allowed at the height, or the message cannot be decoded
 */
function showCustomTx(type: string, body: Uint8Array, shown: ShowContext): CustomTxFields {
  const definition = customTxOf(type);
  const entry = byType.get(type);
  if (!definition) throw new NodeError('misc', `Transactions of type ${type} cannot be shown by this version`);
  checkGate(definition, shown.height, shown.params);
  if (!definition.codec || !entry) return { fields: [] };
  return { fields: entry.show(decodeBody(definition.codec, body), shown) };
}
