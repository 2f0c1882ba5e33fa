import type { StoredEntry, StoredReceipt } from '../../dfi/evm/block-columns.js';
import type { StoredBlock } from '../../dfi/evm/blocks.js';
import { bloomInSteps } from '../../evm/codec/bloom.js';
import { decodeUnrecovered } from '../../evm/codec/transaction.js';
import type { Log } from '../../evm/state/transaction-state.js';
import { eachInSteps, type Steps, UnitCount } from '../../util/slicer.js';
import type { EthereumObject } from '../json.js';
import { formatAddress, formatBytes, formatQuantity, formatWord } from '../values.js';

/** Place of a log. */
export interface LogPlace {
  readonly blockNumber: number;
  /** Hash of the block in hex with `0x`. */
  readonly blockHash: string;
  readonly transactionHash: Uint8Array;
  readonly transactionIndex: number;
  /** Index within the block. */
  readonly logIndex: number;
}

/** Log of an executed transaction. @see docs/protocol/evm-engine.md 10.4 */
export function logForm({ address, topics, data }: Log, place: LogPlace): EthereumObject {
  return {
    address: formatAddress(address),
    topics: topics.map(formatWord),
    data: formatBytes(data),
    blockNumber: formatQuantity(place.blockNumber),
    transactionHash: formatBytes(place.transactionHash),
    transactionIndex: formatQuantity(place.transactionIndex),
    blockHash: place.blockHash,
    logIndex: formatQuantity(place.logIndex),
    removed: false,
  };
}

/** Forms of logs, which may be all that the gas of a block pays for, with points of interruption. */
export function* logForms<T>(logs: readonly T[], formOf: (log: T, index: number) => EthereumObject): Steps<EthereumObject[]> {
  const forms: EthereumObject[] = [];
  yield* eachInSteps(logs, (log) => forms.push(formOf(log, forms.length)), new UnitCount());
  return forms;
}

/** Receipt of an entry. @param receipts those of all entries of the block */
export function* receiptForm(block: StoredBlock, receipts: readonly StoredReceipt[], index: number): Steps<EthereumObject> {
  const { raw, hash, sender } = block.entries[index] as StoredEntry;
  const { isSuccess, usedGas, logs, contract, price } = receipts[index] as StoredReceipt;
  const { to, type } = decodeUnrecovered(raw);
  const before = receipts.slice(0, index);
  const firstLog = before.reduce((count, receipt) => count + receipt.logs.length, 0);
  const gasBefore = before.reduce((gas, receipt) => gas + receipt.usedGas, 0n);
  const blockHash = formatBytes(block.hash);
  const blockNumber = Number(block.header.number);
  const logOf = (log: Log, i: number): EthereumObject =>
    logForm(log, { blockNumber, blockHash, transactionHash: hash, transactionIndex: index, logIndex: firstLog + i });
  return {
    blockHash,
    blockNumber: formatQuantity(blockNumber),
    contractAddress: contract === undefined ? null : formatAddress(contract),
    cumulativeGasUsed: formatQuantity(gasBefore + usedGas),
    effectiveGasPrice: formatQuantity(price),
    from: formatAddress(sender),
    gasUsed: formatQuantity(usedGas),
    logs: yield* logForms(logs, logOf),
    logsBloom: formatBytes(yield* bloomInSteps(logs)),
    status: formatQuantity(isSuccess ? 1 : 0),
    to: to === undefined ? null : formatAddress(to),
    transactionHash: formatBytes(hash),
    transactionIndex: formatQuantity(index),
    type: formatQuantity(type),
  };
}
