import { type Codec, struct, u32, u64 } from '../../primitives/codec.js';

/** Where a node listens. */
export interface Endpoint {
  /** 16 bytes; IPv4 as ::ffff:a.b.c.d, a Tor v2 service as fd87:d87e:eb43::/48. */
  readonly ip: Uint8Array;
  readonly port: number;
}

/** An endpoint and what it offers. */
export interface ServiceAddress extends Endpoint {
  readonly services: bigint;
}

/** What `addr` carries: also when the node was last known to be there, in seconds since 1970. */
export interface TimedAddress extends ServiceAddress {
  readonly time: number;
}

/** Ports alone travel in network byte order. */
const portBigEndian: Codec<number> = {
  write(w, port) {
    w.u8(port >>> 8);
    w.u8(port & 0xff);
  },
  read: (r) => (r.u8() << 8) | r.u8(),
};

/** A copy: addresses live long, and must not keep the message alive that they came with. */
const ipAddress: Codec<Uint8Array> = { write: (w, ip) => w.bytes(ip), read: (r) => Uint8Array.from(r.bytes(16)) };

/** 26 bytes: services, IP address, port. */
export const serviceAddress = struct<ServiceAddress>({ services: u64, ip: ipAddress, port: portBigEndian });

/** 30 bytes: time, services, IP address, port. */
export const timedAddress = struct<TimedAddress>({ time: u32, services: u64, ip: ipAddress, port: portBigEndian });

/** What stands in a version message where an address is unknown or private. */
export const NO_ENDPOINT: Endpoint = { ip: new Uint8Array(16), port: 0 };
