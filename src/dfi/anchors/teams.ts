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
/** Members come from those that minted in this time. */
const SAMPLE_DAYS = 7;
/** What tells the orders of the two teams apart. */
const AUTH = encode(i32, 0);
const CONFIRM = encode(i32, 1);

/** What a block tells the choice of teams. */
export interface MintedBlock {
  readonly height: number;
  readonly stakeModifier: Hash256;
  /** Key that signed it; undefined if it is not signed. Asked only where it counts. */
  minter(): Hash160 | undefined;
}

/** Notes who minted, and after every so many blocks chooses the teams of the next ones. @see docs/protocol/defi.md 6.3 */
export function changeTeams(view: WritableView, block: MintedBlock, params: NetworkParams): void {
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

/** The teams that were chosen for `height`, which may be any; undefined if none were. */
export function teamsAt(view: StateView, height: number, { anchor }: Pick<NetworkParams, 'anchor'>): AnchorTeams | undefined {
  return height < 0 ? undefined : view.get(anchorTeams, height - (height % anchor.teamChange));
}

/** The team that signs rewards in the block above `height`; undefined if none was chosen. */
export function confirmTeamAt(view: StateView, height: number, params: Pick<NetworkParams, 'anchor'>): Team | undefined {
  return teamsAt(view, height, params)?.confirm;
}

/** Team that signs rewards before Dakota. */
export function currentTeam(view: StateView, params: NetworkParams): Team {
  return view.get(currentTeams, CURRENT) ?? genesisTeam(params);
}

export function setCurrentTeam(view: WritableView, team: Team): void {
  if (team.length > 0) view.put(currentTeams, CURRENT, team);
  else view.delete(currentTeams, CURRENT);
}

/** Team that follows the current one before Dakota. */
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

/** Those whose id and seed have the lowest hashes, taken as numbers. */
function firstOf(candidates: readonly Candidate[], seed: Uint8Array, count: number): Team {
  const ranked = candidates.map(({ id, node }) => ({ rank: sha256d(concatBytes(id, seed)).reverse(), key: node.operatorKey }));
  ranked.sort((a, b) => compareBytes(a.rank, b.rank));
  return asTeam(ranked.slice(0, count).map(({ key }) => key));
}
