import type { EvmBlock, EvmLog, EvmReceipt, EvmTransaction } from '../../../gen/ts/dfi/evm/v1/evm.js';
import type { StoredEntry, StoredReceipt } from '../../dfi/evm/block-columns.js';
import type { StoredBlock } from '../../dfi/evm/blocks.js';
import { formatAddress, formatBytes, formatQuantity, formatWord } from '../../ethereum/values.js';
import { decodeUnrecovered, signatureV } from '../../evm/codec/transaction.js';
import type { Log } from '../../evm/state/transaction-state.js';
import { formatHash } from '../../primitives/hash.js';

/** A block. */
export function blockMessage({ header, hash, dvmHeight, dvmHash, entries }: StoredBlock): EvmBlock {
  return {
    number: Number(header.number),
    hash: formatBytes(hash),
    parentHash: formatBytes(header.parentHash),
    height: dvmHeight,
    blockhash: formatHash(dvmHash),
    beneficiary: formatBytes(header.beneficiary),
    stateRoot: formatBytes(header.stateRoot),
    transactionsRoot: formatBytes(header.transactionsRoot),
    receiptsRoot: formatBytes(header.receiptsRoot),
    logsBloom: formatBytes(header.logsBloom),
    difficulty: Number(header.difficulty),
    gasLimit: header.gasLimit,
    gasUsed: header.gasUsed,
    timestamp: header.timestamp,
    extraData: formatBytes(header.extraData),
    baseFee: String(header.baseFee),
    transactions: entries.map((entry) => formatBytes(entry.hash)),
  };
}

/** The transaction at an index of a block. */
export function transactionMessage(block: StoredBlock, index: number, { price }: StoredReceipt): EvmTransaction {
  const { raw, hash, sender } = block.entries[index] as StoredEntry;
  const tx = decodeUnrecovered(raw);
  return {
    hash: formatBytes(hash),
    ...placeOf(block, index),
    from: formatAddress(sender),
    to: tx.to === undefined ? undefined : formatAddress(tx.to),
    nonce: BigInt.asUintN(64, tx.nonce),
    value: String(tx.value),
    gasLimit: atMostU64(tx.gasLimit),
    gasPrice: String(price),
    maxFee: tx.type === 2 ? String(tx.maxFee) : undefined,
    maxPriorityFee: tx.type === 2 ? String(tx.maxPriorityFee) : undefined,
    input: formatBytes(tx.data),
    type: tx.type,
    chainId: tx.chainId ?? 0n,
    accessList: tx.accessList.map(({ address, keys }) => ({ address: formatAddress(address), keys: keys.map(formatWord) })),
    v: formatQuantity(signatureV(tx)),
    r: formatWord(tx.signature.r),
    s: formatWord(tx.signature.s),
  };
}

/** The receipt at an index of a block. @param receipts those of the whole block */
export function receiptMessage(block: StoredBlock, receipts: readonly StoredReceipt[], index: number): EvmReceipt {
  const { isSuccess, usedGas, price, contract, logs } = receipts[index] as StoredReceipt;
  const before = receipts.slice(0, index);
  const firstLog = before.reduce((count, receipt) => count + receipt.logs.length, 0);
  return {
    transactionHash: formatBytes((block.entries[index] as StoredEntry).hash),
    ...placeOf(block, index),
    success: isSuccess,
    gasUsed: usedGas,
    cumulativeGasUsed: before.reduce((gas, receipt) => gas + receipt.usedGas, usedGas),
    gasPrice: String(price),
    contract: contract === undefined ? undefined : formatAddress(contract),
    logs: logs.map((log, i) => logMessage(block, log, index, firstLog + i)),
  };
}

/** A log. @param entry index of the transaction @param index that of the log within the block */
export function logMessage(block: StoredBlock, { address, topics, data }: Log, entry: number, index: number): EvmLog {
  return {
    address: formatAddress(address),
    topics: topics.map(formatWord),
    data: formatBytes(data),
    transactionHash: formatBytes((block.entries[entry] as StoredEntry).hash),
    ...placeOf(block, entry),
    logIndex: index,
  };
}

function placeOf({ header, hash }: StoredBlock, transactionIndex: number) {
  return { blockNumber: Number(header.number), blockHash: formatBytes(hash), transactionIndex };
}

/** Gas counts of this size are the same as unlimited gas. */
export function atMostU64(gas: bigint): bigint {
  const most = (1n << 64n) - 1n;
  return gas < most ? gas : most;
}
