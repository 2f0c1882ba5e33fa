import { type Codec, struct, u32, u64 } from '../../primitives/codec.js';
import { limitedList } from './limits.js';

/** IP address and port that a node listens on. */
export interface Endpoint {
  /** 16 bytes; IPv4 as ::ffff:a.b.c.d, a Tor v2 service as fd87:d87e:eb43::/48. */
  readonly ip: Uint8Array;
  readonly port: number;
}

/** An endpoint and the services that its node offers. */
export interface ServiceAddress extends Endpoint {
  readonly services: bigint;
}

/** Element of `addr`. */
export interface TimedAddress extends ServiceAddress {
  /** When the node was last known to be online, seconds since 1970. */
  readonly time: number;
}

/** The only field of the protocol in network byte order. */
const portBigEndian: Codec<number> = {
  write(w, port) {
    w.u8(port >>> 8);
    w.u8(port & 0xff);
  },
  read: (r) => (r.u8() << 8) | r.u8(),
};

/** Reads a copy: a view would keep the whole message in memory for as long as the address. */
const ipAddress: Codec<Uint8Array> = { write: (w, ip) => w.bytes(ip), read: (r) => Uint8Array.from(r.bytes(16)) };

/** 26 bytes: services, IP address, port. */
export const serviceAddress = struct<ServiceAddress>({ services: u64, ip: ipAddress, port: portBigEndian });

/** 30 bytes: time, services, IP address, port. */
const timedAddress = struct<TimedAddress>({ time: u32, services: u64, ip: ipAddress, port: portBigEndian });

/** Addresses of nodes that the sender knows. */
export const addr: Codec<readonly TimedAddress[]> = limitedList(timedAddress, 'addr', 30);

/** Placeholder in `version` for an address that is unknown or private. */
export const NO_ENDPOINT: Endpoint = { ip: new Uint8Array(16), port: 0 };
