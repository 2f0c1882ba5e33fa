import { type Codec, list, mapped, struct, u8, u32 } from '../../primitives/codec.js';
import { type Hash160, type Hash256, hash160, hash256 } from '../../primitives/hash.js';
import type { Column } from '../../storage/view.js';
import { compareBytes } from '../../util/bytes.js';

/** Key ids of operators, in the order of their bytes, none twice. */
export type Team = readonly Hash160[];

export function asTeam(keys: Iterable<Hash160>): Team {
  const sorted = [...keys].sort(compareBytes);
  return sorted.filter((key, i) => i === 0 || compareBytes(key, sorted[i - 1] as Hash160) !== 0);
}

/** A set in whatever order it arrives, written in order. */
export const team: Codec<Team> = mapped(list(hash160), asTeam, (keys) => keys);

export interface AnchorTeams {
  /** Signs anchors. */
  readonly auth: Team;
  /** Signs the rewards of anchors. */
  readonly confirm: Team;
}

/** Teams from Dakota on, by the height of the block that chose them. */
export const anchorTeams: Column<number, AnchorTeams> = {
  name: 'dfi/anchor-teams',
  key: u32,
  value: struct<AnchorTeams>({ auth: team, confirm: team }),
};

/** Team before Dakota, under the one key 0; absent: that of genesis. */
export const currentTeams: Column<number, Team> = { name: 'dfi/anchor-team', key: u8, value: team };

/** Transaction that paid the reward of an anchor, by the anchor's transaction in Bitcoin; from Dakota on. */
export const anchorRewards: Column<Hash256, Hash256> = { name: 'dfi/anchor-reward', key: hash256, value: hash256 };

/** Height of the last block that a key signed. */
export const lastMinted: Column<Hash160, number> = { name: 'dfi/last-minted', key: hash160, value: u32 };

export const anchorColumns = [anchorTeams, currentTeams, anchorRewards, lastMinted] as const;
