import { bech32 } from '@scure/base';
import { decodeBase58Check } from '../crypto/base58.js';
import type { Hash160 } from '../primitives/hash.js';
import { decodeDestination, destinationOf, encodeDestination, scriptOf } from '../script/address.js';
import { classify } from '../script/standard.js';
import { BITCOIN_REGTEST } from './regtest-bitcoin.js';

const HASH_SIZE = 20;

/** True for an address of Bitcoin's regtest. */
export function isBitcoinAddress(text: string): boolean {
  return decodeDestination(text, BITCOIN_REGTEST) !== undefined;
}

/** Script that pays an address; undefined if the address is not valid. */
export function scriptOfBitcoinAddress(text: string): Uint8Array | undefined {
  const destination = decodeDestination(text, BITCOIN_REGTEST);
  return destination && scriptOf(destination);
}

/** Address that a script pays; empty if it has none. */
export function bitcoinAddressOf(script: Uint8Array): string {
  const destination = destinationOf(script);
  return destination ? encodeDestination(destination, BITCOIN_REGTEST) : '';
}

/** P2WPKH address of a key. */
export function bitcoinAddressOfKey(keyId: Hash160): string {
  return encodeDestination({ type: 'wpkh', hash: keyId }, BITCOIN_REGTEST);
}

/** P2SH address of a script. */
export function bitcoinAddressOfScript(scriptId: Hash160): string {
  return encodeDestination({ type: 'sh', hash: scriptId }, BITCOIN_REGTEST);
}

/**
 * Hash of 20 bytes in an address. As in `defid`, the prefix is not looked at: the address may be of another network.
 * @returns undefined if it is no address, or has a longer program
 */
export function hashOfBitcoinAddress(text: string): Hash160 | undefined {
  const payload = decodeBase58Check(text);
  if (payload?.length === HASH_SIZE + 1) return payload.subarray(1);
  const program = bech32.fromWordsUnsafe(bech32.decodeUnsafe(text)?.words.slice(1) ?? []);
  return program?.length === HASH_SIZE ? program : undefined;
}

/** Hash of 20 bytes that a script pays: of P2PKH, P2SH, or a witness program of any version. Undefined for others, also for P2PK. */
export function hashInScript(script: Uint8Array): Hash160 | undefined {
  const { type, solutions } = classify(script);
  if (type === 'pubkey' || type === 'multisig') return undefined;
  return solutions[0]?.length === HASH_SIZE ? solutions[0] : undefined;
}
