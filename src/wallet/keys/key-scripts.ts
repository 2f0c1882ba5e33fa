import { hash160, sha256 } from '../../crypto/hash.js';
import { scriptOf } from '../../script/address.js';
import { toHex } from '../../util/bytes.js';

/** Id of a public key, its HASH160, in hex. */
export function keyIdHex(publicKey: Uint8Array): string {
  return toHex(hash160(publicKey));
}

/** Output script of a bare public key. */
export function payToPublicKey(publicKey: Uint8Array): Uint8Array {
  return Uint8Array.of(publicKey.length, ...publicKey, 0xac);
}

/** Output scripts that contain a script: itself, P2SH, P2WSH and P2SH-P2WSH. */
export function scriptsAround(script: Uint8Array): Uint8Array[] {
  const witness = scriptOf({ type: 'wsh', hash: sha256(script) });
  return [script, scriptOf({ type: 'sh', hash: hash160(script) }), witness, scriptOf({ type: 'sh', hash: hash160(witness) })];
}
