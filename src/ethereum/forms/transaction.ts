import type { StoredEntry, StoredReceipt } from '../../dfi/evm/block-columns.js';
import type { StoredBlock } from '../../dfi/evm/blocks.js';
import { decodeUnrecovered, type EvmTransaction, priceCap, type SignedEvmTransaction, signatureV } from '../../evm/codec/transaction.js';
import type { AccessListItem } from '../../evm/execute.js';
import type { EthereumJson, EthereumObject } from '../json.js';
import { formatAddress, formatBytes, formatQuantity, formatWord } from '../values.js';

/** Place and price of a transaction, which it does not contain itself. */
interface Placement {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly transactionIndex: string;
  readonly gasPrice: bigint;
  /** True to omit empty lists, as `defid` does. Clients in Rust cannot read a transaction of type 1 or 2 without its access list. */
  readonly isStrict: boolean;
}

/** Transaction of a block. @param receipt that of the entry @see docs/protocol/evm-engine.md 10.4 */
export function minedForm(block: StoredBlock, index: number, { price }: StoredReceipt, isStrict: boolean): EthereumObject {
  const { raw, hash, sender } = block.entries[index] as StoredEntry;
  return transactionForm(
    { tx: decodeUnrecovered(raw), hash, sender },
    {
      blockHash: formatBytes(block.hash),
      blockNumber: formatQuantity(block.header.number),
      transactionIndex: formatQuantity(index),
      gasPrice: price,
      isStrict,
    },
  );
}

const NO_BLOCK = formatBytes(new Uint8Array(32));

/** Transaction that waits for a block. Its block number is a word, as `defid` writes it. */
export function pendingForm(signed: SignedEvmTransaction, isStrict: boolean): EthereumObject {
  const gasPrice = priceCap(signed.tx);
  return transactionForm(signed, { blockHash: NO_BLOCK, blockNumber: 'null', transactionIndex: '0x0', gasPrice, isStrict });
}

/** Transaction that waits for a block, in the form of other nodes of Ethereum. */
export function waitingForm(signed: SignedEvmTransaction): EthereumObject {
  return { ...pendingForm(signed, false), blockHash: null, blockNumber: null, transactionIndex: null };
}

function transactionForm({ tx, hash, sender }: SignedEvmTransaction, { gasPrice, isStrict, ...placed }: Placement): EthereumObject {
  return {
    blockHash: placed.blockHash,
    blockNumber: placed.blockNumber,
    from: formatAddress(sender),
    gas: formatQuantity(tx.gasLimit),
    gasPrice: formatQuantity(gasPrice),
    hash: formatBytes(hash),
    input: formatBytes(tx.data),
    nonce: formatQuantity(tx.nonce),
    to: tx.to === undefined ? null : formatAddress(tx.to),
    transactionIndex: placed.transactionIndex,
    value: formatQuantity(tx.value),
    v: formatQuantity(signatureV(tx)),
    r: formatWord(tx.signature.r),
    s: formatWord(tx.signature.s),
    type: formatQuantity(tx.type),
    ...feesOf(tx),
    accessList: tx.accessList.length === 0 && (isStrict || tx.type === 0) ? undefined : accessListForm(tx.accessList, isStrict),
    chainId: formatQuantity(tx.chainId ?? 0n),
  };
}

function feesOf(tx: EvmTransaction): EthereumObject {
  if (tx.type !== 2) return {};
  return { maxFeePerGas: formatQuantity(tx.maxFee), maxPriorityFeePerGas: formatQuantity(tx.maxPriorityFee) };
}

/** Addresses and slots that a transaction announces. @param omitsEmpty true to leave out an empty list of slots */
export function accessListForm(list: readonly AccessListItem[], omitsEmpty = false): EthereumJson {
  return list.map(({ address, keys }) => ({
    address: formatAddress(address),
    storageKeys: omitsEmpty && keys.length === 0 ? undefined : keys.map(formatWord),
  }));
}
