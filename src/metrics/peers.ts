import { Counter, Gauge, type Registry } from 'prom-client';
import { watch } from './gauge.js';

/** The part of the peers that metrics read. */
export interface ObservedPeers {
  readonly count: number;
  countInbound(): number;
  readonly totals: { readonly received: number; readonly sent: number };
  readonly bans: { readonly size: number };
  readonly book: { readonly size: number };
  timeOffset(): number;
}

/** Metrics of the peers: values are read on scrape. */
export function observePeers(registry: Registry, peers: ObservedPeers): void {
  new Gauge({
    name: 'dfi_peers',
    help: 'Connections, by direction',
    labelNames: ['direction'],
    registers: [registry],
    collect() {
      const inbound = peers.countInbound();
      this.set({ direction: 'inbound' }, inbound);
      this.set({ direction: 'outbound' }, peers.count - inbound);
    },
  });
  new Counter({
    name: 'dfi_peer_bytes_total',
    help: 'Bytes exchanged with peers',
    labelNames: ['direction'],
    registers: [registry],
    // The totals are counted by the peers, so the counter is reset to them on scrape.
    collect() {
      this.reset();
      this.inc({ direction: 'received' }, peers.totals.received);
      this.inc({ direction: 'sent' }, peers.totals.sent);
    },
  });
  watch(registry, 'dfi_peer_bans', 'Addresses and ranges that are banned', () => peers.bans.size);
  watch(registry, 'dfi_peer_addresses', 'Addresses of nodes that are known', () => peers.book.size);
  watch(registry, 'dfi_peer_time_offset_seconds', 'Network time minus local time', () => peers.timeOffset());
}
