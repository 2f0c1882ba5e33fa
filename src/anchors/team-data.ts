import type { Team } from '../dfi/anchors/columns.js';
import { type Codec, DecodeError, decode, encode, fixedBytes, struct, u64 } from '../primitives/codec.js';
import type { Hash160, Hash256 } from '../primitives/hash.js';
import { equalBytes } from '../util/bytes.js';

/** Beginning of team data, and of the data in the Bitcoin transaction of an anchor. */
export const ANCHOR_MARKER: Uint8Array = Buffer.from('DFA', 'latin1');
const PREFIX_SIZE = 9;

/** Block at which the signing team was in force, in place of the next team. It has the size of a key id. */
export interface TeamData {
  /** Height of the block. */
  readonly creation: number;
  /** First 9 bytes of its hash, in internal byte order. */
  readonly hashPrefix: Uint8Array;
}

const codec: Codec<{ readonly marker: Uint8Array; readonly creation: bigint; readonly hashPrefix: Uint8Array }> = struct({
  marker: fixedBytes(ANCHOR_MARKER.length),
  creation: u64,
  hashPrefix: fixedBytes(PREFIX_SIZE),
});

/** Team data for a block, as the only member of a team. */
export function teamData(height: number, blockHash: Hash256): Team {
  const hashPrefix = blockHash.subarray(0, PREFIX_SIZE);
  return [encode(codec, { marker: ANCHOR_MARKER, creation: BigInt(height), hashPrefix }) as Hash160];
}

/** @returns undefined if the team is not one pseudo key id with the marker */
export function readTeamData(team: Team): TeamData | undefined {
  const [only, ...others] = team;
  if (!only || others.length > 0) return undefined;
  try {
    const { marker, creation, hashPrefix } = decode(codec, only);
    return equalBytes(marker, ANCHOR_MARKER) ? { creation: Number(creation), hashPrefix } : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** True if the hash of a block begins with the prefix. */
export function namesBlock({ hashPrefix }: TeamData, blockHash: Hash256): boolean {
  return equalBytes(hashPrefix, blockHash.subarray(0, PREFIX_SIZE));
}
