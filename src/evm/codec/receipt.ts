import { concatBytes } from '../../util/bytes.js';
import type { Log } from '../state/transaction-state.js';
import { addressBytes, encodeInteger, wordBytes } from '../words.js';
import { encodeRlp, type Rlp } from './rlp.js';

/** Type byte of the receipts of all executed transactions, whatever their own type. */
const EXECUTED_TYPE = 2;

/** Receipt as the root of a block commits to it. @see docs/protocol/evm-engine.md 6.5 */
export interface Receipt {
  readonly isSuccess: boolean;
  /** Gas of this transaction alone. */
  readonly usedGas: bigint;
  readonly logs: readonly Log[];
  /** True for entries of the node itself: deployments and updates of contracts. */
  readonly isSystem: boolean;
}

/** Bytes that the receipts root commits to. @param bloom filter of the logs */
export function encodeReceipt({ isSuccess, usedGas, logs, isSystem }: Receipt, bloom: Uint8Array): Uint8Array {
  const body = encodeRlp([encodeInteger(isSuccess ? 1n : 0n), encodeInteger(usedGas), bloom, logs.map(logItem)]);
  return isSystem ? body : concatBytes(Uint8Array.of(EXECUTED_TYPE), body);
}

function logItem({ address, topics, data }: Log): Rlp {
  return [addressBytes(address), topics.map(wordBytes), data];
}
