import type { Deployment, NetworkParams } from '../params/network.js';
import type { Ancestor } from './ancestry.js';

export type DeploymentStatus = 'defined' | 'started' | 'locked_in' | 'active' | 'failed';

const TOP_BITS = 0x20000000;
const TOP_MASK = 0xe0000000;

/** Block version without signals. */
export const VERSIONBITS_BASE = TOP_BITS;

/** Number of bits for signals, from the lowest. */
export const SIGNAL_BITS = 29;

/** Signalled bits of a block version; 0 if it is not a BIP9 version. */
export function signalledBits(version: number): number {
  return (version & TOP_MASK) >>> 0 === TOP_BITS ? version & ~TOP_MASK : 0;
}

/** True if a block version signals for the deployment. */
export function signals(version: number, deployment: Deployment): boolean {
  return ((signalledBits(version) >>> deployment.bit) & 1) === 1;
}

/**
 * Status of a deployment for the block after `parent`.
 * @param parent undefined for the genesis block
 * @see BIP9
 */
export function deploymentStatus(
  parent: Ancestor | undefined,
  deployment: Deployment,
  params: Pick<NetworkParams, 'bip9'>,
): DeploymentStatus {
  const { window, threshold } = params.bip9;
  // The status changes only between windows, so it is derived at the last block of the previous window.
  const known = knownStatuses(deployment);
  const ends: Ancestor[] = [];
  let end = parent?.ancestor(parent.height - ((parent.height + 1) % window));
  let status: DeploymentStatus = 'defined';
  while (end) {
    const before = known.get(end);
    if (before) {
      status = before;
      break;
    }
    if (BigInt(end.medianTimePast()) < deployment.startTime) break;
    ends.push(end);
    end = end.ancestor(end.height - window);
  }
  for (const at of ends.reverse()) {
    status = nextStatus(status, at, deployment, { window, threshold });
    known.set(at, status);
  }
  return status;
}

/** Cache of statuses by last block of a window; they never change. */
const statuses = new WeakMap<Deployment, WeakMap<Ancestor, DeploymentStatus>>();

function knownStatuses(deployment: Deployment): WeakMap<Ancestor, DeploymentStatus> {
  const known = statuses.get(deployment) ?? new WeakMap<Ancestor, DeploymentStatus>();
  statuses.set(deployment, known);
  return known;
}

function nextStatus(
  status: DeploymentStatus,
  end: Ancestor,
  deployment: Deployment,
  { window, threshold }: { readonly window: number; readonly threshold: number },
): DeploymentStatus {
  const time = BigInt(end.medianTimePast());
  switch (status) {
    case 'defined':
      return time >= deployment.timeout ? 'failed' : time >= deployment.startTime ? 'started' : 'defined';
    case 'started':
      if (time >= deployment.timeout) return 'failed';
      return countSignals(end, window, deployment) >= threshold ? 'locked_in' : 'started';
    case 'locked_in':
      return 'active';
    default:
      return status;
  }
}

function countSignals(end: Ancestor, blocks: number, deployment: Deployment): number {
  let count = 0;
  let at: Ancestor | undefined = end;
  for (let i = 0; i < blocks && at; i++, at = at.parent) if (signals(at.version, deployment)) count++;
  return count;
}

/** Height of the first block with the current status; 0 for `defined`. */
export function deploymentSince(parent: Ancestor | undefined, deployment: Deployment, params: NetworkParams): number {
  const status = deploymentStatus(parent, deployment, params);
  if (status === 'defined' || !parent) return 0;
  const { window } = params.bip9;
  let end = parent.ancestor(parent.height - ((parent.height + 1) % window));
  while (end) {
    const before = end.ancestor(end.height - window);
    if (deploymentStatus(before, deployment, params) !== status) return end.height + 1;
    end = before;
  }
  return 0;
}

/** Signals for a deployment in a window of `period` blocks, of which `threshold` must signal. */
export interface DeploymentStatistics {
  readonly period: number;
  readonly threshold: number;
  /** Blocks of the current window so far, and the number of them that signal. */
  readonly elapsed: number;
  readonly count: number;
  /** True if the threshold can still be reached in this window. */
  readonly possible: boolean;
}

/** Signals in the window of `tip`. */
export function deploymentStatistics(tip: Ancestor, deployment: Deployment, params: NetworkParams): DeploymentStatistics {
  const { window, threshold } = params.bip9;
  const end = tip.height - ((tip.height + 1) % window);
  const elapsed = tip.height - end;
  const count = countSignals(tip, elapsed, deployment);
  return { period: window, threshold, elapsed, count, possible: window - threshold >= elapsed - count };
}

/** Version of a block after `parent`: one bit for each deployment that is started or locked in. */
export function blockVersion(parent: Ancestor, params: Pick<NetworkParams, 'bip9'>): number {
  let version = VERSIONBITS_BASE;
  for (const deployment of params.bip9.deployments) {
    const status = deploymentStatus(parent, deployment, params);
    if (status === 'started' || status === 'locked_in') version |= 1 << deployment.bit;
  }
  return version;
}
