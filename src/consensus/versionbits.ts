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
function signals(version: number, deployment: Deployment): boolean {
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
  return stageAfter(parent, deployment, params).status;
}

/** Height of the first block with the current status; 0 for `defined`. */
export function deploymentSince(parent: Ancestor | undefined, deployment: Deployment, params: NetworkParams): number {
  return stageAfter(parent, deployment, params).since;
}

/** Status, and the height of the first block with it. */
interface Stage {
  readonly status: DeploymentStatus;
  readonly since: number;
}

const DEFINED: Stage = { status: 'defined', since: 0 };
/** Windows from genesis on in which a final status is looked for first: most deployments were decided early, and most chains are long. */
const EARLY_WINDOWS = 64;

function stageAfter(parent: Ancestor | undefined, deployment: Deployment, params: Pick<NetworkParams, 'bip9'>): Stage {
  const { window } = params.bip9;
  // The status changes only between windows, so it is derived at the last block of the previous window.
  const known = knownStages(deployment);
  const ends: Ancestor[] = [];
  let end = parent?.ancestor(parent.height - ((parent.height + 1) % window));
  let stage = (end && known.finalStage(end)) ?? (end && decidedEarly(end, deployment, params)) ?? DEFINED;
  if (isFinal(stage)) return stage;
  while (end) {
    const before = known.byEnd.get(end);
    if (before) {
      stage = before;
      break;
    }
    if (BigInt(end.medianTimePast()) < deployment.startTime) break;
    ends.push(end);
    end = end.ancestor(end.height - window);
  }
  for (const at of ends.reverse()) {
    stage = nextStage(stage, at, deployment, params);
    known.set(at, stage);
  }
  return stage;
}

/** The final status below `end` if it was reached in the first windows of the chain. */
function decidedEarly(end: Ancestor, deployment: Deployment, params: Pick<NetworkParams, 'bip9'>): Stage | undefined {
  const { window } = params.bip9;
  const known = knownStages(deployment);
  if (end.height < window * EARLY_WINDOWS || known.byEnd.has(end)) return undefined;
  let stage = DEFINED;
  for (let i = 1; i <= EARLY_WINDOWS; i++) {
    const at = end.ancestor(i * window - 1) as Ancestor;
    stage = nextStage(stage, at, deployment, params);
    if (!isFinal(stage)) continue;
    known.set(at, stage);
    return stage;
  }
  return undefined;
}

function isFinal({ status }: Stage): boolean {
  return status === 'active' || status === 'failed';
}

/** Cache of the stages of a deployment; they never change. */
class KnownStages {
  /** By last block of a window. */
  readonly byEnd = new WeakMap<Ancestor, Stage>();
  /** Last block of the window that decided on the deployment, in the chain that was asked for last. */
  #decision: { readonly end: Ancestor; readonly stage: Stage } | undefined;

  set(end: Ancestor, stage: Stage): void {
    this.byEnd.set(end, stage);
    if (isFinal(stage) && stage.since === end.height + 1) this.#decision = { end, stage };
  }

  /** The final stage of all blocks above the deciding one. */
  finalStage(end: Ancestor): Stage | undefined {
    const decision = this.#decision;
    if (!decision || end.height < decision.end.height) return undefined;
    return end.ancestor(decision.end.height) === decision.end ? decision.stage : undefined;
  }
}

const stages = new WeakMap<Deployment, KnownStages>();

function knownStages(deployment: Deployment): KnownStages {
  const known = stages.get(deployment) ?? new KnownStages();
  stages.set(deployment, known);
  return known;
}

function nextStage(before: Stage, end: Ancestor, deployment: Deployment, { bip9 }: Pick<NetworkParams, 'bip9'>): Stage {
  const status = nextStatus(before.status, end, deployment, bip9);
  return status === before.status ? before : { status, since: end.height + 1 };
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
