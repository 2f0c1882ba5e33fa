import type { Anchors, Verdict } from '../../anchors/anchors.js';
import { type AnchorAuth, anchorAuthHash } from '../../anchors/auth-message.js';
import { type AnchorConfirm, anchorConfirmHash } from '../../anchors/confirm-message.js';
import type { Chain } from '../../chain/chain.js';
import type { Hash256 } from '../../primitives/hash.js';
import { RecentSet } from '../../util/recent-set.js';
import type { Peer } from '../net/peer.js';
import type { AuthsRequest } from '../wire/getauths.js';
import { type InventoryItem, InvType } from '../wire/inventory.js';
import type { WireMessage } from '../wire/messages.js';
import { shortKey } from './recent-rejects.js';
import type { PeerSession } from './session.js';

/** Larger than any anchor team. */
const MAX_TEAM = 100;
const MAX_REFUSED = 20_000;
const MAX_INVENTORY = 500;

type AnchorSession = Pick<PeerSession, 'peer' | 'anchors'>;

/** Parts of the node that `AnchorRelay` uses. */
export interface AnchorRelayDeps {
  readonly chain: Pick<Chain, 'on' | 'isInitialDownload'>;
  readonly anchors: Pick<Anchors, 'on' | 'addAuth' | 'addConfirm' | 'auths' | 'confirms' | 'authsBetween'>;
  readonly peers: () => readonly Peer[];
  /** Monotonic clock, ms. */
  readonly nowMs: () => number;
}

/** Exchanges the signatures of anchors with peers. Those that are not valid now are dropped without a penalty for the sender. */
export class AnchorRelay {
  readonly #deps: AnchorRelayDeps;
  /** Messages that are not valid on this tip; another tip may have other teams, or the blocks that were missing. */
  readonly #refused = new RecentSet(MAX_REFUSED);

  constructor(deps: AnchorRelayDeps) {
    this.#deps = deps;
    const { anchors, chain } = deps;
    chain.on('tip', () => this.#refused.clear());
    anchors.on('auth', ({ id }) => this.#announce({ type: InvType.anchorAuth, hash: id }));
    anchors.on('confirm', ({ id }) => this.#announce({ type: InvType.anchorConfirm, hash: id }));
    anchors.on('missed', ({ low, high }) => {
      for (const peer of deps.peers()) peer.send({ command: 'getauths', payload: { lowBlock: low.hash, highBlock: high.hash } });
    });
  }

  /** Announces the collected confirm messages to a new peer. */
  greet(peer: Peer): void {
    const items = this.#deps.anchors.confirms.all().map(({ id }) => ({ type: InvType.anchorConfirm, hash: id }));
    if (items.length > 0) peer.send({ command: 'inv', payload: items.slice(0, MAX_INVENTORY) });
  }

  /** Requests announced messages that no peer has sent yet. */
  processInventory({ peer, anchors: requests }: AnchorSession, items: readonly InventoryItem[]): void {
    const { chain, nowMs } = this.#deps;
    if (chain.isInitialDownload()) return;
    const now = nowMs();
    requests.expire(now);
    const wanted = items.filter((item) => !this.#isKnown(item) && requests.add(shortKey(item.hash), now));
    if (wanted.length > 0) peer.send({ command: 'getdata', payload: wanted });
  }

  #isKnown(item: InventoryItem): boolean {
    return this.find(item) !== undefined || this.#refused.has(shortKey(item.hash));
  }

  processAuth(from: AnchorSession, auth: AnchorAuth): void {
    if (auth.nextTeam.length > MAX_TEAM) return;
    const item = { type: InvType.anchorAuth, hash: anchorAuthHash(auth) };
    this.#process(from, item, () => this.#deps.anchors.addAuth(auth));
  }

  processConfirm(from: AnchorSession, confirm: AnchorConfirm): void {
    const item = { type: InvType.anchorConfirm, hash: anchorConfirmHash(confirm) };
    this.#process(from, item, () => this.#deps.anchors.addConfirm(confirm));
  }

  #process({ peer, anchors: requests }: AnchorSession, item: InventoryItem, add: () => Verdict): void {
    // Unrequested messages are dropped: each would cost the recovery of a public key.
    if (!requests.delete(shortKey(item.hash)) || this.#isKnown(item)) return;
    const verdict = add();
    if (verdict === 'refused') this.#refused.add(shortKey(item.hash));
    if (verdict === 'added') this.#announce(item, peer);
  }

  #announce(item: InventoryItem, except?: Peer): void {
    for (const peer of this.#deps.peers()) if (peer !== except) peer.send({ command: 'inv', payload: [item] });
  }

  /** Collected message of an inventory item. */
  find({ type, hash }: { readonly type: number; readonly hash: Hash256 }): WireMessage | undefined {
    const { auths, confirms } = this.#deps.anchors;
    if (type === InvType.anchorConfirm) {
      const found = confirms.find(hash);
      return found && { command: 'anchorconf', payload: found.confirm };
    }
    const found = auths.find(hash);
    return found && { command: 'anchorauth', payload: found.auth };
  }

  /** Announces the collected signatures of blocks of a range to a peer. */
  getAuths(peer: Peer, { lowBlock, highBlock }: AuthsRequest): void {
    const { chain, anchors } = this.#deps;
    if (chain.isInitialDownload()) return;
    const items = anchors.authsBetween(lowBlock, highBlock).map(({ id }) => ({ type: InvType.anchorAuth, hash: id }));
    if (items.length > 0) peer.send({ command: 'inv', payload: items.slice(0, MAX_INVENTORY) });
  }
}
