import { type Codec, encode, i64, struct, u8, u32, u32be, varBytes } from '../../primitives/codec.js';
import { type Hash256, hash256 } from '../../primitives/hash.js';
import type { AnyColumn, Column, StateView } from '../../storage/view.js';
import { ArithmeticError } from '../kernel/rejected.js';
import { byteString } from '../kernel/text.js';

/** Community fund proposal (CFP) and vote of confidence (VOC). */
export const ProposalType = { communityFund: 1, confidence: 2 } as const;
/** Stored statuses of proposals. */
export const ProposalStatus = { voting: 1, rejected: 2, completed: 3 } as const;
/** Stored votes. */
export const Vote = { yes: 1, no: 2, neutral: 3 } as const;

/** Option bit of a proposal with a single, immediate vote. */
export const EMERGENCY = 1;

/** Contents of a proposal's message. Texts hold one char per byte. */
export interface ProposalTerms {
  readonly type: number;
  /** Recipient script; empty for a vote of confidence. */
  readonly address: Uint8Array;
  /** Satoshis of DFI per cycle. */
  readonly amount: bigint;
  readonly cycles: number;
  readonly title: string;
  readonly context: string;
  readonly contextHash: string;
  /** Bit 0: emergency. */
  readonly options: number;
}

/** Record of a proposal. Fees are satoshis of DFI. */
export interface Proposal extends ProposalTerms {
  readonly creationHeight: number;
  /** Height of the end of the last cycle; after the decision, its height. */
  readonly endHeight: number;
  /** Blocks per voting period. */
  readonly votingPeriod: number;
  /** Part of the counted votes that must be exceeded, of 10,000. */
  readonly approvalThreshold: bigint;
  /** Part of the masternodes that must be exceeded by the number of votes, of 10,000. */
  readonly quorum: bigint;
  readonly fee: bigint;
  readonly feeBurn: bigint;
  readonly status: number;
  /** Current cycle, or the one of the decision; the first is 1. */
  readonly cycle: number;
}

/** Fields of the message, which are also the first fields of the record. */
export const proposalTerms = {
  type: u8,
  address: varBytes,
  amount: i64,
  cycles: u8,
  title: byteString,
  context: byteString,
  contextHash: byteString,
  options: u8,
} as const;

/** Proposals by the transaction that created them. Lists and rules iterate in the order of its bytes. */
export const proposals: Column<Hash256, Proposal> = {
  name: 'dfi/proposal',
  key: hash256,
  value: struct<Proposal>({
    ...proposalTerms,
    creationHeight: u32,
    endHeight: u32,
    votingPeriod: u32,
    approvalThreshold: i64,
    quorum: i64,
    fee: i64,
    feeBurn: i64,
    status: u8,
    cycle: u8,
  }),
};

/** A masternode, by the txid of its creation, and the cycle in which it votes, from 1. */
export interface VoteKey {
  readonly proposalId: Hash256;
  readonly cycle: number;
  readonly masternodeId: Hash256;
}

export const voteKey: Codec<VoteKey> = struct<VoteKey>({ proposalId: hash256, cycle: u8, masternodeId: hash256 });

/** Last vote of each masternode in each cycle. Fees are redistributed in this order. */
export const proposalVotes: Column<VoteKey, number> = { name: 'dfi/proposal-vote', key: voteKey, value: u8 };

export interface CycleEnd {
  readonly height: number;
  readonly proposalId: Hash256;
}

const cycleEnd: Codec<CycleEnd> = struct<CycleEnd>({ height: u32be, proposalId: hash256 });

/** Cycles of open proposals by the height at which they end, then by proposal: decided in this order. */
export const cycleEnds: Column<CycleEnd, number> = { name: 'dfi/proposal-cycle-end', key: cycleEnd, value: u8 };

/** Columns of proposals, votes and ends of cycles. */
export const proposalColumns: readonly AnyColumn[] = [proposals, proposalVotes, cycleEnds];

export function isEmergency({ options }: Pick<ProposalTerms, 'options'>): boolean {
  return (options & EMERGENCY) !== 0;
}

/**
 * Height at which a cycle ends. Ends of cycles are multiples of the period, so the first cycle has up to two periods. Heights wrap around
 * at 32 bits.
 */
export function endOfCycle({ creationHeight, votingPeriod, ...proposal }: Proposal, cycle: number): number {
  if (isEmergency(proposal)) return proposal.endHeight;
  if (votingPeriod === 0) throw new ArithmeticError('a voting period has no blocks');
  return (creationHeight + (votingPeriod - (creationHeight % votingPeriod)) + votingPeriod * cycle) >>> 0;
}

/** End of the current cycle. */
export function cycleEndHeight(proposal: Proposal): number {
  return endOfCycle(proposal, proposal.cycle);
}

/** Votes on a proposal in one cycle, by masternode. */
export function* votesOf(view: StateView, proposalId: Hash256, cycle: number): Generator<readonly [Hash256, number]> {
  // All of the key but the masternode.
  const prefix = encode(voteKey, { proposalId, cycle, masternodeId: new Uint8Array(32) }).subarray(0, -32);
  for (const [{ masternodeId }, vote] of view.entries(proposalVotes, { prefix })) yield [masternodeId, vote];
}

/** A part of a whole, of 10,000: in single precision, then rounded half up. @see docs/protocol/defi.md 5.5 */
export function tally(part: number, whole: number): number {
  // A double holds the sum exactly, so this rounds as lround does.
  return Math.floor(Math.fround(Math.fround(Math.fround(part) * 10_000) / Math.fround(whole)) + 0.5);
}
