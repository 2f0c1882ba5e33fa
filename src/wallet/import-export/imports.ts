import { publicKeyOf } from '../../crypto/ecdsa.js';
import { hash160 } from '../../crypto/hash.js';
import type { PrivateKey } from '../../crypto/keys.js';
import { scriptOf } from '../../script/address.js';
import { MAX_PUSH_SIZE } from '../../script/script.js';
import { NodeError } from '../../util/errors.js';
import { destinationIn } from '../destination.js';
import { destinationsOfKey } from '../keys/address-type.js';
import { Ownership } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';

/** Creation time of imported keys, whose age is unknown: the whole chain is scanned for them. Seconds since 1970. */
export const UNKNOWN_AGE = 1;

/**
 * Imports a private key and adds its addresses to the address book.
 * @param label label of its addresses; undefined keeps labels that there are, and labels others as empty
 */
export function importPrivateKey(wallet: Wallet, key: PrivateKey, label: string | undefined): void {
  wallet.keys.requireUnlocked();
  for (const destination of destinationsOfKey(publicKeyOf(key.secret, key.compressed), wallet.keys)) {
    if (label !== undefined || !wallet.book.get(destination)) wallet.book.set(destination, label ?? '', 'receive');
  }
  wallet.addPrivateKey(key, UNKNOWN_AGE);
  wallet.commit();
}

/** Imports a public key: watches all output scripts that pay it and are not the wallet's already. */
export function importPublicKey(wallet: Wallet, publicKey: Uint8Array, label: string): void {
  for (const destination of destinationsOfKey(publicKey, wallet.keys)) {
    if (wallet.ownershipOf(scriptOf(destination)) === Ownership.None) watchScript(wallet, scriptOf(destination));
    wallet.book.set(destination, label, 'receive');
  }
  if (!wallet.keys.publicKey(hash160(publicKey))) wallet.addPublicKey(publicKey, UNKNOWN_AGE);
  wallet.commit();
}

/**
 * Adds a redeem or witness script, unless the wallet has it. The caller commits.
 * @param createdAt seconds since 1970; 0 if unknown
 * @returns false if the script is too long to be pushed, so that it can redeem nothing
 */
export function importRedeemScript({ keys }: Wallet, script: Uint8Array, createdAt: number): boolean {
  if (keys.script(hash160(script))) return true;
  if (script.length > MAX_PUSH_SIZE) return false;
  keys.addScript(script, createdAt);
  return true;
}

/** Watches an output script, and labels its address if it has one. The caller commits. */
export function importScript(wallet: Wallet, script: Uint8Array, label: string): void {
  watchScript(wallet, script);
  const destination = destinationIn(wallet, script);
  if (destination) wallet.book.set(destination, label, 'receive');
}

function watchScript(wallet: Wallet, script: Uint8Array): void {
  wallet.addWatched(script, UNKNOWN_AGE);
}

/**
 * Scans the chain for transactions of imported keys and scripts.
 * @param time creation time of the oldest of them, seconds since 1970
 * @throws {NodeError} if the scan was aborted, or a block could not be read
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
