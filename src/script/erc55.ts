import { uncompressed } from '../crypto/ecdsa.js';
import { keccak256 } from '../crypto/keccak.js';
import { fromHex, reverseBytes, toHex } from '../util/bytes.js';
import { Op } from './opcodes.js';
import { buildScript, witnessProgram } from './script.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Witness version of the scripts of EVM addresses. */
export const EVM_WITNESS_VERSION = 16;
/** Bytes of an EVM address. */
export const EVM_ADDRESS_SIZE = 20;

/** EVM address of a public key, 20 bytes. @returns undefined if the key is not a point on the curve @see docs/protocol/evm.md 2.1 */
export function evmAddressOf(publicKey: Uint8Array): Uint8Array | undefined {
  const point = uncompressed(publicKey);
  // The first byte is the prefix 0x04.
  return point && keccak256(point.subarray(1)).subarray(12);
}

/** Text of an EVM address; the case of its letters is a checksum. @see EIP-55 */
export function formatErc55(address: Uint8Array): string {
  const digits = toHex(address);
  const hash = toHex(keccak256(Buffer.from(digits, 'ascii')));
  const cased = [...digits].map((digit, i) => (Number.parseInt(hash[i] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}

/** Parses an EVM address without checking its checksum. @returns undefined for other text @see docs/protocol/evm.md 2.1 */
export function parseErc55(text: string): Uint8Array | undefined {
  return ADDRESS.test(text) ? fromHex(text.slice(2)) : undefined;
}

/** Script of an EVM address: witness version 16, the address bytes reversed. @see docs/protocol/evm.md 2.2 */
export function erc55Script(address: Uint8Array): Uint8Array {
  return buildScript(Op.SIXTEEN, reverseBytes(address));
}

/** Script of the EVM address of a public key; undefined if the key is not a point on the curve. */
export function evmScriptOf(publicKey: Uint8Array): Uint8Array | undefined {
  const address = evmAddressOf(publicKey);
  return address && erc55Script(address);
}

/** Script that runs for a witness program of version 16: the key must have the EVM address, whose bytes the program has reversed. */
export function keccakScript(program: Uint8Array): Uint8Array {
  return buildScript(Op.DUP, Op.KECCAK, program, Op.EQUALVERIFY, Op.CHECKSIG);
}

/** EVM address of a script; undefined for other scripts. */
export function erc55Of(script: Uint8Array): Uint8Array | undefined {
  const witness = witnessProgram(script);
  if (witness?.version !== EVM_WITNESS_VERSION || witness.program.length !== EVM_ADDRESS_SIZE) return undefined;
  return reverseBytes(witness.program);
}
