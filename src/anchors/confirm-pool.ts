import { recoverKeyId } from '../crypto/key-id.js';
import { confirmHash, type Team } from '../dfi/anchors/columns.js';
import type { Hash160, Hash256 } from '../primitives/hash.js';
import { compareBytes, toHex } from '../util/bytes.js';
import { grouped } from '../util/grouped.js';
import { type AnchorConfirm, anchorConfirmHash } from './confirm-message.js';

/** Maximum number of signatures. A team signs a few dozen for its rewards. */
const MAX_CONFIRMS = 500;
/** The same for one masternode, which may sign rewards of anchors that do not exist. */
const MAX_OF_SIGNER = 50;

/** A collected signature of the reward of an anchor. */
export interface CollectedConfirm {
  readonly confirm: AnchorConfirm;
  /** Hash of the message. */
  readonly id: Hash256;
  /** Hash that was signed. */
  readonly signed: Hash256;
  readonly signer: Hash160;
}

/** A confirm with its hashes and its signer; undefined if no key can be recovered from the signature. */
export function readConfirm(confirm: AnchorConfirm): CollectedConfirm | undefined {
  const signed = confirmHash(confirm);
  const signer = recoverKeyId(confirm.signature, signed);
  return signer && { confirm, id: anchorConfirmHash(confirm), signed, signer };
}

/** Signatures of rewards that wait for a block, one for each masternode and anchor. */
export class ConfirmPool {
  /** By Bitcoin height, Bitcoin transaction and signer. */
  readonly #byVote = new Map<string, CollectedConfirm>();
  /** By hash of the message: a peer may ask for 50,000 in one message. */
  readonly #byId = new Map<string, CollectedConfirm>();
  /** Number of signatures by signer. */
  readonly #bySigner = new Map<string, number>();

  get size(): number {
    return this.#byVote.size;
  }

  find(id: Hash256): CollectedConfirm | undefined {
    return this.#byId.get(toHex(id));
  }

  /** @returns false if the masternode has confirmed this anchor before, or there is no room for it or for one more of its signatures */
  add(collected: CollectedConfirm): boolean {
    const { confirm, signer } = collected;
    const key = `${anchorKey(confirm)} ${toHex(signer)}`;
    const ofSigner = this.#bySigner.get(toHex(signer)) ?? 0;
    if (this.#byVote.has(key) || this.#byVote.size >= MAX_CONFIRMS || ofSigner >= MAX_OF_SIGNER) return false;
    this.#byVote.set(key, collected);
    this.#byId.set(toHex(collected.id), collected);
    this.#bySigner.set(toHex(signer), ofSigner + 1);
    return true;
  }

  clear(): void {
    this.#byVote.clear();
    this.#byId.clear();
    this.#bySigner.clear();
  }

  /** Ascending by Bitcoin height, Bitcoin transaction and signer. */
  all(): readonly CollectedConfirm[] {
    return [...this.#byVote.values()].sort(
      (a, b) =>
        a.confirm.btcTxHeight - b.confirm.btcTxHeight ||
        compareBytes(a.confirm.btcTxHash, b.confirm.btcTxHash) ||
        compareBytes(a.signer, b.signer),
    );
  }

  /**
   * Signatures of the same reward by members of a team, for the first anchor that has enough of them; empty if none has. `defid` does not
   * compare what was signed, so one member that signs another reward of an anchor stops it from minting.
   */
  quorumOf(members: Team, quorum: number): readonly CollectedConfirm[] {
    const allowed = new Set(members.map(toHex));
    const signed = this.all().filter(({ signer }) => allowed.has(toHex(signer)));
    return (
      grouped(signed, (collected) => `${anchorKey(collected.confirm)} ${toHex(collected.signed)}`)
        .find((group) => group.length >= quorum)
        ?.slice(0, quorum) ?? []
    );
  }
}

function anchorKey({ btcTxHeight, btcTxHash }: AnchorConfirm): string {
  return `${btcTxHeight} ${toHex(btcTxHash)}`;
}
