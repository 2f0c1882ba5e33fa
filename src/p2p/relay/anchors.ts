import type { Chain } from '../../chain/chain.js';
import { recoverCompact } from '../../crypto/ecdsa.js';
import { hash160, sha256d } from '../../crypto/hash.js';
import { masternodeByOperator } from '../../dfi/masternodes/columns.js';
import { encode } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { Lru } from '../../util/lru.js';
import { RecentSet } from '../../util/recent-set.js';
import type { SyncPeer } from '../sync/sync-peer.js';
import { type AnchorAuth, anchorAuthHash, anchorauth } from '../wire/anchorauth.js';
import { type AnchorConfirm, anchorConfirmHash, anchorconf } from '../wire/anchorconf.js';
import type { AuthsRequest } from '../wire/getauths.js';
import { type InventoryItem, InvType } from '../wire/inventory.js';
import type { WireMessage } from '../wire/messages.js';
import { shortKey } from './recent-rejects.js';

const SIGNATURE_SIZE = 65;
/** Of a message: the length byte and the signature that its hash to sign leaves out. */
const SIGNATURE_FIELD_SIZE = 1 + SIGNATURE_SIZE;
/** No team has more members. */
const MAX_TEAM = 100;
const MAX_KEPT = 2_000;
const MAX_SEEN = 20_000;
const MAX_ASKED = 100;
const PATIENCE_MS = 60_000;
const MAX_INVENTORY = 500;

export type AnchorChain = Pick<Chain, 'entry' | 'isActive' | 'state' | 'isInitialDownload' | 'params'>;

type AnchorMessage = Extract<WireMessage, { command: 'anchorauth' | 'anchorconf' }>;

interface Kept {
  readonly item: InventoryItem;
  readonly message: AnchorMessage;
  /** Height of the block that is anchored. */
  readonly height: number;
}

export interface AnchorRelayDeps {
  readonly chain: AnchorChain;
  readonly peers: ReadonlyMap<number, SyncPeer>;
  readonly nowMs: () => number;
}

/**
 * Passes on what masternodes sign about anchors. This node does not anchor, so it only looks whether such a message speaks of a block of
 * the active chain and was signed by an operator: enough that nobody can flood the network with them, and no reason to blame anyone.
 * @see docs/protocol/chain.md 7.2
 */
export class AnchorRelay {
  readonly #deps: AnchorRelayDeps;
  readonly #kept = new Lru<string, Kept>(MAX_KEPT);
  readonly #confirms = new Map<string, Kept>();
  readonly #seen = new RecentSet(MAX_SEEN);
  /** By peer: what was asked of it, and when. */
  readonly #asked = new Map<number, Map<string, number>>();

  constructor(deps: AnchorRelayDeps) {
    this.#deps = deps;
  }

  /** Tells a new peer of the confirms at hand. */
  greet({ peer }: SyncPeer): void {
    const items = [...this.#confirms.values()].slice(-MAX_INVENTORY).map(({ item }) => item);
    if (items.length > 0) peer.send({ command: 'inv', payload: items });
  }

  forget({ peer }: SyncPeer): void {
    this.#asked.delete(peer.id);
  }

  /** Asks for what a peer announced and nobody sent yet. */
  announced({ peer }: SyncPeer, items: readonly InventoryItem[]): void {
    if (this.#deps.chain.isInitialDownload()) return;
    const asked = this.#askedOf(peer.id);
    const wanted = items.filter(({ hash }) => {
      const key = shortKey(hash);
      if (this.#seen.has(key) || asked.has(key) || asked.size >= MAX_ASKED) return false;
      asked.set(key, this.#deps.nowMs());
      return true;
    });
    if (wanted.length > 0) peer.send({ command: 'getdata', payload: wanted });
  }

  #askedOf(peer: number): Map<string, number> {
    const asked = this.#asked.get(peer) ?? new Map<string, number>();
    this.#asked.set(peer, asked);
    const before = this.#deps.nowMs() - PATIENCE_MS;
    for (const [key, sinceMs] of asked) if (sinceMs < before) asked.delete(key);
    return asked;
  }

  takeAuth(peer: SyncPeer, auth: AnchorAuth): void {
    if (auth.nextTeam.length > MAX_TEAM) return;
    const item = { type: InvType.anchorAuth, hash: anchorAuthHash(auth) };
    this.#take(
      peer,
      { item, message: { command: 'anchorauth', payload: auth }, height: auth.height },
      auth.blockHash,
      encode(anchorauth, auth),
    );
  }

  takeConfirm(peer: SyncPeer, confirm: AnchorConfirm): void {
    const item = { type: InvType.anchorConfirm, hash: anchorConfirmHash(confirm) };
    const kept: Kept = { item, message: { command: 'anchorconf', payload: confirm }, height: confirm.anchorHeight };
    this.#take(peer, kept, confirm.blockHash, encode(anchorconf, confirm));
  }

  #take(peer: SyncPeer, kept: Kept, blockHash: Hash256, bytes: Uint8Array): void {
    const key = shortKey(kept.item.hash);
    // Only what was asked for: a recovered key each is more than others should be able to cost us.
    if (!this.#asked.get(peer.peer.id)?.delete(key) || this.#seen.has(key)) return;
    this.#seen.add(key);
    const { chain } = this.#deps;
    const entry = chain.entry(blockHash);
    const { signature } = kept.message.payload;
    if (!entry || !chain.isActive(entry) || entry.height !== kept.height || !this.#isSigned(bytes, signature)) return;
    this.#kept.set(key, kept);
    if (kept.message.command === 'anchorconf') this.#keepConfirm(key, kept);
    for (const other of this.#deps.peers.values()) {
      if (other !== peer) other.peer.send({ command: 'inv', payload: [kept.item] });
    }
  }

  #keepConfirm(key: string, kept: Kept): void {
    this.#confirms.set(key, kept);
    const [oldest] = this.#confirms.keys();
    if (this.#confirms.size > MAX_INVENTORY && oldest !== undefined) this.#confirms.delete(oldest);
  }

  #isSigned(bytes: Uint8Array, signature: Uint8Array): boolean {
    if (signature.length !== SIGNATURE_SIZE) return false;
    const signed = sha256d(bytes.subarray(0, bytes.length - SIGNATURE_FIELD_SIZE));
    const recovered = recoverCompact(signature, signed);
    return recovered !== undefined && masternodeByOperator(this.#deps.chain.state, hash160(recovered.publicKey)) !== undefined;
  }

  /** The message that an inventory item names, if it is here. */
  find({ hash }: InventoryItem): WireMessage | undefined {
    return this.#kept.get(shortKey(hash))?.message;
  }

  /** Tells a peer of the signatures under blocks above the lower one, up to the higher one. */
  getAuths({ peer }: SyncPeer, { lowBlock, highBlock }: AuthsRequest): void {
    const { chain } = this.#deps;
    const low = chain.entry(lowBlock);
    const high = chain.entry(highBlock);
    if (!low || !high || chain.isInitialDownload() || !chain.isActive(low) || !chain.isActive(high)) return;
    const items: InventoryItem[] = [];
    for (const { item, height } of this.#kept.values()) {
      if (item.type === InvType.anchorAuth && height > low.height && height <= high.height) items.push(item);
    }
    if (items.length > 0) peer.send({ command: 'inv', payload: items.slice(0, MAX_INVENTORY) });
  }
}
