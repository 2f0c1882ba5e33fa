import { recoverKeyId } from '../crypto/key-id.js';
import type { Hash160, Hash256 } from '../primitives/hash.js';
import { compareBytes, toHex } from '../util/bytes.js';
import { grouped } from '../util/grouped.js';
import { type AnchorAuth, anchorAuthHash, anchorDataHash } from './auth-message.js';

/** Maximum number of signatures. Those of the lowest blocks are evicted first. */
const MAX_AUTHS = 2_000;
/** The same for one masternode: a node without a view of the Bitcoin chain cannot tell which of its signatures build on an anchor. */
const MAX_OF_SIGNER = 400;

/** A collected signature of an anchor. */
export interface CollectedAuth {
  readonly auth: AnchorAuth;
  /** Hash of the message. */
  readonly id: Hash256;
  /** Hash that was signed. */
  readonly signed: Hash256;
  readonly signer: Hash160;
}

/** An auth with its hashes and its signer; undefined if no key can be recovered from the signature. */
export function readAuth(auth: AnchorAuth): CollectedAuth | undefined {
  const signed = anchorDataHash(auth);
  const signer = recoverKeyId(auth.signature, signed);
  return signer && { auth, id: anchorAuthHash(auth), signed, signer };
}

/** Signatures of anchors that masternodes have given, one for each masternode and anchor. */
export class AuthPool {
  readonly #byId = new Map<string, CollectedAuth>();
  readonly #votes = new Set<string>();
  /** By signer, in order of arrival. */
  readonly #bySigner = new Map<string, Set<CollectedAuth>>();

  find(id: Hash256): CollectedAuth | undefined {
    return this.#byId.get(toHex(id));
  }

  hasVote(signed: Hash256, signer: Hash160): boolean {
    return this.#votes.has(voteKey(signed, signer));
  }

  /** @returns false if the masternode has signed this anchor before, or there is no room */
  add(collected: CollectedAuth): boolean {
    if (this.hasVote(collected.signed, collected.signer)) return false;
    this.#byId.set(toHex(collected.id), collected);
    this.#votes.add(voteKey(collected.signed, collected.signer));
    this.#limitSigner(collected);
    if (this.#byId.size > MAX_AUTHS) for (const lowest of this.groups().at(-1) ?? []) this.#remove(lowest);
    return this.find(collected.id) !== undefined;
  }

  /** Removes the signatures of blocks below a height. */
  prune(height: number): void {
    for (const collected of this.#byId.values()) if (collected.auth.height < height) this.#remove(collected);
  }

  #limitSigner(collected: CollectedAuth): void {
    const key = toHex(collected.signer);
    const own = this.#bySigner.get(key) ?? new Set();
    this.#bySigner.set(key, own);
    own.add(collected);
    if (own.size <= MAX_OF_SIGNER) return;
    let lowest = collected;
    for (const each of own) if (each.auth.height < lowest.auth.height) lowest = each;
    this.#remove(lowest);
  }

  #remove(collected: CollectedAuth): void {
    const { id, signed, signer } = collected;
    this.#byId.delete(toHex(id));
    this.#votes.delete(voteKey(signed, signer));
    const key = toHex(signer);
    const own = this.#bySigner.get(key);
    own?.delete(collected);
    if (own?.size === 0) this.#bySigner.delete(key);
  }

  /** Signatures of one anchor each, in order of arrival; the groups descend by the height of their blocks, then by the signed hash. */
  groups(): readonly (readonly CollectedAuth[])[] {
    const groups = grouped(this.#byId.values(), ({ signed }) => toHex(signed));
    return groups.toSorted(([a], [b]) => (a && b ? b.auth.height - a.auth.height || compareBytes(b.signed, a.signed) : 0));
  }
}

function voteKey(signed: Hash256, signer: Hash160): string {
  return toHex(signed) + toHex(signer);
}
