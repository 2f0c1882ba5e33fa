import { sha256d } from '../../crypto/hash.js';
import { type Codec, encode, list, mapped, struct, u8, u32 } from '../../primitives/codec.js';
import { type Hash160, type Hash256, hash160, hash256 } from '../../primitives/hash.js';
import type { Column } from '../../storage/view.js';
import { compareBytes } from '../../util/bytes.js';

/** Team of masternodes: key ids of operators, ascending bytewise, without duplicates. */
export type Team = readonly Hash160[];

/** Sorts keys and removes duplicates. */
export function asTeam(keys: Iterable<Hash160>): Team {
  const sorted = [...keys].sort(compareBytes);
  return sorted.filter((key, i) => i === 0 || compareBytes(key, sorted[i - 1] as Hash160) !== 0);
}

/** Count, then keys: accepted in any order, written in order. */
export const team: Codec<Team> = mapped(list(hash160), asTeam, (keys) => keys);

/** Teams in force for one period. */
export interface AnchorTeams {
  /** Signs anchors. */
  readonly auth: Team;
  /** Signs the rewards of anchors. */
  readonly confirm: Team;
}

/** Teams from Dakota on, by the height of the block that selected them. */
export const anchorTeams: Column<number, AnchorTeams> = {
  name: 'dfi/anchor-teams',
  key: u32,
  value: struct<AnchorTeams>({ auth: team, confirm: team }),
};

/** Team before Dakota, under the one key 0; the genesis team if absent. */
export const currentTeams: Column<number, Team> = { name: 'dfi/anchor-team', key: u8, value: team };

/** Txid of the reward transaction, by the Bitcoin txid of the anchor; from Dakota on. */
export const anchorRewards: Column<Hash256, Hash256> = { name: 'dfi/anchor-reward', key: hash256, value: hash256 };

/** Data of an anchor that the confirm team signs before Dakota. */
export interface Anchor {
  readonly btcTxHash: Hash256;
  readonly anchorHeight: number;
  readonly previousAnchorHeight: number;
  readonly rewardKeyId: Hash160;
  readonly rewardKeyType: number;
}

/** Data that the confirm team signs from Dakota on: additionally the anchored block and the anchor's height in the Bitcoin chain. */
export interface ConfirmedAnchor extends Anchor {
  /** Hash of the anchored block. */
  readonly blockHash: Hash256;
  readonly btcTxHeight: number;
}

/** Codecs of the fields of {@link Anchor}, in wire order. */
export const anchorFields = { btcTxHash: hash256, anchorHeight: u32, previousAnchorHeight: u32, rewardKeyId: hash160, rewardKeyType: u8 };
export const confirmedAnchor: Codec<ConfirmedAnchor> = struct<ConfirmedAnchor>({ ...anchorFields, blockHash: hash256, btcTxHeight: u32 });

/** Anchors whose rewards were paid, by their Bitcoin txid; from Dakota on. Not used by rules. */
export const anchorConfirms: Column<Hash256, ConfirmedAnchor> = { name: 'dfi/anchor-confirm', key: hash256, value: confirmedAnchor };

/** Hash that the confirm team signs. */
export function confirmHash(anchor: ConfirmedAnchor): Hash256 {
  return sha256d(encode(confirmedAnchor, anchor));
}

/** Height of the last block signed by an operator key. */
export const lastMinted: Column<Hash160, number> = { name: 'dfi/last-minted', key: hash160, value: u32 };

/** Columns of anchors, their teams and rewards. */
export const anchorColumns = [anchorTeams, currentTeams, anchorRewards, anchorConfirms, lastMinted] as const;
