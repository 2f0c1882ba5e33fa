import { i64, struct, u8, u32, varBytes, varInt32 } from '../../primitives/codec.js';
import { byteString } from '../kernel/text.js';
import { compareTexts, ordered } from './ordered.js';

/**
 * What attributes say of consortiums: who may mint a token that backs something, how much, and what was minted. They are those of the
 * reference below Metachain, which later gave their three numbers to forms that it does not use. Without a height nothing tells the
 * two layouts apart, so the later ones, which no message has reason to carry, cannot be read.
 * @see docs/protocol/defi.md 8.3
 */

/** One who may mint a token. Texts hold one char per byte. */
export interface ConsortiumMember {
  readonly id: string;
  readonly name: string;
  readonly owner: Uint8Array;
  readonly backingId: string;
  /** Satoshis, of all times. */
  readonly mintLimit: bigint;
  /** Satoshis a day. */
  readonly dailyLimit: bigint;
  /** 0 may mint, 1 may not. */
  readonly status: number;
}

/** Satoshis. Burning does not make room for minting. */
export interface ConsortiumTotal {
  readonly minted: bigint;
  readonly burnt: bigint;
}

export interface MemberTotal extends ConsortiumTotal {
  readonly id: string;
  /** Height at which the day of the last minting began. */
  readonly day: number;
  readonly dailyMinted: bigint;
}

/** By token. */
export interface TokenMembersTotal {
  readonly tokenId: number;
  readonly members: readonly MemberTotal[];
}
export interface TokenTotal extends ConsortiumTotal {
  readonly tokenId: number;
}

export const consortiumMembers = ordered(
  struct<ConsortiumMember>({
    id: byteString,
    name: byteString,
    owner: varBytes,
    backingId: byteString,
    mintLimit: i64,
    dailyLimit: i64,
    status: u8,
  }),
  (a, b) => compareTexts(a.id, b.id),
);

const memberTotals = ordered(struct<MemberTotal>({ id: byteString, minted: i64, burnt: i64, day: u32, dailyMinted: i64 }), (a, b) =>
  compareTexts(a.id, b.id),
);

export const tokenMembersTotals = ordered(
  struct<TokenMembersTotal>({ tokenId: varInt32, members: memberTotals }),
  (a, b) => a.tokenId - b.tokenId,
);

export const tokenTotals = ordered(struct<TokenTotal>({ tokenId: varInt32, minted: i64, burnt: i64 }), (a, b) => a.tokenId - b.tokenId);
