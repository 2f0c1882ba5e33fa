import { publicKeyOf } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import type { PrivateKey } from '../../crypto/keys.js';
import { destinationOf, scriptOf } from '../../script/address.js';
import { NodeError } from '../../util/errors.js';
import { destinationsOfKey } from '../keys/address-type.js';
import type { Wallet } from '../wallet.js';

/** Keys of unknown age: the whole chain may concern them. */
export const UNKNOWN_AGE = 1;

/**
 * Takes in a private key with its addresses.
 * @param label replaces the labels of its addresses; undefined leaves those that have one
 */
export function importPrivateKey(wallet: Wallet, key: PrivateKey, label: string | undefined): void {
  wallet.keys.requireUnlocked();
  const publicKey = publicKeyOf(key.secret, key.compressed);
  for (const destination of destinationsOfKey(publicKey)) {
    if (label !== undefined || !wallet.book.get(destination)) wallet.book.set(destination, label ?? '', 'receive');
  }
  wallet.addPrivateKey(key, { createdAt: UNKNOWN_AGE, origin: undefined, seedId: undefined });
  wallet.commit();
}

/** Watches everything that a public key is paid by. */
export function importPublicKey(wallet: Wallet, publicKey: Uint8Array, label: string): void {
  for (const destination of destinationsOfKey(publicKey)) {
    watchScript(wallet, scriptOf(destination));
    wallet.book.set(destination, label, 'receive');
  }
  if (!wallet.keys.hasPrivateKey(hash160(publicKey))) {
    wallet.keys.addPublicKey(publicKey, { createdAt: UNKNOWN_AGE, origin: undefined, seedId: undefined });
  }
  wallet.commit();
}

/** Watches an output script, by name where it has an address. */
export function importScript(wallet: Wallet, script: Uint8Array, label: string): void {
  watchScript(wallet, script);
  const destination = destinationOf(script);
  if (destination) wallet.book.set(destination, label, 'receive');
}

function watchScript(wallet: Wallet, script: Uint8Array): void {
  wallet.addWatched(script, UNKNOWN_AGE);
}

/**
 * Looks through the chain for what was imported.
 * @param time age of the oldest key, seconds since 1970
 * @throws {NodeError} if it was told to stop, or could not read all blocks
 */
export async function scanFor(wallet: Wallet, time: number, update = true): Promise<void> {
  const { rescan } = wallet;
  const start = rescan.startFor(time);
  if (!start) return;
  const { status } = await rescan.run(start, { update });
  wallet.commit();
  if (status === 'aborted') throw new NodeError('misc', 'Rescan aborted by user.');
  if (status === 'failure') {
    throw new NodeError('wallet', 'Rescan was unable to fully rescan the blockchain. Some transactions may be missing.');
  }
}
