import { sha256d } from '../../crypto/hash.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { ByteWriter } from '../../primitives/codec.js';
import type { Hash256 } from '../../primitives/hash.js';
import { decodeCompact } from './target.js';

/** Stake of a masternode at one height. */
export interface Stake {
  readonly masternodeId: Hash256;
  /** Height at which the masternode was created, by which its collateral amount is determined. */
  readonly creationHeight: number;
  /** Timelock in effect, weeks: 0, 260 or 520. */
  readonly timelock: number;
  /** Time of the last block of each of the four sub-nodes, seconds since 1970. */
  readonly lastBlockTimes: readonly number[];
}

/** Block data in the kernel. */
export interface KernelInput {
  readonly height: number;
  readonly time: number;
  readonly bits: number;
  readonly stakeModifier: Hash256;
}

const AGE_STEP = 21_600;
const MASK_256 = (1n << 256n) - 1n;
const FIVE_YEARS = 260;
const TEN_YEARS = 520;

/** Collateral in satoshis by creation height; the amount actually locked does not matter. */
export function stakeCollateral(creationHeight: number, params: NetworkParams): bigint {
  return isActive(params, 'dakota', creationHeight) ? params.masternode.collateralDakota : params.masternode.collateral;
}

/** Number of sub-nodes of a masternode, 1 to 4. @param timelock weeks */
export function subNodeCount(timelock: number, height: number, params: NetworkParams): number {
  if (!isActive(params, 'eunosPaya', height)) return 1;
  return timelock === TEN_YEARS ? 4 : timelock === FIVE_YEARS ? 3 : 2;
}

/** Factor on the target by the age of a sub-node since its last block: 1 to 57. */
export function stakeWeight(blockTime: number, lastBlockTime: number, params: NetworkParams): bigint {
  const age = Math.max(Math.min(blockTime - lastBlockTime, params.pos.stakeMaxAge), params.pos.stakeMinAge);
  return BigInt(Math.trunc((age + AGE_STEP) / AGE_STEP));
}

/** Kernel hash of one sub-node as a 256-bit number. */
function kernelHash(at: KernelInput, stake: Stake, subNode: number, params: NetworkParams): bigint {
  const w = new ByteWriter(81);
  w.bytes(at.stakeModifier);
  w.i64(BigInt(at.time));
  w.i64(stakeCollateral(stake.creationHeight, params));
  w.bytes(stake.masternodeId);
  if (isActive(params, 'eunosPaya', at.height)) w.u8(subNode);
  return BigInt(`0x${Buffer.from(sha256d(w.finish())).reverse().toString('hex')}`);
}

function meetsTarget(at: KernelInput, stake: Stake, subNode: number, params: NetworkParams): boolean {
  const weight = isActive(params, 'dakotaCrescent', at.height) ? stakeWeight(at.time, stake.lastBlockTimes[subNode] ?? 0, params) : 1n;
  const target = (decodeCompact(at.bits) * weight) & MASK_256;
  return kernelHash(at, stake, subNode, params) / stakeCollateral(stake.creationHeight, params) <= target;
}

/**
 * The first sub-node whose kernel meets the target.
 * @returns its index, or undefined if none does
 * @see docs/protocol/chain.md 3.2
 */
export function findKernel(at: KernelInput, stake: Stake, params: NetworkParams): number | undefined {
  const count = subNodeCount(stake.timelock, at.height, params);
  for (let subNode = 0; subNode < count; subNode++) if (meetsTarget(at, stake, subNode, params)) return subNode;
  return undefined;
}
