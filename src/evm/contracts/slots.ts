import { keccak256 } from '../../crypto/keccak.js';
import { concatBytes } from '../../util/bytes.js';
import { readWord, WORD_SIZE, wordBytes } from '../words.js';

/** Slot of a proxy with the address of its implementation. @see EIP-1967 */
export const IMPLEMENTATION: bigint = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn;
/** Slots of a token contract. @see docs/protocol/evm-engine.md 7.3 */
export const Dst20Slot = { balances: 0n, allowances: 1n, totalSupply: 2n, name: 3n, symbol: 4n } as const;
/** Slot of the transfer domain contract with the DFI in the EVM, wei. */
export const TRANSFER_DOMAIN_SUPPLY = 1n;
/** Slots of the intrinsics contract. */
export const IntrinsicsSlot = { version: 0n, evmBlocks: 1n, dvmBlocks: 2n } as const;

/** Slot of a key in a mapping. */
export function mappingSlot(mapping: bigint, key: bigint): bigint {
  return readWord(keccak256(concatBytes(wordBytes(key), wordBytes(mapping))), 0);
}

/** Slot of a pair of keys in a mapping of mappings. */
export function nestedSlot(mapping: bigint, outer: bigint, inner: bigint): bigint {
  return mappingSlot(mappingSlot(mapping, outer), inner);
}

/**
 * Word of a short text, as contracts store it: bytes from the left, twice the length in the last byte. The last of 32 bytes, too many for
 * a contract to read, replaces the length, as in `defid`.
 */
export function shortText(text: Uint8Array): bigint {
  const word = new Uint8Array(WORD_SIZE);
  word[WORD_SIZE - 1] = 2 * text.length;
  word.set(text);
  return readWord(word, 0);
}
