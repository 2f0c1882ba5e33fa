import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { concatBytes } from '../../util/bytes.js';
import { Exclusive } from '../../util/exclusive.js';
import type { DerivationCost, SealedMasterKey } from './records.js';

const CIPHER = 'aes-256-gcm';
const NONCE_SIZE = 12;
const TAG_SIZE = 16;
const KEY_SIZE = 32;
const SALT_SIZE = 16;
/**
 * 32 MiB and about 300 ms per guess: as hard to guess as 128 MiB in one pass (OWASP lists both), which wallets of older versions have,
 * but does not double the memory of a small node. Each record stores the cost it was made with.
 */
const PASSPHRASE_COST: DerivationCost = { logN: 15, passes: 3 };
/** Highest accepted cost, 1 GiB of memory; no version of this program used a higher one. */
const MAX_LOG_N = 20;
const SCRYPT_BLOCK = 8;
const MASTER_CONTEXT = Buffer.from('master key');

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);
/** Runs one derivation at a time, for the memory that each needs. */
const derivations = new Exclusive();

/**
 * Encrypts and authenticates (AES-256-GCM).
 * @param context authenticated with the secret, such as its public key: with another context it does not open
 * @returns nonce, ciphertext, tag
 */
export function seal(secret: Uint8Array, key: Uint8Array, context: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_SIZE);
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(context);
  return concatBytes(nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag());
}

/** Reverses {@link seal}. @returns undefined if key or context differ, or bytes were changed */
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

/** Random key that encrypts the private keys of a wallet. */
export function newMasterKey(): Uint8Array {
  return randomBytes(KEY_SIZE);
}

/** Encrypts the master key by a passphrase, with a new salt. @param cost lower only in tests */
export async function sealMasterKey(masterKey: Uint8Array, passphrase: string, cost = PASSPHRASE_COST): Promise<SealedMasterKey> {
  const salt = randomBytes(SALT_SIZE);
  const key = await keyOfPassphrase(passphrase, salt, cost);
  const sealed = seal(masterKey, key, MASTER_CONTEXT);
  key.fill(0);
  return { salt, cost, sealed };
}

/** Decrypts the master key. @returns undefined for a wrong passphrase */
export async function openMasterKey({ salt, cost, sealed }: SealedMasterKey, passphrase: string): Promise<Uint8Array | undefined> {
  if (cost.logN > MAX_LOG_N) return undefined;
  const key = await keyOfPassphrase(passphrase, salt, cost);
  const masterKey = unseal(sealed, key, MASTER_CONTEXT);
  key.fill(0);
  return masterKey;
}

/** The part of a passphrase that counts: in `defid` it ends at the first NUL character. */
export function effectivePassphrase(passphrase: string): string {
  const [effective = ''] = passphrase.split('\0');
  return effective;
}

function keyOfPassphrase(passphrase: string, salt: Uint8Array, { logN, passes }: DerivationCost): Promise<Buffer> {
  const effective = effectivePassphrase(passphrase);
  const N = 2 ** logN;
  // The limit is twice the memory that the rounds need.
  return derivations.run(() => derive(effective, salt, KEY_SIZE, { N, r: SCRYPT_BLOCK, p: passes, maxmem: 256 * N * SCRYPT_BLOCK }));
}
