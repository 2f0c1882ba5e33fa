import { sha256d } from '../../crypto/hash.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { encode, i32 } from '../../primitives/codec.js';
import { type Hash160, type Hash256, isNullHash } from '../../primitives/hash.js';
import { decodeDestination } from '../../script/address.js';
import type { StateView, WritableView } from '../../storage/view.js';
import { compareBytes, concatBytes } from '../../util/bytes.js';
import { isActiveMasternode, type Masternode, masternodes } from '../masternodes/columns.js';
import { type AnchorTeams, anchorTeams, asTeam, currentTeams, lastMinted, type Team } from './columns.js';

const CURRENT = 0;
/** Only masternodes that minted in this many days are candidates. */
const SAMPLE_DAYS = 7;
/** Suffixes of the hashed data, different for each of the two teams. */
const AUTH = encode(i32, 0);
const CONFIRM = encode(i32, 1);

/** Block data used to select teams. */
export interface MintedBlock {
  readonly height: number;
  readonly stakeModifier: Hash256;
  /** Key id that signed the block; undefined if it is not signed. Called only if needed, because recovery of the key is slow. */
  minter(): Hash160 | undefined;
}

/** Records the minter of a block and, at every multiple of the team change period, selects new teams. @see docs/protocol/defi.md 6.3 */
export function updateTeams(view: WritableView, block: MintedBlock, params: NetworkParams): void {
  const { height, stakeModifier } = block;
  const sample = SAMPLE_DAYS * params.blocksPerDay;
  if (height < params.upgrades.dakota - sample) return;
  const minter = block.minter();
  if (minter) view.put(lastMinted, minter, height);
  if (!isActive(params, 'dakota', height) || height % params.anchor.teamChange !== 0) return;
  const since = height - sample;
  const candidates = activeMasternodes(view, height, params).filter(
    ({ node }) => (view.get(lastMinted, node.operatorKey) ?? Number.NEGATIVE_INFINITY) > since,
  );
  if (candidates.length === 0) return;
  const choose = (kind: Uint8Array) => firstOf(candidates, concatBytes(stakeModifier, kind), params.anchor.teamSize);
  view.put(anchorTeams, height, { auth: choose(AUTH), confirm: choose(CONFIRM) });
}

/** Teams in force at a height of any value; undefined if none were selected. */
export function teamsAt(view: StateView, height: number, { anchor }: Pick<NetworkParams, 'anchor'>): AnchorTeams | undefined {
  return height < 0 ? undefined : view.get(anchorTeams, height - (height % anchor.teamChange));
}

/** Confirm team, which signs rewards in the block after `height`; undefined if none was selected. */
export function confirmTeamAt(view: StateView, height: number, params: Pick<NetworkParams, 'anchor'>): Team | undefined {
  return teamsAt(view, height, params)?.confirm;
}

/** Team that signs rewards before Dakota; at first the genesis team. */
export function currentTeam(view: StateView, params: NetworkParams): Team {
  return view.get(currentTeams, CURRENT) ?? genesisTeam(params);
}

/** Stores the team; an empty one resets it to the genesis team. */
export function setCurrentTeam(view: WritableView, team: Team): void {
  if (team.length > 0) view.put(currentTeams, CURRENT, team);
  else view.delete(currentTeams, CURRENT);
}

/** Team that must follow the current one before Dakota. */
export function nextTeam(view: StateView, height: number, parentModifier: Hash256, params: NetworkParams): Team {
  if (isNullHash(parentModifier)) return genesisTeam(params);
  return firstOf(activeMasternodes(view, height, params), parentModifier, params.anchor.teamSize);
}

function genesisTeam({ masternode, address }: NetworkParams): Team {
  const operators = masternode.genesis.map(({ operatorAddress }) => decodeDestination(operatorAddress, address));
  return asTeam(operators.flatMap((operator) => (operator && 'hash' in operator ? [operator.hash] : [])));
}

interface Candidate {
  readonly id: Hash256;
  readonly node: Masternode;
}

function activeMasternodes(view: StateView, height: number, params: NetworkParams): Candidate[] {
  const found: Candidate[] = [];
  for (const [id, node] of view.entries(masternodes)) if (isActiveMasternode(view, node, height, params)) found.push({ id, node });
  return found;
}

/** Selects the candidates with the lowest double SHA-256 of id and seed, compared as 256-bit little-endian numbers. */
function firstOf(candidates: readonly Candidate[], seed: Uint8Array, count: number): Team {
  const ranked = candidates.map(({ id, node }) => ({ rank: sha256d(concatBytes(id, seed)).reverse(), key: node.operatorKey }));
  ranked.sort((a, b) => compareBytes(a.rank, b.rank));
  return asTeam(ranked.slice(0, count).map(({ key }) => key));
}
