import { hash160, sha256 } from '../crypto/hash.js';
import { concatBytes } from '../util/bytes.js';
import { NodeError } from '../util/errors.js';
import { type Destination, scriptOf } from './address.js';
import { Op } from './opcodes.js';
import { buildScript, scriptNumber } from './script.js';

/** Kinds of addresses that a caller may ask for. */
export const ADDRESS_TYPES = ['legacy', 'p2sh-segwit', 'bech32'] as const;
export type AddressType = (typeof ADDRESS_TYPES)[number];

const MAX_KEYS = 16;
/** Keys that a caller's list needs to have read: of more than the limit it is enough to know that there are more. */
export const KEYS_TO_READ = MAX_KEYS + 1;
/** Longest push, hence longest redeem script. */
const MAX_PUSH = 520;
const COMPRESSED_SIZE = 33;

/** Script that wants `required` signatures by the keys, in their order. */
export function multisigScript(required: number, keys: readonly Uint8Array[]): Uint8Array {
  return concatBytes(scriptNumber(required), buildScript(...keys), scriptNumber(keys.length), buildScript(Op.CHECKMULTISIG));
}

/**
 * The multisig script of an address.
 * @param given number of keys that the caller named, of which `keys` may lack those beyond `KEYS_TO_READ`
 * @throws {NodeError} `invalid-parameter` where no one could ever spend from it
 */
export function multisigRedeemScript(required: number, keys: readonly Uint8Array[], given = keys.length): Uint8Array {
  const refuse = (message: string): NodeError => new NodeError('invalid-parameter', message);
  if (required < 1) throw refuse('a multisignature address must require at least one key to redeem');
  if (given < required) {
    throw refuse(`not enough keys supplied (got ${given} keys, but need at least ${required} to redeem)`);
  }
  if (given > MAX_KEYS) {
    throw refuse('Number of keys involved in the multisignature address creation > 16\nReduce the number');
  }
  const script = multisigScript(required, keys);
  if (script.length > MAX_PUSH) throw refuse(`redeemScript exceeds size limit: ${script.length} > ${MAX_PUSH}`);
  return script;
}

/** Where a script of these keys is paid. Witness programs allow compressed keys only: others make it P2SH, whatever was asked for. */
export function multisigDestination(script: Uint8Array, keys: readonly Uint8Array[], type: AddressType): Destination {
  const compressed = keys.every((key) => key.length === COMPRESSED_SIZE);
  if (type === 'legacy' || !compressed) return { type: 'sh', hash: hash160(script) };
  const witness: Destination = { type: 'wsh', hash: sha256(script) };
  return type === 'bech32' ? witness : { type: 'sh', hash: hash160(scriptOf(witness)) };
}
