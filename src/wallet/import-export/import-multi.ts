import { hash160, ripemd160 } from '../../crypto/hash.js';
import type { KeyOrigin } from '../../crypto/key-path.js';
import type { PrivateKey } from '../../crypto/keys.js';
import { type ClassifyOptions, classify } from '../../script/standard.js';
import { compareByLength, equalBytes, toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { Steps } from '../../util/slicer.js';
import { destinationIn } from '../destination.js';
import { NO_METADATA } from '../keys/key-metadata.js';
import { Ownership } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';
import { importRedeemScript } from './imports.js';

/** A public key of an import. */
export interface ImportedKey {
  readonly keyId: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** Data of one import. Maps of keys are by hex of the key id; all maps keep the order of the request. */
export interface ImportData {
  /** Output scripts. */
  readonly targets: readonly Uint8Array[];
  /** Redeem and witness scripts, by hex. */
  readonly scripts: Map<string, Uint8Array>;
  readonly publicKeys: Map<string, ImportedKey>;
  readonly privateKeys: Map<string, PrivateKey>;
  readonly origins: ReadonlyMap<string, { readonly publicKey: Uint8Array; readonly origin: KeyOrigin }>;
  /** The import contains scripts or keys to spend the targets with. */
  readonly hasSolvingData: boolean;
}

/** Options that apply to all keys and scripts of an import. */
export interface ImportStyle {
  /** Seconds since 1970. */
  readonly createdAt: number;
  /** Addresses are for change: they get no label. */
  readonly internal: boolean;
  readonly label: string;
  /** Add the public keys to the key pool. */
  readonly keypool: boolean;
}

export const MISSING_KEYS =
  'Some private keys are missing, outputs will be considered watchonly. If this is intentional, specify the watchonly flag.';
export const ALL_KEYS =
  'All private keys are provided, outputs will be considered spendable. If this is intentional, do not specify the watchonly flag.';
export const IRRELEVANT_KEY = 'Ignoring irrelevant private key.';

/** Position of a script: output script, redeem script or witness script. */
type Context = 'top' | 'sh' | 'wsh';

/** Scripts of the request to spend from an output script. */
export interface SolvingScripts extends ClassifyOptions {
  redeemScript: Uint8Array | undefined;
  witnessScript: Uint8Array | undefined;
}

/** Keys and scripts needed to spend from an output script. */
export interface Solution {
  /**
   * By hex of the key id, or of the witness program of an EVM address; true if the request has to name the public key, as the script
   * contains only its hash.
   */
  readonly keys: Map<string, boolean>;
  readonly scripts: Map<string, Uint8Array>;
}

/**
 * Collects the keys and scripts needed to spend from a script, recursively. Scripts that were used are removed from `given`.
 * @returns the reason if it is not solvable; undefined if it is
 * @throws {NodeError} for a nesting that cannot be spent
 * @see docs/protocol/wallet.md 3.23
 */
export function walkScript(script: Uint8Array, given: SolvingScripts, found: Solution, context: Context = 'top'): string | undefined {
  const { type, solutions } = classify(script, given);
  const [first] = solutions;
  if (type === 'nulldata') return 'unspendable script';
  if (!first) return 'unrecognized script';
  switch (type) {
    case 'pubkey':
    case 'multisig':
      for (const key of solutions) addKey(found, hash160(key), false);
      return undefined;
    case 'pubkeyhash':
      addKey(found, first, true);
      return undefined;
    case 'witness_v0_keyhash':
      if (context === 'wsh') throw nesting('P2WPKH inside P2WSH');
      addKey(found, first, true);
      if (context === 'top') found.scripts.set(toHex(script), script);
      return undefined;
    case 'witness_v16_ethhash':
      // `defid` has this text, although it names another type.
      if (context !== 'top') throw nesting('P2WPKH inside P2WSH');
      addKey(found, first, true);
      return undefined;
    case 'scripthash':
      return walkP2sh(first, given, found, context);
    case 'witness_v0_scripthash':
      return walkP2wsh(script, first, given, found, context);
    default:
      return 'unrecognized script';
  }
}

function addKey({ keys }: Solution, keyId: Uint8Array, required: boolean): void {
  const id = toHex(keyId);
  if (!keys.has(id)) keys.set(id, required);
}

function nesting(what: string): NodeError {
  return new NodeError('invalid-address', `Trying to nest ${what}`);
}

function walkP2sh(hash: Uint8Array, given: SolvingScripts, found: Solution, context: Context): string | undefined {
  if (context === 'sh') throw nesting('P2SH inside another P2SH');
  if (context === 'wsh') throw nesting('P2SH inside a P2WSH');
  const inner = given.redeemScript;
  given.redeemScript = undefined;
  if (!inner) return 'missing redeemscript';
  if (!equalBytes(hash160(inner), hash)) return 'redeemScript does not match the scriptPubKey';
  found.scripts.set(toHex(inner), inner);
  return walkScript(inner, given, found, 'sh');
}

function walkP2wsh(script: Uint8Array, hash: Uint8Array, given: SolvingScripts, found: Solution, context: Context): string | undefined {
  if (context === 'wsh') throw nesting('P2WSH inside another P2WSH');
  const inner = given.witnessScript;
  given.witnessScript = undefined;
  if (!inner) return 'missing witnessscript';
  // Scripts are known by their HASH160; a witness program has the SHA-256, of which RIPEMD-160 makes the HASH160.
  if (!equalBytes(hash160(inner), ripemd160(hash))) return 'witnessScript does not match the scriptPubKey or redeemScript';
  if (context === 'top') found.scripts.set(toHex(script), script);
  found.scripts.set(toHex(inner), inner);
  return walkScript(inner, given, found, 'wsh');
}

/** Adds the data of an import to the wallet; the caller commits. @throws {NodeError} */
export function* storeImport(wallet: Wallet, data: ImportData, style: ImportStyle): Steps<void> {
  const { targets, scripts, privateKeys } = data;
  const { createdAt } = style;
  if (wallet.privateKeysDisabled && privateKeys.size > 0) {
    throw new NodeError('wallet', 'Cannot import private keys to a wallet with private keys disabled');
  }
  yield* refuseSpendable(wallet, targets);
  for (const script of [...scripts.values()].sort(compareByLength)) {
    if (!importRedeemScript(wallet, script, createdAt)) throw new NodeError('wallet', 'Error adding script to wallet');
    yield;
  }
  for (const key of privateKeys.values()) {
    wallet.addPrivateKey(key, createdAt);
    yield;
  }
  yield* storeOrigins(wallet, data);
  yield* storePublicKeys(wallet, data, style);
  yield* storeTargets(wallet, data, style);
}

/** Replaces the origins of keys that the wallet has, too. */
function* storeOrigins({ keys }: Wallet, { origins }: ImportData): Steps<void> {
  for (const { publicKey, origin } of origins.values()) {
    yield;
    keys.setMetadata(publicKey, { ...(keys.metadata(hash160(publicKey)) ?? NO_METADATA), origin });
  }
}

function* storePublicKeys(wallet: Wallet, { publicKeys }: ImportData, { createdAt, internal, keypool }: ImportStyle): Steps<void> {
  for (const { keyId, publicKey } of publicKeys.values()) {
    yield;
    if (wallet.keys.publicKey(keyId)) continue;
    wallet.addPublicKey(publicKey, createdAt);
    if (keypool) wallet.keyPool.add({ publicKey, internal, createdAt: wallet.deps.clock.seconds() });
  }
}

/** Watches the output scripts that the wallet cannot solve, and labels their addresses unless they are for change. */
function* storeTargets(wallet: Wallet, { targets, hasSolvingData }: ImportData, { createdAt, internal, label }: ImportStyle): Steps<void> {
  for (const script of targets) {
    yield;
    if (!hasSolvingData || wallet.ownershipOf(script) === Ownership.None) wallet.addWatched(script, createdAt);
    const destination = internal ? undefined : destinationIn(wallet, script);
    if (destination) wallet.book.set(destination, label, 'receive');
  }
}

/** @throws {NodeError} for the first output script, in the order of `defid`, that the wallet can spend from already */
function* refuseSpendable(wallet: Wallet, targets: readonly Uint8Array[]): Steps<void> {
  let found: Uint8Array | undefined;
  for (const script of targets) {
    yield;
    if (wallet.ownershipOf(script) !== Ownership.Spendable) continue;
    if (!found || compareByLength(script, found) < 0) found = script;
  }
  if (!found) return;
  throw new NodeError('wallet', `The wallet already contains the private key for this address or script ("${toHex(found)}")`);
}
