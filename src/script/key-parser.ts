import { COMPRESSED_KEY_SIZE, isPublicKey } from '../crypto/ecdsa.js';
import { ExtendedKey, type ExtendedKeyPrefixes } from '../crypto/hd.js';
import { HARDENED, type KeyOrigin } from '../crypto/key-path.js';
import { type KeyPrefix, parseWif } from '../crypto/keys.js';
import { fromHex, isHex } from '../util/bytes.js';
import { DescriptorError } from './descriptor-error.js';
import { ExtendedKeyProvider, FixedKey, type KeyProvider, KeyWithOrigin, type Wildcard } from './key-provider.js';

/** Prefixes of private and extended keys; `NetworkParams.address` is one. */
export type KeyPrefixes = KeyPrefix & ExtendedKeyPrefixes;

export interface KeyRules {
  readonly uncompressed: boolean;
}

const FINGERPRINT_DIGITS = 8;
const WILDCARDS = new Map<string | undefined, Wildcard>([
  ['*', 'plain'],
  ["*'", 'hardened'],
  ['*h', 'hardened'],
]);

/**
 * Parses a key expression: a public key in hex, a private key, or an extended key with a path, each with or without an origin in
 * square brackets before it.
 * @throws {DescriptorError} with the text of `defid`
 */
export function parseKey(text: string, prefixes: KeyPrefixes, rules: KeyRules): KeyProvider {
  const [head = '', tail, ...more] = text.split(']');
  if (more.length > 0) throw new DescriptorError("Multiple ']' characters found for a single pubkey");
  if (tail === undefined) return parseKeyAlone(head, prefixes, rules);
  // If there is nothing before the closing bracket, that bracket is the first character, as in `defid`.
  const first = head[0] ?? ']';
  if (first !== '[') throw new DescriptorError(`Key origin start '[ character expected but not found, got '${first}' instead`);
  const origin = parseOrigin(head.slice(1));
  return new KeyWithOrigin(origin, parseKeyAlone(tail, prefixes, rules));
}

function parseOrigin(text: string): KeyOrigin {
  const [fingerprint = '', ...steps] = text.split('/');
  if (fingerprint.length !== FINGERPRINT_DIGITS) {
    throw new DescriptorError(`Fingerprint is not 4 bytes (${fingerprint.length} characters instead of 8 characters)`);
  }
  if (!isHex(fingerprint)) throw new DescriptorError(`Fingerprint '${fingerprint}' is not hex`);
  return { fingerprint: fromHex(fingerprint), path: steps.map(parseStep) };
}

function parseKeyAlone(text: string, prefixes: KeyPrefixes, rules: KeyRules): KeyProvider {
  const [key = '', ...steps] = text.split('/');
  if (key === '') throw new DescriptorError('No key provided');
  const fixed = steps.length === 0 ? parseFixedKey(key, prefixes, rules) : undefined;
  return fixed ?? parseExtendedKey(key, steps, prefixes);
}

function parseFixedKey(text: string, prefixes: KeyPrefix, { uncompressed }: KeyRules): FixedKey | undefined {
  const key = isHex(text) ? parsePublicKey(text) : parsePrivateKey(text, prefixes);
  if (key && key.size !== COMPRESSED_KEY_SIZE && !uncompressed) throw new DescriptorError('Uncompressed keys are not allowed');
  return key;
}

function parsePublicKey(text: string): FixedKey {
  const publicKey = fromHex(text);
  if (!isPublicKey(publicKey)) throw new DescriptorError(`Pubkey '${text}' is invalid`);
  return new FixedKey(publicKey);
}

function parsePrivateKey(text: string, prefixes: KeyPrefix): FixedKey | undefined {
  const key = parseWif(text, prefixes);
  return key && FixedKey.ofPrivateKey(key);
}

function parseExtendedKey(text: string, steps: readonly string[], prefixes: ExtendedKeyPrefixes): KeyProvider {
  const key = ExtendedKey.parse(text, prefixes);
  if (!key) throw new DescriptorError(`key '${text}' is not valid`);
  const wildcard = WILDCARDS.get(steps.at(-1)) ?? 'none';
  const path = wildcard === 'none' ? steps : steps.slice(0, -1);
  return new ExtendedKeyProvider(key, path.map(parseStep), wildcard);
}

/** Parses a step of a path: a number, followed by `'` or `h` if hardened. */
function parseStep(text: string): number {
  const hardened = /['h]$/.test(text);
  const digits = hardened ? text.slice(0, -1) : text;
  const index = parseUint32(digits);
  if (index === undefined) throw new DescriptorError(`Key path value '${digits}' is not a valid uint32`);
  if (index >= HARDENED) throw new DescriptorError(`Key path value ${index} is out of range`);
  return hardened ? index + HARDENED : index;
}

/** Parses decimal digits with an optional plus sign; undefined if they do not fit 32 bits. */
export function parseUint32(text: string): number | undefined {
  if (!/^\+?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value <= 0xffff_ffff ? value : undefined;
}
