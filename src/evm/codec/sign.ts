import { signCompact } from '../../crypto/ecdsa.js';
import { keccak256 } from '../../crypto/keccak.js';
import { readWord, WORD_SIZE } from '../words.js';
import {
  type AccessListTransaction,
  type EvmTransaction,
  encodeUnsigned,
  type FeeMarketTransaction,
  type LegacyTransaction,
} from './transaction.js';

/** Transaction of any kind without its signature. */
export type UnsignedEvmTransaction =
  | Omit<LegacyTransaction, 'signature'>
  | Omit<AccessListTransaction, 'signature'>
  | Omit<FeeMarketTransaction, 'signature'>;

const NO_SIGNATURE = { parity: 0, r: 0n, s: 0n };
/** Header byte of a compact signature by an uncompressed key, for parity 0. */
const FIRST_HEADER = 27;

/** Signs a transaction; the same key and transaction always give the same signature. @see RFC 6979 */
export function signEvmTransaction(unsigned: UnsignedEvmTransaction, secretKey: Uint8Array): EvmTransaction {
  const bare: EvmTransaction = { ...unsigned, signature: NO_SIGNATURE };
  const compact = signCompact(keccak256(encodeUnsigned(bare)), secretKey, false);
  const parity = (compact[0] ?? 0) - FIRST_HEADER;
  return { ...bare, signature: { parity, r: readWord(compact, 1), s: readWord(compact, 1 + WORD_SIZE) } };
}
