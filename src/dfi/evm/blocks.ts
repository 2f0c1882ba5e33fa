import type { BlockEntry, BuiltBlock } from '../../evm/block/block-builder.js';
import { encodeEvmTransaction } from '../../evm/codec/transaction.js';
import type { Hash256 } from '../../primitives/hash.js';
import type { StateView, WritableView } from '../../storage/view.js';
import {
  EVM_KEY,
  type EvmPlace,
  type EvmTip,
  evmEntryLists,
  evmHashes,
  evmHeaders,
  evmNumbers,
  evmNumbersByHeight,
  evmPlaces,
  evmReceiptLists,
  evmTips,
  type StoredEntry,
  type StoredHeader,
  type StoredReceipt,
} from './block-columns.js';
import { indexLogs } from './log-index.js';

/** An EVM block as it is stored. */
export interface StoredBlock extends StoredHeader {
  readonly entries: readonly StoredEntry[];
}

/** Place of an EVM block in the chain of DVM blocks. */
export interface BlockHost {
  readonly dvmHeight: number;
  readonly dvmHash: Hash256;
  /** DVM transactions of entries, by index of the entry. System entries have none. */
  readonly txids: ReadonlyMap<number, Hash256>;
}

/** Last EVM block; undefined before the first. */
export function evmTip(view: StateView): EvmTip | undefined {
  return view.get(evmTips, EVM_KEY);
}

/** Header of an EVM block, without its entries. */
export function evmHeader(view: StateView, number: number): StoredHeader | undefined {
  return view.get(evmHeaders, number);
}

/** An EVM block with its entries. */
export function evmBlock(view: StateView, number: number): StoredBlock | undefined {
  const header = evmHeader(view, number);
  return header && { ...header, entries: view.get(evmEntryLists, number) ?? [] };
}

/** Number of an EVM block of the active chain. @param hash 32 bytes in natural order */
export function evmBlockNumber(view: StateView, hash: Uint8Array): number | undefined {
  return view.get(evmNumbers, hash);
}

/** Number of the EVM block within the DVM block at a height; undefined if it has none. */
export function evmBlockNumberAt(view: StateView, dvmHeight: number): number | undefined {
  return view.get(evmNumbersByHeight, dvmHeight);
}

/** Receipts of an EVM block, in the order of its entries; none for unknown numbers. */
export function evmReceipts(view: StateView, number: number): readonly StoredReceipt[] {
  return view.get(evmReceiptLists, number) ?? [];
}

/** Place of an entry. @param hash 32 bytes in natural order */
export function evmTransaction(view: StateView, hash: Uint8Array): EvmPlace | undefined {
  return view.get(evmPlaces, hash);
}

/** Hash of the EVM transaction that a DVM transaction carries. */
export function evmHashOf(view: StateView, txid: Hash256): Uint8Array | undefined {
  return view.get(evmHashes, txid);
}

/** Stores a finished block as the last one. Its number and hash are new, so nothing is stored for them. */
export function putEvmBlock(view: WritableView, { header, hash, entries }: BuiltBlock, { dvmHeight, dvmHash, txids }: BlockHost): void {
  const number = Number(header.number);
  view.put(evmTips, EVM_KEY, { number, hash });
  view.putNew(evmHeaders, number, { hash, dvmHeight, dvmHash, header });
  view.putNew(evmNumbers, hash, number);
  view.putNew(evmNumbersByHeight, dvmHeight, number);
  if (entries.length === 0) return;
  view.putNew(evmEntryLists, number, entries.map(storedEntry));
  const receipts = entries.map(storedReceipt);
  view.putNew(evmReceiptLists, number, receipts);
  indexLogs(view, number, receipts);
  for (const [index, entry] of entries.entries()) {
    const txid = txids.get(index);
    view.put(evmPlaces, entry.hash, { number, index, txid });
    if (txid) view.put(evmHashes, txid, entry.hash);
  }
}

function storedEntry({ tx, hash, sender }: BlockEntry): StoredEntry {
  return { raw: encodeEvmTransaction(tx), hash, sender };
}

function storedReceipt({ receipt, contract, price }: BlockEntry): StoredReceipt {
  return { ...receipt, contract, price };
}
