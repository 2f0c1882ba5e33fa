import type { Chain } from '../chain/chain.js';
import { type NodeChange, type PassingChange, PassingEvents, type WalletChange } from '../events/passing.js';
import type { Pool } from '../mempool/pool.js';
import { observeStreams } from '../metrics/event-streams.js';
import { formatEndpoint } from '../p2p/addresses/ip.js';
import type { Peer } from '../p2p/net/peer.js';
import type { Peers } from '../p2p/net/peers.js';
import { EventLog } from '../services/events/log.js';
import { StreamTable } from '../services/events/stream-table.js';
import type { WalletTx } from '../wallet/txs/wallet-tx.js';
import type { StartedChain } from './chain.js';
import type { StartParts } from './parts.js';

/** Events that the node keeps in memory. */
export interface StartedEvents {
  readonly passing: PassingEvents;
  readonly log: EventLog;
  readonly streams: StreamTable;
  /** Adds an event after the last block. */
  note(change: PassingChange): void;
}

/** Starts to keep events that are not stored. */
export function startEvents({ registry }: Pick<StartParts, 'registry'>, { chain }: Pick<StartedChain, 'chain'>): StartedEvents {
  const [passing, log, streams] = [new PassingEvents(), new EventLog(chain), new StreamTable()];
  observeStreams(registry, streams);
  return { passing, log, streams, note: (change) => passing.add(log.state().next, change) };
}

/** Adds an event for each transaction that enters or leaves the mempool. */
export function noteMempool({ note }: StartedEvents, pool: Pick<Pool, 'on'>): void {
  pool.on('added', ({ tx, vsize, fee }) => note({ kind: 'mempool', txid: tx.txid, removed: undefined, vsize, fee }));
  pool.on('removed', ({ entry: { tx, vsize, fee }, reason }) => note({ kind: 'mempool', txid: tx.txid, removed: reason, vsize, fee }));
}

/** Adds an event for each peer that is connected or disconnected. */
export function notePeers({ note }: StartedEvents, peers: Pick<Peers, 'on'>): void {
  const changed = (state: NodeChange['state'], { id, endpoint, inbound }: Peer): void =>
    note({ kind: 'node', state, peer: { id, address: formatEndpoint(endpoint), inbound } });
  peers.on('ready', (peer) => changed('peer_connected', peer));
  peers.on('disconnected', (peer) => changed('peer_disconnected', peer));
}

/** Change of a transaction of a wallet. */
export function walletChange(wallet: { readonly name: string }, wtx: WalletTx, chain: Pick<Chain, 'confirmations'>): WalletChange {
  const { status } = wtx;
  const known = { kind: 'wallet', wallet: wallet.name, txid: wtx.tx.txid } as const;
  // A block that was disconnected neither confirms nor conflicts.
  if (!('block' in status) || wtx.depth(chain) === 0)
    return { ...known, status: status.kind === 'abandoned' ? 'abandoned' : 'unconfirmed', block: undefined };
  const { hash, entry } = status.block;
  return { ...known, status: status.kind, block: { hash, height: entry?.height } };
}
