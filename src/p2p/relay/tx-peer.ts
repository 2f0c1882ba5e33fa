import type { Peer } from '../net/peer.js';
import type { SyncPeer } from '../sync/sync-peer.js';
import { WITNESS_FLAG } from '../wire/inventory.js';
import { FeeFilterTimer } from './fee-filter.js';
import { TxInventory } from './inventory.js';
import { type RequestTimes, TxRequests } from './tx-requests.js';

/** State of transaction relay with one peer. */
export class TxPeer {
  readonly peer: Peer;
  readonly inventory = new TxInventory();
  readonly requests: TxRequests;
  readonly feeFilter = new FeeFilterTimer();
  /** Witness flag for the items of `getdata` messages to the peer. */
  readonly fetchFlag: number;
  /** Announcements ignored because the peer has too many, since it was last charged for them. */
  surplus = 0;

  /** @param times of the requests to all peers @param random from 0 up to 1 */
  constructor({ peer, preferred, hasWitness }: SyncPeer, times: RequestTimes, random: () => number) {
    this.peer = peer;
    this.requests = new TxRequests({ preferred, random }, times);
    this.fetchFlag = hasWitness ? WITNESS_FLAG : 0;
  }
}
