import type { Chain } from '../../chain/chain.js';
import { recoverCompact } from '../../crypto/ecdsa.js';
import { hash160, sha256d } from '../../crypto/hash.js';
import { masternodeByOperator } from '../../dfi/masternodes/columns.js';
import { encode } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { Lru } from '../../util/lru.js';
import { RecentSet } from '../../util/recent-set.js';
import type { Peer } from '../net/peer.js';
import { type AnchorAuth, anchorAuthHash, anchorauth } from '../../anchors/auth-message.js';
import { type AnchorConfirm, anchorConfirmHash, anchorconf } from '../../anchors/confirm-message.js';
import type { AuthsRequest } from '../wire/getauths.js';
import { type InventoryItem, InvType } from '../wire/inventory.js';
import type { WireMessage } from '../wire/messages.js';
import { shortKey } from './recent-rejects.js';
import type { PeerSession } from './session.js';

const SIGNATURE_SIZE = 65;
/** Length byte and signature at the end of a message, which the signed hash does not cover. */
const SIGNATURE_FIELD_SIZE = 1 + SIGNATURE_SIZE;
/** Larger than any anchor team. */
const MAX_TEAM = 100;
const MAX_STORED = 2_000;
const MAX_SEEN = 20_000;
const MAX_INVENTORY = 500;

export type AnchorChain = Pick<Chain, 'entry' | 'isActive' | 'state' | 'isInitialDownload' | 'params'>;

type AnchorSession = Pick<PeerSession, 'peer' | 'anchors'>;

type AnchorMessage = Extract<WireMessage, { command: 'anchorauth' | 'anchorconf' }>;

interface StoredMessage {
  readonly item: InventoryItem;
  readonly message: AnchorMessage;
  /** Height of the anchored block. */
  readonly height: number;
}

/** Parts of the node that `AnchorRelay` uses. */
export interface AnchorRelayDeps {
  readonly chain: AnchorChain;
  readonly peers: () => readonly Peer[];
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
}

/**
 * Relays the anchor messages of masternodes. This node creates no anchors. It relays a message if it refers to a block of the active chain
 * and is signed by a masternode operator, which is enough to prevent flooding; others are dropped without a penalty for the sender.
 * @see docs/protocol/chain.md 7.2
 */
export class AnchorRelay {
  readonly #deps: AnchorRelayDeps;
  readonly #stored = new Lru<string, StoredMessage>(MAX_STORED);
  readonly #confirms = new Map<string, StoredMessage>();
  readonly #seen = new RecentSet(MAX_SEEN);

  constructor(deps: AnchorRelayDeps) {
    this.#deps = deps;
  }

  /** Announces the stored confirm messages to a new peer. */
  greet(peer: Peer): void {
    const items = [...this.#confirms.values()].slice(-MAX_INVENTORY).map(({ item }) => item);
    if (items.length > 0) peer.send({ command: 'inv', payload: items });
  }

  /** Requests announced messages that no peer has sent yet. */
  processInventory({ peer, anchors }: AnchorSession, items: readonly InventoryItem[]): void {
    const { chain, nowMs } = this.#deps;
    if (chain.isInitialDownload()) return;
    const now = nowMs();
    anchors.expire(now);
    const wanted = items.filter(({ hash }) => !this.#seen.has(shortKey(hash)) && anchors.add(shortKey(hash), now));
    if (wanted.length > 0) peer.send({ command: 'getdata', payload: wanted });
  }

  processAuth(from: AnchorSession, auth: AnchorAuth): void {
    if (auth.nextTeam.length > MAX_TEAM) return;
    const item = { type: InvType.anchorAuth, hash: anchorAuthHash(auth) };
    const message: StoredMessage = { item, message: { command: 'anchorauth', payload: auth }, height: auth.height };
    this.#process(from, message, auth.blockHash, encode(anchorauth, auth));
  }

  processConfirm(from: AnchorSession, confirm: AnchorConfirm): void {
    const item = { type: InvType.anchorConfirm, hash: anchorConfirmHash(confirm) };
    const message: StoredMessage = { item, message: { command: 'anchorconf', payload: confirm }, height: confirm.anchorHeight };
    this.#process(from, message, confirm.blockHash, encode(anchorconf, confirm));
  }

  #process({ peer, anchors }: AnchorSession, received: StoredMessage, blockHash: Hash256, bytes: Uint8Array): void {
    const key = shortKey(received.item.hash);
    // Unrequested messages are dropped: each would cost the recovery of a public key.
    if (!anchors.delete(key) || this.#seen.has(key)) return;
    this.#seen.add(key);
    const { chain } = this.#deps;
    const entry = chain.entry(blockHash);
    const { signature } = received.message.payload;
    if (!entry || !chain.isActive(entry) || entry.height !== received.height || !this.#isSigned(bytes, signature)) return;
    this.#stored.set(key, received);
    if (received.message.command === 'anchorconf') this.#storeConfirm(key, received);
    for (const other of this.#deps.peers()) {
      if (other !== peer) other.send({ command: 'inv', payload: [received.item] });
    }
  }

  #storeConfirm(key: string, confirm: StoredMessage): void {
    this.#confirms.set(key, confirm);
    const [oldest] = this.#confirms.keys();
    if (this.#confirms.size > MAX_INVENTORY && oldest !== undefined) this.#confirms.delete(oldest);
  }

  #isSigned(bytes: Uint8Array, signature: Uint8Array): boolean {
    if (signature.length !== SIGNATURE_SIZE) return false;
    const signed = sha256d(bytes.subarray(0, bytes.length - SIGNATURE_FIELD_SIZE));
    const recovered = recoverCompact(signature, signed);
    return recovered !== undefined && masternodeByOperator(this.#deps.chain.state, hash160(recovered.publicKey)) !== undefined;
  }

  /** Stored message of an inventory item. */
  find({ hash }: InventoryItem): WireMessage | undefined {
    return this.#stored.get(shortKey(hash))?.message;
  }

  /** Announces the stored signatures of blocks above `lowBlock` up to `highBlock` to a peer. */
  getAuths(peer: Peer, { lowBlock, highBlock }: AuthsRequest): void {
    const { chain } = this.#deps;
    const low = chain.entry(lowBlock);
    const high = chain.entry(highBlock);
    if (!low || !high || chain.isInitialDownload() || !chain.isActive(low) || !chain.isActive(high)) return;
    const items: InventoryItem[] = [];
    for (const { item, height } of this.#stored.values()) {
      if (item.type === InvType.anchorAuth && height > low.height && height <= high.height) items.push(item);
    }
    if (items.length > 0) peer.send({ command: 'inv', payload: items.slice(0, MAX_INVENTORY) });
  }
}
