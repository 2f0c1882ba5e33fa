import { TxInvalid } from '../../consensus/errors.js';
import { transactionVersion } from '../../consensus/transaction.js';
import { sha256d } from '../../crypto/hash.js';
import { recoverKeyId } from '../../crypto/key-id.js';
import { isActive, type NetworkParams } from '../../params/network.js';
import { ByteReader, type Codec, DecodeError, encode, list, struct, varBytes } from '../../primitives/codec.js';
import { formatHash, type Hash160, type Hash256 } from '../../primitives/hash.js';
import { isCoinbase, type Transaction } from '../../primitives/transaction.js';
import { scriptOf } from '../../script/address.js';
import { type Marker, markerPayload } from '../../script/marker.js';
import { Op } from '../../script/opcodes.js';
import { buildScript } from '../../script/script.js';
import type { WritableView } from '../../storage/view.js';
import { concatBytes, equalBytes, toHex } from '../../util/bytes.js';
import { communityBalance, setCommunityBalance } from '../accounts/community-columns.js';
import type { HeightContext } from '../kernel/block-context.js';
import { makeCoinbaseForm } from '../kernel/coinbase-form.js';
import { P2PKH, P2SH, P2WPKH } from '../masternodes/columns.js';
import {
  type Anchor,
  anchorConfirms,
  anchorFields,
  anchorRewards,
  type ConfirmedAnchor,
  confirmedAnchor,
  confirmHash,
  type Team,
  team,
} from './columns.js';
import { confirmTeamAt, currentTeam, nextTeam, setCurrentTeam } from './teams.js';

/** Context of the reward rules. They belong to the coinbase, not to a custom transaction, and need the chain that the block extends. */
export interface RewardContext extends HeightContext {
  /** Stake modifier of the parent block. */
  readonly parentModifier: Hash256;
  /** Hash of the block at a height of the chain that the block extends; undefined above its tip. */
  readonly blockHash: (height: number) => Hash256 | undefined;
}

/** Signed data before Dakota. In the reward transaction, teams and signatures follow it. */
const signedBefore: Codec<Anchor> = struct<Anchor>(anchorFields);
const teams = struct<{ readonly next: Team; readonly current: Team }>({ next: team, current: team });
const signatures = list(varBytes);
/** Reject reason of a reward that is paid to another address. */
const BAD_DESTINATION = 'bad-ar-dest';
/** Types of addresses that may be paid from Metachain on. */
const REWARD_TYPES: ReadonlyMap<number, 'pkh' | 'sh' | 'wpkh'> = new Map([
  [P2PKH, 'pkh'],
  [P2SH, 'sh'],
  [P2WPKH, 'wpkh'],
]);

/**
 * Checks and applies an anchor reward transaction: it pays the community balance for anchors to the creator of the anchor. Other
 * transactions are ignored.
 * @throws {TxInvalid} in the order of docs/protocol/defi.md 6.2
 */
export function payAnchorReward(tx: Transaction, view: WritableView, at: RewardContext): void {
  const since = rewardOf(tx, 'DfAP');
  const before = since ? undefined : rewardOf(tx, 'DfAf');
  try {
    if (since) payConfirmed(tx, new ByteReader(since), view, at);
    else if (before) payVoted(tx, new ByteReader(before), view, at);
  } catch (error) {
    if (error instanceof DecodeError) throw new TxInvalid('', `malformed anchor reward: ${error.message}`);
    throw error;
  }
}

/** Anchor and signatures of a reward from Dakota on; undefined for other transactions, and if the payload is malformed. */
export function paidAnchor(tx: Transaction): { readonly anchor: ConfirmedAnchor; readonly signatures: readonly Uint8Array[] } | undefined {
  const payload = rewardOf(tx, 'DfAP');
  if (!payload) return undefined;
  try {
    const r = new ByteReader(payload);
    return { anchor: confirmedAnchor.read(r), signatures: signatures.read(r) };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/**
 * Reward that a minter adds to the block at a height.
 * @param amount satoshis: the community balance for anchors
 * @returns undefined if no block may pay it: from Metachain on, an anchor may name an address type that no rule allows
 */
export function makeReward(
  anchor: ConfirmedAnchor,
  signed: readonly Uint8Array[],
  { amount, height, params }: { readonly amount: bigint; readonly height: number; readonly params: NetworkParams },
): Transaction | undefined {
  const payload = concatBytes(Buffer.from('DfAP', 'latin1'), encode(confirmedAnchor, anchor), encode(signatures, signed));
  const type = paidType(anchor, isActive(params, 'metachain', height));
  if (!type) return undefined;
  const vout = [
    { value: 0n, scriptPubKey: buildScript(Op.RETURN, payload), tokenId: 0 },
    { value: amount, scriptPubKey: scriptOf({ type, hash: anchor.rewardKeyId }), tokenId: 0 },
  ];
  return makeCoinbaseForm({ version: transactionVersion(params, height), vout }, height, params.txFormat);
}

/** Type of the paid address; undefined if none may be paid. */
function paidType({ rewardKeyType }: Anchor, isMetachain: boolean): 'pkh' | 'sh' | 'wpkh' | undefined {
  if (isMetachain) return REWARD_TYPES.get(rewardKeyType);
  return rewardKeyType === P2PKH ? 'pkh' : 'wpkh';
}

function rewardOf(tx: Transaction, marker: Marker): Uint8Array | undefined {
  const [first, ...others] = tx.vout;
  if (!first || others.length !== 1 || first.value !== 0n || !isCoinbase(tx)) return undefined;
  return markerPayload(first.scriptPubKey, marker)?.payload;
}

/** Applies a reward from Dakota on: signed by the confirm team of the parent's height, for a block of the active chain. */
function payConfirmed(tx: Transaction, r: ByteReader, view: WritableView, at: RewardContext): void {
  const { height, params } = at;
  if (!isActive(params, 'dakota', height)) throw new TxInvalid('', `New anchor TX type before Dakota fork. Height ${height}`);
  const anchor = confirmedAnchor.read(r);
  const signed = signatures.read(r);
  requireUnpaid(view, anchor);
  const members = confirmTeamAt(view, height - 1, params);
  const signers = members ? countSigners(confirmHash(anchor), signed, members) : 0;
  if (!members || signers === 0) throw new TxInvalid('bad-ar-sigs', 'anchor signatures are incorrect');
  const quorum = quorumOf(members, params);
  if (signed.length < quorum) throw new TxInvalid('', `anchor sigs (${signed.length}) < min quorum (${quorum}) `);
  if (signers < quorum) throw new TxInvalid('', `anchor unique keys (${signers}) < min quorum (${quorum}) `);
  requireAnchored(anchor, at);
  if (!paysDfiOnly(tx)) throw new TxInvalid('', 'anchor reward should be paid in DFI only');
  requireAmount(tx, communityBalance(view, 'anchor'), '');
  const isMetachain = isActive(params, 'metachain', height);
  // Until Metachain `defid` gives no reason here.
  requireDestination(tx, anchor, { isMetachain, reason: isMetachain ? BAD_DESTINATION : '' });
  setCommunityBalance(view, 'anchor', 0n);
  view.put(anchorRewards, anchor.btcTxHash, tx.txid);
  view.put(anchorConfirms, anchor.btcTxHash, anchor);
}

/** Applies a reward before Dakota: signed by the team that the previous reward announced, and announces the next team. */
function payVoted(tx: Transaction, r: ByteReader, view: WritableView, at: RewardContext): void {
  const { height, params, parentModifier } = at;
  if (isActive(params, 'dakota', height)) throw new TxInvalid('', `Old anchor TX type after Dakota fork. Height ${height}`);
  const anchor = signedBefore.read(r);
  const { next, current } = teams.read(r);
  const signed = signatures.read(r);
  requireUnpaid(view, anchor);
  if (countSigners(sha256d(encode(signedBefore, anchor)), signed, current) === 0) {
    throw new TxInvalid('bad-ar-sigs', 'anchor signatures are incorrect');
  }
  const quorum = quorumOf(current, params);
  if (signed.length < quorum) throw new TxInvalid('bad-ar-sigs-quorum', `anchor sigs (${signed.length}) < min quorum (${quorum}) `);
  const isFunded = isActive(params, 'amk', height);
  if (isFunded) {
    if (!paysDfiOnly(tx)) throw new TxInvalid('bad-ar-wrong-tokens', 'anchor reward should be payed only in Defi coins');
    requireAmount(tx, communityBalance(view, 'anchor'), 'bad-ar-amount');
  } else requireAtMost(tx, subsidyOf(anchor, params));
  requireDestination(tx, anchor, { isMetachain: false, reason: BAD_DESTINATION });
  if (!sameTeam(current, currentTeam(view, params))) throw new TxInvalid('bad-ar-curteam', 'anchor wrong current team');
  if (!sameTeam(next, nextTeam(view, height, parentModifier, params))) throw new TxInvalid('bad-ar-nextteam', 'anchor wrong next team');
  setCurrentTeam(view, next);
  if (isFunded) setCommunityBalance(view, 'anchor', 0n);
}

function requireUnpaid(view: WritableView, { btcTxHash }: Anchor): void {
  const paid = view.get(anchorRewards, btcTxHash);
  if (!paid) return;
  throw new TxInvalid('bad-ar-exists', `reward for anchor ${formatHash(btcTxHash)} already exists (tx: ${formatHash(paid)})`);
}

/** Number of distinct members that signed; 0 if any signature is invalid or not by a member. */
export function countSigners(hash: Hash256, found: readonly Uint8Array[], members: Team): number {
  const allowed = new Set(members.map(toHex));
  const signers = new Set<string>();
  for (const signature of found) {
    const signer = recoverKeyId(signature, hash);
    if (!signer || !allowed.has(toHex(signer))) return 0;
    signers.add(toHex(signer));
  }
  return signers.size;
}

/** Number of signatures that a team must give. */
export function quorumOf(members: Team, { anchor }: NetworkParams): number {
  return anchor.quorum ?? 1 + Math.floor((members.length * 2) / 3);
}

function requireAnchored({ anchorHeight, blockHash: claimed }: ConfirmedAnchor, { height, blockHash }: RewardContext): void {
  const found = blockHash(anchorHeight);
  if (!found) throw new TxInvalid('', `Active chain does not contain block height ${anchorHeight}. Chain height ${height - 1}`);
  if (equalBytes(found, claimed)) return;
  const texts = `Expected ${formatHash(found)} found ${formatHash(claimed)}`;
  throw new TxInvalid('', `Anchor and blockchain mismatch at height ${anchorHeight}. ${texts}`);
}

function paysDfiOnly(tx: Transaction): boolean {
  return tx.vout.every(({ tokenId }) => tokenId === 0);
}

/** Sum of the outputs in DFI. Before AMK outputs may have other tokens too, which no rule counts. */
function totalOf(tx: Transaction): bigint {
  return tx.vout.reduce((sum, { tokenId, value }) => (tokenId === 0 ? sum + value : sum), 0n);
}

function requireAmount(tx: Transaction, expected: bigint, reason: string): void {
  const paid = totalOf(tx);
  if (paid !== expected) throw new TxInvalid(reason, `anchor pays wrong amount (actual=${paid} vs expected=${expected})`);
}

function requireAtMost(tx: Transaction, limit: bigint): void {
  const paid = totalOf(tx);
  if (paid > limit) throw new TxInvalid('bad-ar-amount', `anchor pays too much (actual=${paid} vs limit=${limit})`);
}

/** Maximum reward before AMK, in satoshis: it grows with the number of blocks since the previous anchor. */
export function subsidyOf(
  { anchorHeight, previousAnchorHeight }: Pick<Anchor, 'anchorHeight' | 'previousAnchorHeight'>,
  { anchor }: NetworkParams,
): bigint {
  if (anchorHeight < previousAnchorHeight) return 0n;
  const periods = Math.floor((anchorHeight - previousAnchorHeight) / anchor.subsidyIncreasePeriod);
  return anchor.subsidy + BigInt(periods) * anchor.subsidyIncreaseValue;
}

function requireDestination(
  tx: Transaction,
  anchor: Anchor,
  { isMetachain, reason }: { readonly isMetachain: boolean; readonly reason: string },
): void {
  const type = paidType(anchor, isMetachain);
  const paid = tx.vout[1]?.scriptPubKey;
  if (type && paid && equalBytes(paid, scriptOf({ type, hash: anchor.rewardKeyId }))) return;
  throw new TxInvalid(reason, 'anchor pay destination is incorrect');
}

function sameTeam(a: Team, b: Team): boolean {
  return a.length === b.length && a.every((key, i) => equalBytes(key, b[i] as Hash160));
}
