import { COMPRESSED_KEY_SIZE } from '../../crypto/ecdsa.js';
import { hash160, ripemd160 } from '../../crypto/hash.js';
import { scriptOf } from '../../script/address.js';
import { Op } from '../../script/opcodes.js';
import { classify } from '../../script/standard.js';
import { reverseBytes } from '../../util/bytes.js';
import type { Keys } from './keys.js';

/** Ownership of an output by the wallet, ordered by rights (`isminetype` of `defid`). */
export enum Ownership {
  None = 0,
  Watched = 1,
  Spendable = 2,
}

/** Shortest script that pays a key or a script: a witness program of 20 bytes. */
const SHORTEST_OWNED = 22;
const HASH_SIZE = 20;

export type KnownKeys = SolvingKeys & Pick<Keys, 'hasPrivateKey' | 'isWatched' | 'watchesAnything'>;
/** Public keys and scripts of a wallet. */
type SolvingKeys = Pick<Keys, 'exactKey' | 'script' | 'metachain' | 'publicKeyOfEvm'>;

/** Position of a script: output script, redeem script or witness script. */
type Context = 'top' | 'sh' | 'wsh';
/** `invalid` is a nesting that cannot be spent; it does not count as watch-only either. */
type Answer = Ownership | 'invalid';

/** Ownership of outputs with this script. @see docs/protocol/wallet.md 1.10 */
export function ownershipOf(script: Uint8Array, known: KnownKeys): Ownership {
  const answer = judge(script, known, 'top');
  return answer === 'invalid' ? Ownership.None : answer;
}

/**
 * False for nearly every script that is not owned, at a fraction of the cost of {@link ownershipOf}: an output that pays a key hash or a
 * script hash is owned only if that hash is known.
 */
export function mayOwn(script: Uint8Array, known: Pick<Keys, 'watchesAnything' | 'mayKnow'>): boolean {
  const at = hashAt(script);
  if (at !== undefined) return known.mayKnow(script, at);
  return (script.length >= SHORTEST_OWNED && script[0] !== Op.RETURN) || known.watchesAnything;
}

/** Position of the hash in an output script that pays a key hash, a script hash of 20 bytes or a witness key hash; undefined in others. */
export function hashAt(script: Uint8Array): number | undefined {
  const { length } = script;
  if (length === SHORTEST_OWNED && script[0] === Op.ZERO && script[1] === HASH_SIZE) return 2;
  if (length === 23 && script[0] === Op.HASH160 && script[1] === HASH_SIZE) return 2;
  if (length === 25 && script[0] === Op.DUP && script[1] === Op.HASH160 && script[2] === HASH_SIZE) return 3;
  return undefined;
}

/** A watched script inside another one makes that watch-only too. */
function judge(script: Uint8Array, known: KnownKeys, context: Context): Answer {
  const answer = spendability(script, known, context);
  return answer === Ownership.None && known.isWatched(script) ? Ownership.Watched : answer;
}

function spendability(script: Uint8Array, known: KnownKeys, context: Context): Answer {
  const { type, solutions } = classify(script, known);
  const [first] = solutions;
  if (!first) return Ownership.None;
  switch (type) {
    case 'pubkey':
      if (context === 'wsh' && first.length !== COMPRESSED_KEY_SIZE) return 'invalid';
      return spendableIf(known.hasPrivateKey(hash160(first)));
    case 'pubkeyhash':
      return ofKeyId(first, known, context);
    case 'witness_v0_keyhash':
      return context === 'wsh' ? 'invalid' : ofWitnessKey(script, first, known, context);
    case 'witness_v16_ethhash':
      return context === 'top' ? ofEvmAddress(first, known) : 'invalid';
    case 'scripthash':
      return context === 'top' ? ofInner(known.script(first), known, 'sh') : 'invalid';
    case 'witness_v0_scripthash':
      if (context === 'wsh') return 'invalid';
      if (context === 'top' && !known.script(hash160(script))) return Ownership.None;
      return ofInner(known.script(ripemd160(first)), known, 'wsh');
    case 'multisig':
      // Bare multisig never counts: its other signers could lock up coins that the wallet counts as its own.
      if (context === 'top') return Ownership.None;
      if (context === 'wsh' && solutions.some((key) => key.length !== COMPRESSED_KEY_SIZE)) return 'invalid';
      return spendableIf(solutions.every((key) => known.hasPrivateKey(hash160(key))));
    default:
      return Ownership.None;
  }
}

function ofWitnessKey(script: Uint8Array, keyId: Uint8Array, known: KnownKeys, context: Context): Answer {
  const answer = known.watchesAnything ? judge(scriptOf({ type: 'pkh', hash: keyId }), known, 'wsh') : ofKeyId(keyId, known, 'wsh');
  if (answer === Ownership.None || context !== 'top') return answer;
  // A compressed key implies its witness program.
  const isKnown = known.exactKey(keyId)?.length === COMPRESSED_KEY_SIZE || known.script(hash160(script)) !== undefined;
  return isKnown ? answer : Ownership.None;
}

function ofEvmAddress(program: Uint8Array, known: KnownKeys): Answer {
  const publicKey = known.publicKeyOfEvm(reverseBytes(program));
  return spendableIf(publicKey !== undefined && known.hasPrivateKey(hash160(publicKey)));
}

/** @param inner script behind a hash; undefined if the wallet does not know it */
function ofInner(inner: Uint8Array | undefined, known: KnownKeys, context: Context): Answer {
  return inner ? judge(inner, known, context) : Ownership.None;
}

function ofKeyId(keyId: Uint8Array, known: KnownKeys, context: Context): Answer {
  if (context === 'wsh') {
    const publicKey = known.exactKey(keyId);
    if (publicKey && publicKey.length !== COMPRESSED_KEY_SIZE) return 'invalid';
  }
  return spendableIf(known.hasPrivateKey(keyId));
}

function spendableIf(held: boolean): Ownership {
  return held ? Ownership.Spendable : Ownership.None;
}

/** True if the wallet knows everything needed to spend except private keys. @see docs/protocol/wallet.md 1.10 */
export function isSolvable(script: Uint8Array, known: SolvingKeys): boolean {
  return solvable(script, known, 'top');
}

function solvable(script: Uint8Array, known: SolvingKeys, context: Context): boolean {
  const { type, solutions } = classify(script, known);
  const [first] = solutions;
  if (!first) return false;
  const fits = (key: Uint8Array | undefined): boolean => key !== undefined && (context !== 'wsh' || key.length === COMPRESSED_KEY_SIZE);
  switch (type) {
    case 'pubkey':
    case 'multisig':
      return solutions.every(fits);
    case 'pubkeyhash':
      return fits(known.exactKey(first));
    case 'witness_v0_keyhash': {
      if (context === 'wsh') return false;
      return known.exactKey(first)?.length === COMPRESSED_KEY_SIZE;
    }
    case 'witness_v16_ethhash':
      return context !== 'wsh' && known.publicKeyOfEvm(reverseBytes(first)) !== undefined;
    case 'scripthash': {
      const inner = context === 'top' ? known.script(first) : undefined;
      return inner !== undefined && solvable(inner, known, 'sh');
    }
    case 'witness_v0_scripthash': {
      const inner = context === 'wsh' ? undefined : known.script(ripemd160(first));
      return inner !== undefined && solvable(inner, known, 'wsh');
    }
    default:
      return false;
  }
}

/** Ids of the keys that a script pays, including keys in redeem and witness scripts that the wallet knows. */
export function keyIdsOf(script: Uint8Array, known: Pick<Keys, 'script'>): Uint8Array[] {
  const { type, solutions } = classify(script);
  const [first] = solutions;
  if (!first) return [];
  const inner = type === 'scripthash' ? known.script(first) : type === 'witness_v0_scripthash' ? known.script(ripemd160(first)) : undefined;
  if (inner) return keyIdsOf(inner, known);
  if (type === 'pubkey' || type === 'multisig') return solutions.map(hash160);
  return type === 'pubkeyhash' || type === 'witness_v0_keyhash' ? [first] : [];
}
