import type { RegtestBitcoin } from '../bitcoin/regtest-bitcoin.js';
import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import { signCompact } from '../crypto/ecdsa.js';
import type { PrivateKey } from '../crypto/keys.js';
import { communityBalance } from '../dfi/accounts/community-columns.js';
import { anchorRewards, type ConfirmedAnchor, confirmHash, type Team } from '../dfi/anchors/columns.js';
import { makeReward, paidAnchor, quorumOf } from '../dfi/anchors/reward.js';
import { confirmTeamAt, teamsAt } from '../dfi/anchors/teams.js';
import { isActiveMasternode, masternodeByOperator } from '../dfi/masternodes/columns.js';
import { isActive } from '../params/network.js';
import { type Hash160, type Hash256, isNullHash, NULL_HASH } from '../primitives/hash.js';
import type { Transaction } from '../primitives/transaction.js';
import { equalBytes, toHex } from '../util/bytes.js';
import type { Clock } from '../util/clock.js';
import { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import type { Anchor, PlacedAnchor } from './anchor.js';
import { type AnchorAuth, type AnchorData, anchorDataHash } from './auth-message.js';
import { AuthPool, type CollectedAuth, readAuth } from './auth-pool.js';
import { BitcoinAnchors } from './bitcoin-anchors.js';
import type { AnchorConfirm } from './confirm-message.js';
import { type CollectedConfirm, ConfirmPool, readConfirm } from './confirm-pool.js';
import { anchoredHeight, placeAnchor } from './placement.js';
import { readTeamData, teamData } from './team-data.js';

/** Number of anchor heights (multiples of the frequency) below the tip whose signatures a node requests after initial block download. */
const ASKED_FREQUENCIES = 5;

/** Maximum number of signatures that are kept until the blocks that they sign arrive. */
const MAX_EARLY = 200;

/** Parts of the node that `Anchors` uses. */
export interface AnchorsDeps {
  readonly chain: Pick<Chain, 'on' | 'tip' | 'entryAt' | 'entry' | 'isActive' | 'forkPoint' | 'isInitialDownload' | 'params' | 'state'>;
  /** Undefined if this node has no view of the Bitcoin chain. It then checks and relays signatures, but signs nothing. */
  readonly bitcoin: RegtestBitcoin | undefined;
  /** Key of an operator, if an unlocked wallet has it. */
  readonly key: (operator: Hash160) => PrivateKey | undefined;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly log: Pick<Logger, 'debug'>;
}

/** Messages to peers. */
export interface AnchorsEvents {
  auth: CollectedAuth;
  confirm: CollectedConfirm;
  /** Signatures of blocks in this range may have been missed; peers are to be asked for them. */
  missed: { readonly low: BlockIndexEntry; readonly high: BlockIndexEntry };
}

/**
 * - `added`: new and valid, to be relayed
 * - `known`: already collected
 * - `refused`: not valid on this tip
 */
export type Verdict = 'added' | 'known' | 'refused';

/**
 * Anchors of the chain in Bitcoin: collects the signatures of masternodes for the next anchor and for the rewards of anchors, and gives those
 * of masternodes whose keys the wallets have. @see docs/protocol/chain.md 7.2, docs/protocol/defi.md 6
 */
export class Anchors {
  readonly auths = new AuthPool();
  readonly confirms = new ConfirmPool();
  /** Undefined without a view of the Bitcoin chain. */
  readonly inBitcoin: BitcoinAnchors | undefined;
  readonly #deps: AnchorsDeps;
  readonly #events = new Emitter<AnchorsEvents>();
  /** By hash of the message. A signature often arrives before the block at which it was given. */
  readonly #early = new Map<string, CollectedAuth>();
  #tip: BlockIndexEntry;
  #asked = false;

  constructor(deps: AnchorsDeps) {
    const { bitcoin, chain } = deps;
    this.#deps = deps;
    this.#tip = chain.tip;
    this.inBitcoin = bitcoin && new BitcoinAnchors({ bitcoin, chain });
    chain.on('connected', ({ block, entry }) => this.#connected(block.transactions, entry.height));
    chain.on('disconnected', ({ block }) => this.#disconnected(block.transactions));
    chain.on('tip', (tip) => this.#tipChanged(tip));
    bitcoin?.on('height', () => this.#checkActive());
  }

  on<Name extends keyof AnchorsEvents>(name: Name, listener: (event: AnchorsEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /** Collects the signature of a masternode for an anchor, if it is one of the team in force. */
  addAuth(auth: AnchorAuth): Verdict {
    const collected = readAuth(auth);
    if (!collected) return 'refused';
    if (this.auths.find(collected.id)) return 'known';
    // Anyone can make a second signature of a first one, so the sender is not to blame; `defid` disconnects it.
    if (this.auths.hasVote(collected.signed, collected.signer)) return 'refused';
    const judged = this.#judge(collected);
    if (judged === 'early') this.#keepEarly(collected);
    return judged === 'valid' && this.auths.add(collected) ? 'added' : 'refused';
  }

  /** `early`: the active chain does not reach the blocks of the anchor. */
  #judge({ auth, signer }: CollectedAuth): 'valid' | 'early' | 'invalid' {
    const { chain } = this.#deps;
    if (this.inBitcoin && !this.#followsTop(auth, this.inBitcoin)) return 'invalid';
    const placement = placeAnchor(auth, chain);
    if (placement.status !== 'placed') return placement.status === 'unknown' ? 'early' : 'invalid';
    const members = teamsAt(chain.state, placement.creation, chain.params)?.auth ?? [];
    return members.some((member) => equalBytes(member, signer)) ? 'valid' : 'invalid';
  }

  #keepEarly(collected: CollectedAuth): void {
    this.#early.set(toHex(collected.id), collected);
    const [oldest] = this.#early.keys();
    if (this.#early.size > MAX_EARLY && oldest !== undefined) this.#early.delete(oldest);
  }

  /** Collects the signatures whose blocks arrived after them, if these blocks are connected now. */
  #retryEarly(): void {
    for (const [key, collected] of this.#early) {
      const judged = this.#judge(collected);
      if (judged === 'early') continue;
      this.#early.delete(key);
      if (judged !== 'valid' || !this.auths.add(collected)) continue;
      this.#events.emit('auth', collected);
    }
  }

  /** True for a block above the last confirmed anchor that names that anchor. */
  #followsTop({ previousAnchor, height }: AnchorData, inBitcoin: BitcoinAnchors): boolean {
    const { top } = inBitcoin;
    if (top) return equalBytes(previousAnchor, top.txid) && height > top.anchor.height;
    const before = isNullHash(previousAnchor) ? undefined : inBitcoin.find(previousAnchor);
    return isNullHash(previousAnchor) || (before !== undefined && height > before.anchor.height);
  }

  /** Collects the signature of a masternode for the reward of an anchor, if it is one of the team in force. */
  addConfirm(confirm: AnchorConfirm): Verdict {
    const collected = readConfirm(confirm);
    if (!collected) return 'refused';
    if (this.confirms.find(collected.id)) return 'known';
    return this.#isValidConfirm(collected) && this.confirms.add(collected) ? 'added' : 'refused';
  }

  #isValidConfirm({ confirm, signer }: CollectedConfirm): boolean {
    const { state, tip, params } = this.#deps.chain;
    const members = confirmTeamAt(state, tip.height, params) ?? [];
    const operated = masternodeByOperator(state, signer);
    return (
      members.some((member) => equalBytes(member, signer)) &&
      operated !== undefined &&
      isActiveMasternode(state, operated.node, tip.height, params) &&
      this.#isAnchored(confirm) &&
      state.get(anchorRewards, confirm.btcTxHash) === undefined
    );
  }

  #isAnchored({ anchorHeight, blockHash }: ConfirmedAnchor): boolean {
    const block = this.#deps.chain.entryAt(anchorHeight);
    return block !== undefined && equalBytes(block.hash, blockHash);
  }

  /**
   * The highest anchor that has enough signatures.
   * @param reward key and address type that get the reward
   * @returns undefined if there is none
   */
  best(reward: Pick<Anchor, 'rewardKeyId' | 'rewardKeyType'>): Anchor | undefined {
    const { chain, clock } = this.#deps;
    const top = this.inBitcoin?.top;
    for (const group of this.auths.groups()) {
      const [first] = group;
      if (!first || first.auth.height <= (top?.anchor.height ?? 0)) break;
      if (top && !equalBytes(first.auth.previousAnchor, top.txid)) continue;
      const quorum = this.#quorumFor(first.auth);
      const block = chain.entryAt(first.auth.height);
      if (group.length < quorum || !block || block.time + chain.params.anchor.timeDepth > clock.seconds()) continue;
      const chosen = group.slice(0, quorum);
      if (!chosen.every((collected) => this.#judge(collected) === 'valid')) continue;
      const { previousAnchor, height, blockHash, nextTeam } = first.auth;
      return { previousAnchor, height, blockHash, nextTeam, signatures: chosen.map(({ auth }) => auth.signature), ...reward };
    }
    return undefined;
  }

  #quorumFor({ nextTeam }: AnchorData): number {
    const { state, params } = this.#deps.chain;
    const named = readTeamData(nextTeam);
    const members = named && teamsAt(state, named.creation, params)?.auth;
    return members ? quorumOf(members, params) : 1 + Math.floor((params.anchor.teamSize * 2) / 3);
  }

  /** Reward that a block on the tip pays; undefined if no anchor has enough signatures. */
  reward(): Transaction | undefined {
    const { tip, state, params } = this.#deps.chain;
    if (this.confirms.size === 0 || !isActive(params, 'dakota', tip.height)) return undefined;
    const height = tip.height + 1;
    // On main, other nodes rejected blocks with rewards below this height.
    if (!params.isTestnet && !params.isRegtest && !isActive(params, 'eunosKampung', height)) return undefined;
    const members = confirmTeamAt(state, tip.height, params) ?? [];
    const chosen = this.confirms.quorumOf(members, quorumOf(members, params));
    const [first] = chosen;
    if (!first || !this.#isAnchored(first.confirm) || state.get(anchorRewards, first.confirm.btcTxHash)) return undefined;
    const signatures = chosen.map(({ confirm }) => confirm.signature);
    return makeReward(first.confirm, signatures, { amount: communityBalance(state, 'anchor'), height, params });
  }

  #connected(transactions: readonly Transaction[], height: number): void {
    const { params } = this.#deps.chain;
    if (this.confirms.size > 0 && transactions.some(paidAnchor)) this.confirms.clear();
    if (!isActive(params, 'dakota', height) || height % params.anchor.teamChange !== 0) return;
    this.confirms.clear();
    this.#confirm();
  }

  /** The signatures of a reward whose block was disconnected can be used again. */
  #disconnected(transactions: readonly Transaction[]): void {
    const paid = transactions.flatMap((tx) => paidAnchor(tx) ?? []);
    for (const { anchor, signatures } of paid) {
      for (const signature of signatures) {
        const collected = readConfirm({ ...anchor, signature });
        if (collected) this.confirms.add(collected);
      }
    }
    if (paid.length > 0) this.#confirm();
  }

  #tipChanged(tip: BlockIndexEntry): void {
    const { bitcoin, chain } = this.#deps;
    const old = this.#tip;
    this.#tip = tip;
    this.#retryEarly();
    if (!bitcoin || !this.inBitcoin || chain.isInitialDownload()) return;
    if (!this.#asked) this.#askForRecent(tip);
    this.#sign(old, tip, this.inBitcoin);
    if (!isActive(chain.params, 'dakota', tip.height)) return;
    this.inBitcoin.checkPending();
    this.#checkActive();
  }

  #askForRecent(tip: BlockIndexEntry): void {
    const { chain } = this.#deps;
    this.#asked = true;
    const low = chain.entryAt(Math.max(0, tip.height - chain.params.anchor.frequency * ASKED_FREQUENCIES));
    if (low) this.#events.emit('missed', { low, high: tip });
  }

  /** Signs anchors of the blocks after the fork of the old tip, for each masternode of the team in force whose key a wallet has. */
  #sign(old: BlockIndexEntry, tip: BlockIndexEntry, { top }: BitcoinAnchors): void {
    const { chain } = this.#deps;
    const { frequency, teamChange } = chain.params.anchor;
    const members = teamsAt(chain.state, tip.height, chain.params)?.auth ?? [];
    const topHeight = top?.anchor.height ?? 0;
    if (members.length === 0 || tip.height <= topHeight) return;
    const fork = Math.max(chain.forkPoint(old).height - frequency, topHeight, 0);
    const low = chain.entryAt(fork);
    if (low && !(tip.parent && equalBytes(tip.parent.hash, old.hash))) this.#events.emit('missed', { low, high: tip });
    const signers = this.#signersOf(members);
    if (signers.length === 0) return;
    // Blocks before the last change of teams had another team.
    const lowest = Math.max(fork + 1, tip.height - (tip.height % teamChange));
    for (let height = tip.height - (tip.height % frequency); height >= lowest; height -= frequency) {
      const creation = chain.entryAt(height);
      const block = creation && chain.entryAt(anchoredHeight(creation, chain));
      if (!creation || !block || block.height <= topHeight) return;
      const data: AnchorData = {
        previousAnchor: top?.txid ?? NULL_HASH,
        height: block.height,
        blockHash: block.hash,
        nextTeam: teamData(height, creation.hash),
      };
      for (const signer of signers) this.#signAnchor(data, signer);
    }
  }

  #signAnchor(data: AnchorData, { operator, key }: Signer): void {
    const hash = anchorDataHash(data);
    if (this.auths.hasVote(hash, operator)) return;
    const collected = readAuth({ ...data, signature: signCompact(hash, key.secret, key.compressed) });
    if (!collected || !this.auths.add(collected)) return;
    this.#deps.log.debug('signed an anchor', { height: data.height, operator: toHex(operator) });
    this.#events.emit('auth', collected);
  }

  /** Chooses the confirmed anchors again, drops signatures that they make useless, and confirms their rewards. */
  #checkActive(): void {
    const { inBitcoin } = this;
    if (!inBitcoin) return;
    inBitcoin.activate();
    const rewardable = inBitcoin.rewardable();
    if (rewardable) this.auths.prune(rewardable.anchor.height + 1);
    this.#confirm();
  }

  /** Signs the rewards of anchors that are not paid yet, for each masternode of the team in force whose key a wallet has. */
  #confirm(): void {
    const { inBitcoin } = this;
    const { chain } = this.#deps;
    if (!inBitcoin || chain.isInitialDownload()) return;
    const unrewarded = inBitcoin.unrewarded();
    if (unrewarded.length === 0) return;
    const signers = this.#signersOf(confirmTeamAt(chain.state, chain.tip.height, chain.params) ?? []);
    for (const signer of signers) for (const placed of unrewarded) this.#signReward(placed, inBitcoin, signer);
  }

  #signReward(placed: PlacedAnchor, inBitcoin: BitcoinAnchors, { operator, key }: Signer): void {
    const { anchor, txid, btcHeight } = placed;
    const data: ConfirmedAnchor = {
      btcTxHash: txid,
      anchorHeight: anchor.height,
      previousAnchorHeight: inBitcoin.before(placed)?.anchor.height ?? 0,
      rewardKeyId: anchor.rewardKeyId,
      rewardKeyType: anchor.rewardKeyType,
      blockHash: anchor.blockHash,
      btcTxHeight: btcHeight,
    };
    const collected = readConfirm({ ...data, signature: signCompact(confirmHash(data), key.secret, key.compressed) });
    if (!collected || !this.confirms.add(collected)) return;
    this.#deps.log.debug('confirmed the reward of an anchor', { height: anchor.height, operator: toHex(operator) });
    this.#events.emit('confirm', collected);
  }

  /** Members of a team that this node can sign for. */
  #signersOf(members: Team): readonly Signer[] {
    const { chain, key: keyOf } = this.#deps;
    const { state, tip, params } = chain;
    return members.flatMap((operator) => {
      const operated = masternodeByOperator(state, operator);
      const key = operated && isActiveMasternode(state, operated.node, tip.height, params) ? keyOf(operator) : undefined;
      return key ? [{ operator, key }] : [];
    });
  }

  /** Collected signatures of blocks of the active chain from one height to another, both included, as a peer asks for them. */
  authsBetween(low: Hash256, high: Hash256): readonly CollectedAuth[] {
    const { chain } = this.#deps;
    const from = chain.entry(low);
    if (!from || !chain.isActive(from)) return [];
    const top = this.inBitcoin?.top?.anchor.height ?? 0;
    const lowest = top <= chain.tip.height ? Math.max(from.height, top) : from.height;
    const highest = chain.entry(high)?.height ?? chain.tip.height;
    const found = this.auths.groups().flatMap((group) => group.filter(({ auth }) => auth.height >= lowest && auth.height <= highest));
    return found.filter(({ auth }) => {
      const block = chain.entry(auth.blockHash);
      return block !== undefined && chain.isActive(block);
    });
  }
}

interface Signer {
  readonly operator: Hash160;
  readonly key: PrivateKey;
}
