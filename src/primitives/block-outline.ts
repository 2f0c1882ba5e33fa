import { writeSha256d } from '../crypto/hash.js';
import type { Steps } from '../util/slicer.js';
import { type Block, type BlockSizes, blockSizes, sizesOf } from './block.js';
import { ByteReader, compactSize, DecodeError, decode } from './codec.js';
import { HASH_BYTES, type Hash256 } from './hash.js';
import { type BlockHeader, blockHash, blockHeader } from './header.js';
import { hasWitness, type Transaction, type TxFormat, transaction } from './transaction.js';
import { TransactionScanner, type TransactionWatch } from './transaction-scan.js';

/** A block without the fields of its transactions. It is read in a quarter of the time of the block, and takes little memory. */
export interface BlockOutline {
  readonly header: BlockHeader;
  readonly hash: Hash256;
  readonly coinbase: Transaction;
  /** Txids in the order of the block, 32 bytes each. */
  readonly txids: Buffer;
  readonly sizes: BlockSizes;
  /** True if a transaction has a witness. */
  readonly hasWitness: boolean;
  /** Leaves of the tree of witness ids, if they were asked for: null for the coinbase, then the wtxids, 32 bytes each. */
  readonly witnessLeaves?: Buffer | undefined;
  /** True if the watch found something; undefined without a watch. */
  readonly isFound?: boolean | undefined;
}

/** Parts of an outline that are left out by default. */
export interface OutlineOptions {
  readonly witnessLeaves?: boolean;
  readonly watch?: TransactionWatch;
}

export function outlineOf(block: Block): BlockOutline {
  const { header, hash, transactions } = block;
  const txids = Buffer.allocUnsafe(transactions.length * HASH_BYTES);
  for (const [i, { txid }] of transactions.entries()) txids.set(txid, i * HASH_BYTES);
  return {
    header,
    hash,
    coinbase: transactions[0] as Transaction,
    txids,
    sizes: blockSizes(block),
    hasWitness: transactions.some(hasWitness),
  };
}

/** Transactions scanned between two yields. */
const TRANSACTIONS_AT_ONCE = 128;
/** Bytes of the shortest transaction. */
const SHORTEST = 10;

/**
 * Reads the outline of a serialised block. Bytes that are no block may have one too.
 * @param options parts that it is to contain too
 * @throws {DecodeError} if the bytes have none
 */
export function* readOutline(bytes: Uint8Array, format: TxFormat, options: OutlineOptions = {}): Steps<BlockOutline> {
  const { watch } = options;
  const r = new ByteReader(bytes);
  const header = blockHeader.read(r);
  const count = compactSize.read(r);
  if (count === 0 || count * SHORTEST > r.remaining) throw new DecodeError(`${count} transactions in ${r.remaining} bytes`);
  const txids = Buffer.allocUnsafe(count * HASH_BYTES);
  const witnessLeaves = options.witnessLeaves ? Buffer.alloc(count * HASH_BYTES) : undefined;
  const start = r.position;
  const scanner = new TransactionScanner(bytes, start, format, true, watch);
  let coinbaseEnd = start;
  let strippedSize = start;
  let anyWitness = false;
  let isFound = false;
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % TRANSACTIONS_AT_ONCE === 0) yield;
    if (!scanner.next()) throw new DecodeError('end of data');
    const at = i * HASH_BYTES;
    writeSha256d(scanner.stripped(), txids, at);
    if (watch && !isFound) isFound = scanner.isFound || watch.wantsTxid(txids, at);
    if (i === 0) coinbaseEnd = scanner.at;
    else if (!scanner.hasWitnesses) witnessLeaves?.set(txids.subarray(at, at + HASH_BYTES), at);
    else if (witnessLeaves) writeSha256d(bytes.subarray(scanner.start, scanner.at), witnessLeaves, at);
    anyWitness ||= scanner.hasWitnesses;
    strippedSize += scanner.strippedSize;
  }
  const size = bytes.length;
  if (scanner.at !== size) throw new DecodeError(`excess ${size - scanner.at} bytes`);
  return {
    header,
    hash: blockHash(header),
    coinbase: decode(transaction(format), bytes.subarray(start, coinbaseEnd)),
    txids,
    sizes: sizesOf(size, strippedSize),
    hasWitness: anyWitness,
    witnessLeaves,
    isFound: watch && isFound,
  };
}

/** Txids as views of the outline. */
export function txidsOf({ txids }: BlockOutline): Hash256[] {
  return Array.from({ length: txids.length / HASH_BYTES }, (_, i) => txids.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
}
