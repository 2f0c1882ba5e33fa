import { COMPRESSED_KEY_SIZE } from '../../crypto/ecdsa.js';
import { hash160, ripemd160 } from '../../crypto/hash.js';
import { scriptOf } from '../../script/address.js';
import { classify } from '../../script/standard.js';
import type { Keys } from './keys.js';

/** Whose an output is; ordered, so that more is larger. */
export enum Ownership {
  None = 0,
  Watched = 1,
  Spendable = 2,
}

export type KnownKeys = Pick<Keys, 'publicKey' | 'script' | 'hasPrivateKey' | 'isWatched' | 'watchesAnything'>;

type Context = 'top' | 'sh' | 'wsh';
/** `invalid` is a nesting that no one can spend, and that is not watched either. */
type Answer = Ownership | 'invalid';

/** Whether the wallet can spend an output with this script, watches it, or neither. @see docs/protocol/wallet.md 1.10 */
export function ownershipOf(script: Uint8Array, known: KnownKeys): Ownership {
  const answer = judge(script, known, 'top');
  return answer === 'invalid' ? Ownership.None : answer;
}

/** An inner script that is watched has what holds it watched too. */
function judge(script: Uint8Array, known: KnownKeys, context: Context): Answer {
  const answer = spendability(script, known, context);
  return answer === Ownership.None && known.isWatched(script) ? Ownership.Watched : answer;
}

function spendability(script: Uint8Array, known: KnownKeys, context: Context): Answer {
  const { type, solutions } = classify(script);
  const [first] = solutions;
  if (!first) return Ownership.None;
  switch (type) {
    case 'pubkey':
      if (context === 'wsh' && first.length !== COMPRESSED_KEY_SIZE) return 'invalid';
      return spendableIf(known.hasPrivateKey(hash160(first)));
    case 'pubkeyhash':
      return ofKeyId(first, known, context);
    case 'witness_v0_keyhash': {
      if (context === 'wsh') return 'invalid';
      const answer = known.watchesAnything ? judge(scriptOf({ type: 'pkh', hash: first }), known, 'wsh') : ofKeyId(first, known, 'wsh');
      if (answer === Ownership.None || context !== 'top') return answer;
      // The program of a compressed key is known wherever the key is.
      const isKnown = known.publicKey(first)?.length === COMPRESSED_KEY_SIZE || known.script(hash160(script)) !== undefined;
      return isKnown ? answer : Ownership.None;
    }
    case 'scripthash': {
      if (context !== 'top') return 'invalid';
      const inner = known.script(first);
      return inner ? judge(inner, known, 'sh') : Ownership.None;
    }
    case 'witness_v0_scripthash': {
      if (context === 'wsh') return 'invalid';
      if (context === 'top' && !known.script(hash160(script))) return Ownership.None;
      const inner = known.script(ripemd160(first));
      return inner ? judge(inner, known, 'wsh') : Ownership.None;
    }
    case 'multisig':
      // Bare ones are never counted: others could lock up coins with the wallet's keys.
      if (context === 'top') return Ownership.None;
      if (context === 'wsh' && solutions.some((key) => key.length !== COMPRESSED_KEY_SIZE)) return 'invalid';
      return spendableIf(solutions.every((key) => known.hasPrivateKey(hash160(key))));
    default:
      return Ownership.None;
  }
}

function ofKeyId(keyId: Uint8Array, known: KnownKeys, context: Context): Answer {
  if (context === 'wsh') {
    const publicKey = known.publicKey(keyId);
    if (publicKey && publicKey.length !== COMPRESSED_KEY_SIZE) return 'invalid';
  }
  return spendableIf(known.hasPrivateKey(keyId));
}

function spendableIf(held: boolean): Ownership {
  return held ? Ownership.Spendable : Ownership.None;
}

/** Whether all that a spend needs beside secrets is known. @see docs/protocol/wallet.md 1.10 */
export function isSolvable(script: Uint8Array, known: Pick<Keys, 'publicKey' | 'script'>): boolean {
  return solvable(script, known, 'top');
}

function solvable(script: Uint8Array, known: Pick<Keys, 'publicKey' | 'script'>, context: Context): boolean {
  const { type, solutions } = classify(script);
  const [first] = solutions;
  if (!first) return false;
  const fits = (key: Uint8Array | undefined): boolean => key !== undefined && (context !== 'wsh' || key.length === COMPRESSED_KEY_SIZE);
  switch (type) {
    case 'pubkey':
    case 'multisig':
      return solutions.every(fits);
    case 'pubkeyhash':
      return fits(known.publicKey(first));
    case 'witness_v0_keyhash': {
      if (context === 'wsh') return false;
      return known.publicKey(first)?.length === COMPRESSED_KEY_SIZE;
    }
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

/** Key ids that a script pays to, as far as the wallet can tell: for keys that were made in advance and are in use now. */
export function keyIdsOf(script: Uint8Array, known: Pick<Keys, 'script'>): Uint8Array[] {
  const { type, solutions } = classify(script);
  const [first] = solutions;
  if (!first) return [];
  const inner = type === 'scripthash' ? known.script(first) : type === 'witness_v0_scripthash' ? known.script(ripemd160(first)) : undefined;
  if (inner) return keyIdsOf(inner, known);
  if (type === 'pubkey' || type === 'multisig') return solutions.map(hash160);
  return type === 'pubkeyhash' || type === 'witness_v0_keyhash' ? [first] : [];
}
