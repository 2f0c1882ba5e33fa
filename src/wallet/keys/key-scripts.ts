import { hash160, sha256 } from '../../crypto/hash.js';
import { scriptOf } from '../../script/address.js';
import { evmScriptOf } from '../../script/erc55.js';
import { type ClassifyOptions, classify } from '../../script/standard.js';
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

/**
 * Output scripts that pay a key: P2PK, P2PKH, and those around its P2WPKH program.
 * @param options.metachain also those around the script of its EVM address
 */
export function scriptsOfKey(publicKey: Uint8Array, { metachain = false }: ClassifyOptions): Uint8Array[] {
  const hash = hash160(publicKey);
  const evm = metachain ? evmScriptOf(publicKey) : undefined;
  const programs = [scriptOf({ type: 'wpkh', hash }), ...(evm ? [evm] : [])];
  return [payToPublicKey(publicKey), scriptOf({ type: 'pkh', hash }), ...programs.flatMap(scriptsAround)];
}

/** Output scripts that are watched with a script: those that contain it and, for P2PKH, those around the P2WPKH program of its key. */
export function scriptsWatchedWith(script: Uint8Array): Uint8Array[] {
  const { type, solutions } = classify(script);
  const [hash] = solutions;
  const programs = type === 'pubkeyhash' && hash ? scriptsAround(scriptOf({ type: 'wpkh', hash })) : [];
  return [...scriptsAround(script), ...programs];
}
