import { COMPRESSED_KEY_SIZE } from '../crypto/ecdsa.js';
import { hash160, sha256 } from '../crypto/hash.js';
import { concatBytes } from '../util/bytes.js';
import { invalidParameter } from '../util/errors.js';
import { type Destination, scriptOf } from './address.js';
import { Op } from './opcodes.js';
import { buildScript, MAX_PUSH_SIZE, scriptNumber } from './script.js';
import { MAX_STANDARD_MULTISIG_KEYS } from './standard.js';

/** Address types that a client may request. */
export const ADDRESS_TYPES = ['legacy', 'p2sh-segwit', 'bech32'] as const;
export type AddressType = (typeof ADDRESS_TYPES)[number];

/** Number of keys of a client's list to parse: one above the limit is enough to reject it. */
export const KEYS_TO_READ = MAX_STANDARD_MULTISIG_KEYS + 1;

/** Multisig script: `required` signatures, keys in the given order. */
export function multisigScript(required: number, keys: readonly Uint8Array[]): Uint8Array {
  return concatBytes(scriptNumber(required), buildScript(...keys), scriptNumber(keys.length), buildScript(Op.CHECKMULTISIG));
}

/**
 * Multisig script of an address.
 * @param given number of keys that the client passed; `keys` may lack those above `KEYS_TO_READ`
 * @throws {NodeError} `invalid-parameter` if the script could never be spent
 */
export function multisigRedeemScript(required: number, keys: readonly Uint8Array[], given = keys.length): Uint8Array {
  if (required < 1) throw invalidParameter('a multisignature address must require at least one key to redeem');
  if (given < required) {
    throw invalidParameter(`not enough keys supplied (got ${given} keys, but need at least ${required} to redeem)`);
  }
  if (given > MAX_STANDARD_MULTISIG_KEYS) {
    throw invalidParameter('Number of keys involved in the multisignature address creation > 16\nReduce the number');
  }
  const script = multisigScript(required, keys);
  if (script.length > MAX_PUSH_SIZE) throw invalidParameter(`redeemScript exceeds size limit: ${script.length} > ${MAX_PUSH_SIZE}`);
  return script;
}

/** Destination of a multisig script. Always P2SH if a key is uncompressed, since witness programs allow compressed keys only. */
export function multisigDestination(script: Uint8Array, keys: readonly Uint8Array[], type: AddressType): Destination {
  const compressed = keys.every((key) => key.length === COMPRESSED_KEY_SIZE);
  if (type === 'legacy' || !compressed) return { type: 'sh', hash: hash160(script) };
  const witness: Destination = { type: 'wsh', hash: sha256(script) };
  return type === 'bech32' ? witness : { type: 'sh', hash: hash160(scriptOf(witness)) };
}
