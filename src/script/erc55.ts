import { uncompressed } from '../crypto/ecdsa.js';
import { keccak256 } from '../crypto/hash.js';
import { fromHex, toHex } from '../util/bytes.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Address of a key in the EVM: 20 bytes. @returns undefined if the key is no point of the curve @see spec: evm 2.1 */
export function evmAddressOf(publicKey: Uint8Array): Uint8Array | undefined {
  const point = uncompressed(publicKey);
  // The first byte only tells the form.
  return point && keccak256(point.subarray(1)).subarray(12);
}

/** Text of an EVM address; the case of its letters is a checksum. @see EIP-55 */
export function formatErc55(address: Uint8Array): string {
  const digits = toHex(address);
  const hash = toHex(keccak256(Buffer.from(digits, 'ascii')));
  const cased = [...digits].map((digit, i) => (Number.parseInt(hash[i] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}

/** EVM address of the text; the checksum is not looked at. @returns undefined if it is none @see spec: evm 2.1 */
export function parseErc55(text: string): Uint8Array | undefined {
  return ADDRESS.test(text) ? fromHex(text.slice(2)) : undefined;
}
