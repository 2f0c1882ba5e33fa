import { i64, struct, u8, u32, varBytes } from '../../primitives/codec.js';
import { varInt32 } from '../../primitives/var-int.js';
import { byteString } from '../kernel/text.js';
import { compareTexts, ordered } from './ordered.js';

/**
 * Attribute values of consortiums: the members that may mint a token, their limits, and the amounts minted. `defid` 3.2.8 has them up to
 * Metachain; 4.2.5 reuses their three variant numbers for types that it does not use. The bytes do not tell the two layouts apart, so
 * the later types cannot be decoded; no message has a reason to carry them.
 * @see docs/protocol/defi.md 8.3
 */

/** Member of a consortium. Texts hold one char per byte. */
export interface ConsortiumMember {
  readonly id: string;
  readonly name: string;
  /** Script that authorises minting and receives the minted tokens. */
  readonly owner: Uint8Array;
  readonly backingId: string;
  /** Limit of all minting ever, in satoshis. */
  readonly mintLimit: bigint;
  /** Limit per day of blocks, in satoshis. */
  readonly dailyLimit: bigint;
  /** 0 active, 1 inactive: must not mint. */
  readonly status: number;
}

/** Totals in satoshis. Burning does not raise the minting limit. */
export interface ConsortiumTotal {
  readonly minted: bigint;
  readonly burnt: bigint;
}

/** Totals of one member, in satoshis. */
export interface MemberTotal extends ConsortiumTotal {
  readonly id: string;
  /** First height of the day in which the member minted last. */
  readonly day: number;
  /** Satoshis minted in that day. */
  readonly dailyMinted: bigint;
}

/** Totals of the members of one token's consortium. */
export interface TokenMembersTotal {
  readonly tokenId: number;
  readonly members: readonly MemberTotal[];
}
/** Total of one token's consortium. */
export interface TokenTotal extends ConsortiumTotal {
  readonly tokenId: number;
}

/** Members, sorted by id. */
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

/** Totals of members, ascending by token id. */
export const tokenMembersTotals = ordered(
  struct<TokenMembersTotal>({ tokenId: varInt32, members: memberTotals }),
  (a, b) => a.tokenId - b.tokenId,
);

/** Totals, ascending by token id. */
export const tokenTotals = ordered(struct<TokenTotal>({ tokenId: varInt32, minted: i64, burnt: i64 }), (a, b) => a.tokenId - b.tokenId);
