import type { RegtestBitcoin } from '../bitcoin/regtest-bitcoin.js';
import type { Chain } from '../chain/chain.js';
import { sha256d } from '../crypto/hash.js';
import { anchorRewards } from '../dfi/anchors/columns.js';
import { quorumOf } from '../dfi/anchors/reward.js';
import { teamsAt } from '../dfi/anchors/teams.js';
import { isActive } from '../params/network.js';
import { type Hash256, isNullHash, NULL_HASH } from '../primitives/hash.js';
import { compareBytes, concatBytes, equalBytes, toHex } from '../util/bytes.js';
import { isSignedBy, type PlacedAnchor } from './anchor.js';
import { parseAnchor } from './anchor-transaction.js';
import { placeAnchor } from './placement.js';
import { readTeamData } from './team-data.js';

/** Bitcoin blocks after which an anchor is rewarded, and auths below it are no longer needed. */
const REWARD_CONFIRMATIONS = 6;

/** Parts of the node that `BitcoinAnchors` uses. */
export interface BitcoinAnchorsDeps {
  readonly bitcoin: RegtestBitcoin;
  readonly chain: Pick<Chain, 'entryAt' | 'params' | 'state'>;
}

/**
 * The anchors of the Bitcoin chain. An anchor is pending once its transaction was seen, and valid once it was checked against our chain.
 * Each anchor names the one before it; the best chain of valid anchors are the confirmed ones.
 * @see docs/protocol/chain.md 7.2
 */
export class BitcoinAnchors {
  readonly #deps: BitcoinAnchorsDeps;
  readonly #pending = new Map<string, PlacedAnchor>();
  readonly #anchors = new Map<string, PlacedAnchor>();
  /** Transactions that were read; a refused one is not read again. */
  readonly #seen = new Set<string>();
  #top: PlacedAnchor | undefined;

  constructor(deps: BitcoinAnchorsDeps) {
    this.#deps = deps;
    deps.bitcoin.on('transaction', ({ tx, height }) => {
      const key = toHex(tx.txid);
      const pending = this.#pending.get(key);
      const checked = this.#anchors.get(key);
      if (pending) this.#pending.set(key, { ...pending, btcHeight: height });
      else if (checked) this.#add({ ...checked, btcHeight: height });
      else if (!this.#seen.has(key)) {
        const anchor = parseAnchor(tx, deps.chain.params);
        if (anchor && this.#isWellFormed(anchor)) this.#pending.set(key, { anchor, txid: tx.txid, btcHeight: height });
      }
      this.#seen.add(key);
    });
  }

  /** Last of the confirmed anchors. */
  get top(): PlacedAnchor | undefined {
    return this.#top;
  }

  find(txid: Hash256): PlacedAnchor | undefined {
    return this.#anchors.get(toHex(txid));
  }

  /** Ascending by txid in wire order. */
  pending(): readonly PlacedAnchor[] {
    return [...this.#pending.values()].sort((a, b) => compareBytes(a.txid, b.txid));
  }

  /** Ascending by Bitcoin height; those of one height in order of arrival. */
  all(): readonly PlacedAnchor[] {
    return [...this.#anchors.values()].sort((a, b) => a.btcHeight - b.btcHeight);
  }

  /** Number of Bitcoin blocks from the one with the anchor to the tip. */
  confirmations({ btcHeight }: PlacedAnchor): number {
    return Math.max(0, this.#deps.bitcoin.height - btcHeight + 1);
  }

  /** Hash of the Bitcoin block of an anchor. */
  blockHash({ btcHeight }: PlacedAnchor): Hash256 | undefined {
    return this.#deps.bitcoin.blockHash(btcHeight);
  }

  /** The anchor that another one builds on; undefined for the first. */
  before({ anchor }: PlacedAnchor): PlacedAnchor | undefined {
    return isNullHash(anchor.previousAnchor) ? undefined : this.find(anchor.previousAnchor);
  }

  /** The last confirmed anchor that has enough Bitcoin blocks for a reward. */
  rewardable(): PlacedAnchor | undefined {
    let at = this.#top;
    while (at && this.confirmations(at) < REWARD_CONFIRMATIONS) at = this.before(at);
    return at;
  }

  /** Anchors up to {@link rewardable} whose reward is not paid, ascending by txid in wire order. */
  unrewarded(): readonly PlacedAnchor[] {
    const found: PlacedAnchor[] = [];
    for (let at = this.rewardable(); at; at = this.before(at)) {
      if (!this.#deps.chain.state.get(anchorRewards, at.txid)) found.push(at);
    }
    return found.sort((a, b) => compareBytes(a.txid, b.txid));
  }

  /** Checks pending anchors against our chain: valid ones become anchors, others are forgotten, or wait until the chain has their blocks. */
  checkPending(): void {
    for (const placed of [...this.#pending.values()].sort((a, b) => this.#compare(a, b))) {
      const verdict = this.#verdict(placed);
      if (verdict === 'unknown') continue;
      this.#pending.delete(toHex(placed.txid));
      if (verdict === 'wrong') continue;
      this.#add(placed);
      this.activate();
    }
  }

  #verdict(placed: PlacedAnchor): 'valid' | 'wrong' | 'unknown' {
    const { bitcoin, chain } = this.#deps;
    const { anchor, txid } = placed;
    const { previousAnchor } = anchor;
    if (!isNullHash(previousAnchor)) {
      const before = this.find(previousAnchor);
      if (before ? anchor.height <= before.anchor.height : !this.#pending.has(toHex(previousAnchor))) return 'wrong';
    }
    const placement = placeAnchor(anchor, chain);
    if (placement.status !== 'placed') return placement.status;
    const time = bitcoin.find(txid)?.time ?? 0;
    if (placement.block.time > time - chain.params.anchor.timeDepth) return 'wrong';
    const members = teamsAt(chain.state, placement.creation, chain.params)?.auth ?? [];
    return members.length > 0 && isSignedBy(anchor, members, quorumOf(members, chain.params)) ? 'valid' : 'wrong';
  }

  /** True if an anchor of a known form was made after Dakota and is no larger than its team allows. */
  #isWellFormed({ nextTeam, signatures }: PlacedAnchor['anchor']): boolean {
    const { params } = this.#deps.chain;
    const team = readTeamData(nextTeam);
    return team !== undefined && signatures.length <= params.anchor.teamSize && isActive(params, 'dakota', team.creation);
  }

  #add(placed: PlacedAnchor): void {
    this.#remove(placed);
    this.#anchors.set(toHex(placed.txid), placed);
  }

  #remove({ txid }: PlacedAnchor): void {
    for (let at = this.#top; at; at = this.before(at)) {
      if (!equalBytes(at.txid, txid)) continue;
      this.#top = this.before(at);
      break;
    }
    this.#anchors.delete(toHex(txid));
  }

  /** Chooses the chain of confirmed anchors again from its top on, which also loses anchors when the Bitcoin height falls. */
  activate(): void {
    const { minConfirmations } = this.#deps.chain.params.anchor;
    while (this.#top && this.confirmations(this.#top) < minConfirmations) this.#top = this.before(this.#top);
    const from = this.#top?.btcHeight ?? 0;
    let previous = this.#top?.anchor.previousAnchor ?? NULL_HASH;
    const heights = new Set(this.all().map(({ btcHeight }) => btcHeight));
    for (const height of heights) {
      if (height < from) continue;
      const level = this.all().filter(({ btcHeight }) => btcHeight === height);
      const [first] = level;
      if (!first || this.confirmations(first) < minConfirmations) break;
      const [best] = level.filter(({ anchor }) => equalBytes(anchor.previousAnchor, previous)).sort((a, b) => this.#compare(a, b));
      if (!best) continue;
      this.#top = best;
      previous = best.txid;
    }
  }

  /** Order of preference: lower Bitcoin height, then the higher block, then by hash. */
  #compare(a: PlacedAnchor, b: PlacedAnchor): number {
    return a.btcHeight - b.btcHeight || b.anchor.height - a.anchor.height || compareBytes(this.#rank(a), this.#rank(b));
  }

  /** From Eunos on the hash of the Bitcoin block decides among equal anchors, so that the id of a transaction cannot be ground to win. */
  #rank(placed: PlacedAnchor): Uint8Array {
    const { params } = this.#deps.chain;
    const { anchor, txid } = placed;
    return isActive(params, 'eunos', anchor.height) ? sha256d(concatBytes(txid, this.blockHash(placed) ?? NULL_HASH)) : txid;
  }
}
