import { coins } from '../../../chain/coins.js';
import { StoreDamaged } from '../../../storage/errors.js';

/** Stored coin: 2 × height + coinbase as VARINT, amount, script, token id. Reading its parts in place takes a third of decoding it. */
export type CoinRow = Uint8Array;

/** Place of bytes in a row. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

const AMOUNT_BYTES = 8;

/** Place of the amount, little-endian. @throws {StoreDamaged} */
export function amountAt(row: CoinRow): number {
  let at = 0;
  while ((byteAt(row, at) & 0x80) !== 0) at += 1;
  return at + 1;
}

/** Place of the script, and of its length before it. @throws {StoreDamaged} */
export function scriptAt(row: CoinRow, amount = amountAt(row)): Place & { readonly from: number } {
  const from = amount + AMOUNT_BYTES;
  const first = byteAt(row, from);
  const start = from + (first < 253 ? 1 : first === 253 ? 3 : 5);
  const size = first < 253 ? first : first === 253 ? byteAt(row, from + 1) | (byteAt(row, from + 2) << 8) : u32At(row, from + 1);
  if (start + size > row.length) throw damaged();
  return { from, start, end: start + size };
}

/** @throws {StoreDamaged} for a row that is too short */
export function byteAt(row: CoinRow, at: number): number {
  const byte = row[at];
  if (byte === undefined) throw damaged();
  return byte;
}

/** @throws {StoreDamaged} for a row that is too short */
export function u32At(row: CoinRow, at: number): number {
  return (byteAt(row, at) | (byteAt(row, at + 1) << 8) | (byteAt(row, at + 2) << 16) | (byteAt(row, at + 3) << 24)) >>> 0;
}

function damaged(): StoreDamaged {
  return new StoreDamaged(`unreadable record in column ${coins.name}`);
}
