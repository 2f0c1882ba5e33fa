import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { concatBytes } from '../../util/bytes.js';
import { Exclusive } from '../../util/exclusive.js';
import type { SealedMasterKey } from './records.js';

const CIPHER = 'aes-256-gcm';
const NONCE_SIZE = 12;
const TAG_SIZE = 16;
const KEY_SIZE = 32;
const SALT_SIZE = 16;
/** 2^17 rounds over 128 MiB: about 400 ms of a core for each guess. Records have the cost that they were made with. */
export const PASSPHRASE_COST = 17;
/** A record that asks for more memory, 1 GiB, was not made by this program. */
const LARGEST_COST = 20;
const SCRYPT_BLOCK = 8;
const MASTER_CONTEXT = Buffer.from('master key');

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);
/** One derivation at a time: each needs 128 MiB, and all callers together may not need more. */
const derivations = new Exclusive();

/**
 * Encrypts and authenticates: nonce, ciphertext, tag.
 * @param context what belongs to the secret, so that it opens nowhere else
 */
export function seal(secret: Uint8Array, key: Uint8Array, context: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_SIZE);
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(context);
  return concatBytes(nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag());
}

/** @returns undefined for another key or context, or changed bytes */
export function unseal(sealed: Uint8Array, key: Uint8Array, context: Uint8Array): Uint8Array | undefined {
  if (sealed.length < NONCE_SIZE + TAG_SIZE) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_SIZE));
  decipher.setAAD(context);
  decipher.setAuthTag(sealed.subarray(-TAG_SIZE));
  try {
    return concatBytes(decipher.update(sealed.subarray(NONCE_SIZE, -TAG_SIZE)), decipher.final());
  } catch {
    return undefined;
  }
}

export function newMasterKey(): Uint8Array {
  return randomBytes(KEY_SIZE);
}

/** The master key under a passphrase, with salt and cost of its own. @param cost less only where nothing is at stake */
export async function sealMasterKey(masterKey: Uint8Array, passphrase: string, cost = PASSPHRASE_COST): Promise<SealedMasterKey> {
  const salt = randomBytes(SALT_SIZE);
  const key = await keyOfPassphrase(passphrase, salt, cost);
  const sealed = seal(masterKey, key, MASTER_CONTEXT);
  key.fill(0);
  return { salt, cost, sealed };
}

/** @returns undefined for a wrong passphrase */
export async function openMasterKey({ salt, cost, sealed }: SealedMasterKey, passphrase: string): Promise<Uint8Array | undefined> {
  if (cost > LARGEST_COST) return undefined;
  const key = await keyOfPassphrase(passphrase, salt, cost);
  const masterKey = unseal(sealed, key, MASTER_CONTEXT);
  key.fill(0);
  return masterKey;
}

function keyOfPassphrase(passphrase: string, salt: Uint8Array, cost: number): Promise<Buffer> {
  // As the reference, whose passphrases end at the first NUL character.
  const [given = ''] = passphrase.split('\0');
  const N = 2 ** cost;
  // Twice of what the rounds need.
  return derivations.run(() => derive(given, salt, KEY_SIZE, { N, r: SCRYPT_BLOCK, p: 1, maxmem: 256 * N * SCRYPT_BLOCK }));
}
