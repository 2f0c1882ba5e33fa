import type { BlockIndexEntry } from '../../chain/block-index.js';
import { formatAmount } from '../../primitives/amount.js';
import { formatHash, HASH_DIGITS, parseHash256 } from '../../primitives/hash.js';
import { type Transaction, TX_VERSION_TOKENS, type TxOut, transactionWeight, virtualSize } from '../../primitives/transaction.js';
import { equalBytes, isHex } from '../../util/bytes.js';
import type { OceanModules } from '../modules.js';
import { blockRef } from './block-ref.js';
import { hex8 } from './numbers.js';

/** Transaction of the active chain with its place. */
export interface ConfirmedTx {
  readonly tx: Transaction;
  /** Index in the block. */
  readonly order: number;
  readonly entry: BlockIndexEntry;
}

/** Confirmed transaction with that txid; undefined for any other text, and for transactions of the mempool. */
export function confirmedTx({ chain, txIndex }: Pick<OceanModules, 'chain' | 'txIndex'>, text: string): ConfirmedTx | undefined {
  if (text.length !== HASH_DIGITS || !isHex(text)) return undefined;
  const txid = parseHash256(text);
  const { genesis } = chain.params;
  const inGenesis = genesis.transactions.findIndex((tx) => equalBytes(tx.txid, txid));
  const place = inGenesis >= 0 ? { blockHash: genesis.hash, txid, position: inGenesis } : txIndex?.find(txid);
  const entry = place && chain.entry(place.blockHash);
  // The index of transactions also has those of disconnected blocks.
  const tx = place && entry?.isActive ? chain.transaction(entry, place) : undefined;
  return tx && entry && { tx, order: place.position, entry };
}

/** @param order index in the block @see docs/protocol/ocean.md 2.13 */
export function shownTransaction(tx: Transaction, order: number, entry: BlockIndexEntry) {
  const txid = formatHash(tx.txid);
  return {
    id: txid,
    txid,
    order,
    block: blockRef(entry),
    hash: formatHash(tx.wtxid),
    version: tx.version,
    size: tx.raw.length,
    vSize: virtualSize(tx),
    weight: transactionWeight(tx),
    lockTime: tx.lockTime,
    vinCount: tx.vin.length,
    voutCount: tx.vout.length,
    totalVoutValue: formatAmount(tx.vout.reduce((sum, { value }) => sum + value, 0n)),
  };
}

/** Id of an output in lists. @param txid in display order */
export function outputId(txid: string, vout: number): string {
  return `${txid}${hex8(vout)}`;
}

/** Token of an output; undefined for transactions of a version without token ids. */
export function tokenOf({ version }: Pick<Transaction, 'version'>, { tokenId }: Pick<TxOut, 'tokenId'>): number | undefined {
  return version >= TX_VERSION_TOKENS ? tokenId : undefined;
}
