import { randomBytes } from 'node:crypto';
import type { Peer } from './peer.js';

const SECOND = 1000;
const PING_INTERVAL_MS = 120 * SECOND;
const TIMEOUT_MS = 20 * 60 * SECOND;

/** Sends a ping. */
export function sendPing(peer: Peer, nowMs: number): void {
  const nonce = randomBytes(8).readBigUInt64LE() || 1n;
  peer.latency.sent(nonce, nowMs);
  peer.send({ command: 'ping', payload: { nonce } });
}

/** Sends a ping if none is pending and the interval has passed. */
export function pingIfDue(peer: Peer, nowMs: number): void {
  const { waitingSince, sentMs } = peer.latency;
  if (waitingSince === undefined && (sentMs === 0 || nowMs - sentMs >= PING_INTERVAL_MS)) sendPing(peer, nowMs);
}

/**
 * Returns the reason to disconnect a silent peer, with the text of defid; undefined if there is none.
 * @param peerTimeoutSec -peertimeout: time after connecting in which nothing is checked
 */
export function timeoutOf(peer: Peer, peerTimeoutSec: number, nowMs: number): string | undefined {
  if (nowMs - peer.connectedMs <= peerTimeoutSec * SECOND) return undefined;
  const { lastSentMs, lastReceivedMs } = peer.traffic;
  if (lastReceivedMs === 0 || lastSentMs === 0) {
    const flags = `${Number(lastReceivedMs !== 0)} ${Number(lastSentMs !== 0)}`;
    return `socket no message in first ${peerTimeoutSec} seconds, ${flags} from ${peer.id}`;
  }
  if (nowMs - lastSentMs > TIMEOUT_MS) return `socket sending timeout: ${Math.floor((nowMs - lastSentMs) / SECOND)}s`;
  if (nowMs - lastReceivedMs > TIMEOUT_MS) return `socket receive timeout: ${Math.floor((nowMs - lastReceivedMs) / SECOND)}s`;
  const { waitingSince } = peer.latency;
  if (waitingSince !== undefined && nowMs - waitingSince > TIMEOUT_MS) {
    return `ping timeout: ${((nowMs - waitingSince) / SECOND).toFixed(6)}s`;
  }
  return peer.ready ? undefined : `version handshake timeout from ${peer.id}`;
}
