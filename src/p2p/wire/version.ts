import { bool, type Codec, i32, i64, u64 } from '../../primitives/codec.js';
import { limitedBytes } from './limits.js';
import { NO_ENDPOINT, type ServiceAddress, serviceAddress } from './net-address.js';

/** First message of each side. */
export interface Version {
  readonly version: number;
  readonly services: bigint;
  /** Clock of the sender, seconds since 1970. */
  readonly time: bigint;
  /** The receiver as the sender sees it. */
  readonly receiver: ServiceAddress;
  readonly sender: ServiceAddress;
  /** Random; a node that receives its own has connected to itself. */
  readonly nonce: bigint;
  readonly userAgent: string;
  readonly startHeight: number;
  /** False requests no announcements of transactions until a filter is loaded (BIP37). */
  readonly relay: boolean;
}

const limitedUserAgent = limitedBytes('userAgentBytes');

/** i32 version, u64 services, i64 time, receiver; then, as far as sent: sender, u64 nonce, user agent, i32 height, relay. */
export const version: Codec<Version> = {
  write(w, value) {
    i32.write(w, value.version);
    u64.write(w, value.services);
    i64.write(w, value.time);
    serviceAddress.write(w, value.receiver);
    serviceAddress.write(w, value.sender);
    u64.write(w, value.nonce);
    limitedUserAgent.write(w, Buffer.from(value.userAgent, 'utf8'));
    i32.write(w, value.startHeight);
    bool.write(w, value.relay);
  },
  // Old nodes omit later fields. The handshake rejects their version numbers, not the codec.
  read(r) {
    const head = { version: i32.read(r), services: u64.read(r), time: i64.read(r), receiver: serviceAddress.read(r) };
    const sender = r.remaining > 0 ? serviceAddress.read(r) : { services: 0n, ...NO_ENDPOINT };
    const nonce = r.remaining > 0 ? u64.read(r) : 0n;
    const userAgent = r.remaining > 0 ? userAgentText(limitedUserAgent.read(r)) : '';
    const startHeight = r.remaining > 0 ? i32.read(r) : 0;
    const relay = r.remaining > 0 ? bool.read(r) : true;
    return { ...head, sender, nonce, userAgent, startHeight, relay };
  },
};

const SAFE = /[^a-zA-Z0-9 .,;\-_/:?@()]/g;

/** The user agent, safe for logs and answers: without unsafe characters. */
function userAgentText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').replace(SAFE, '');
}
