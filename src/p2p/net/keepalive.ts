import { randomBytes } from 'node:crypto';
import type { Peer } from './peer.js';

const SECOND = 1000;
const PING_INTERVAL_MS = 120 * SECOND;
const TIMEOUT_MS = 20 * 60 * SECOND;

/** Asks for a sign of life. */
export function sendPing(peer: Peer, nowMs: number): void {
  const nonce = randomBytes(8).readBigUInt64LE() || 1n;
  peer.latency.sent(nonce, nowMs);
  peer.send({ command: 'ping', payload: { nonce } });
}

/** Pings a peer whose turn it is. */
export function pingIfDue(peer: Peer, nowMs: number): void {
  const { waitingSince, sentMs } = peer.latency;
  if (waitingSince === undefined && (sentMs === 0 || nowMs - sentMs >= PING_INTERVAL_MS)) sendPing(peer, nowMs);
}

/**
 * Why a peer is given up for silence, in the reference's words; undefined while it is lively enough.
 * @param peerTimeoutSec until then a peer may take its time
 */
export function silenceOf(peer: Peer, peerTimeoutSec: number, nowMs: number): string | undefined {
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
