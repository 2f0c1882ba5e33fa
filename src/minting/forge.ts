import type { Chain } from '../chain/chain.js';
import { BlockInvalid } from '../consensus/errors.js';
import { nextBits } from '../consensus/pos/difficulty.js';
import { findKernel } from '../consensus/pos/kernel.js';
import { keepMinter, nextStakeModifier } from '../consensus/pos/signature.js';
import { publicKeyOf, signCompact } from '../crypto/ecdsa.js';
import { hash160 } from '../crypto/hash.js';
import type { PrivateKey } from '../crypto/keys.js';
import { isFeatureOn } from '../dfi/attributes/features.js';
import type { DevelopmentChange } from '../dfi/development/changes.js';
import { type IdentifiedMasternode, isActiveMasternode, masternodeByOperator } from '../dfi/masternodes/columns.js';
import { stakeOf } from '../dfi/masternodes/staking.js';
import type { Block } from '../primitives/block.js';
import { formatHash, type Hash160, type Hash256 } from '../primitives/hash.js';
import { type BlockHeader, hashToSign } from '../primitives/header.js';
import { evmAddressOf } from '../script/erc55.js';
import { toHex } from '../util/bytes.js';
import type { Clock } from '../util/clock.js';
import { Emitter } from '../util/events.js';
import type { Logger } from '../util/logger.js';
import type { BlockAssembler } from './assembler.js';
import type { TimeSearch } from './search.js';
import { withHeader } from './template.js';

/** The part of the chain that minting uses. */
export type ForgeChain = Pick<Chain, 'params' | 'tip' | 'state' | 'header' | 'entry' | 'entryAt' | 'submitMinted'>;

export interface ForgeDeps {
  readonly chain: ForgeChain;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly assembler: Pick<BlockAssembler, 'assemble'>;
  readonly log: Logger;
}

/** Parameters of one attempt to mint. */
export interface Attempt {
  readonly operator: Hash160;
  readonly key: PrivateKey;
  /** Script that the coinbase pays to. */
  readonly payout: Uint8Array;
  /** Block times that this operator has tried. */
  readonly search: TimeSearch;
  /** True for one of several blocks, which the caller persists together. */
  readonly isPersistedLater?: boolean;
  /** True for a block without transactions of the pool, as after one that was invalid. */
  readonly isBare?: boolean;
  /** Changes of a development network that the block carries. */
  readonly changes?: readonly DevelopmentChange[] | undefined;
}

/**
 * - `minted`: the tip is a new block of ours
 * - `waiting`: no block possible at this time
 * - `searching`: the search of block times is long, and continues with the next attempt
 * - `invalid`: the assembled block is invalid, so a retry is pointless
 */
export type AttemptOutcome = 'minted' | 'waiting' | 'searching' | 'invalid';

export interface ForgeEvents {
  /** An active masternode searched for a block time, to the end of the search. */
  attempted: { readonly masternode: Hash256; readonly outcome: Exclude<AttemptOutcome, 'searching'> };
}

/** Values computed from an operator's key. */
interface Signer {
  /** Key id, which other nodes recover from the signature. */
  readonly minter: Hash160;
  readonly evmAddress: Uint8Array | undefined;
}

/** Mints blocks on the tip for this node's masternodes. @see docs/protocol/chain.md 3.8 */
export class Forge {
  readonly #events = new Emitter<ForgeEvents>();
  /** Last extra nonce. It is never reset, so that the first attempt makes a new block also after many equal histories. */
  #extraNonce = 0;
  /** By the key id of the operator. */
  readonly #signers = new Map<string, Signer>();

  constructor(private readonly deps: ForgeDeps) {}

  on<Name extends keyof ForgeEvents>(name: Name, listener: (event: ForgeEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /** Makes one attempt to mint. All sub-nodes of the masternode are tried at each block time. */
  attempt(attempt: Attempt): AttemptOutcome {
    const { chain } = this.deps;
    const masternode = masternodeByOperator(chain.state, attempt.operator);
    if (!masternode || !isActiveMasternode(chain.state, masternode.node, chain.tip.height + 1, chain.params)) return 'waiting';
    const time = this.#findTime(masternode, attempt.search);
    if (time === 'unfinished') return 'searching';
    const outcome = time === undefined ? 'waiting' : this.#mint(masternode, time, attempt);
    this.#events.emit('attempted', { masternode: masternode.id, outcome });
    return outcome;
  }

  #findTime(masternode: IdentifiedMasternode, search: TimeSearch): ReturnType<TimeSearch['find']> {
    const { chain, clock } = this.deps;
    const { params, tip } = chain;
    const height = tip.height + 1;
    const bits = nextBits(tip, params);
    const stakeModifier = this.#modifier(masternode);
    const stake = params.pos.dummy ? undefined : stakeOf(chain.state, masternode, height, (at) => chain.entryAt(at)?.time, params);
    if (!params.pos.dummy && !stake) return undefined;
    return search.find(
      tip,
      clock.seconds(),
      (time) => stake === undefined || findKernel({ height, time, bits, stakeModifier }, stake, params) !== undefined,
      isFeatureOn(chain.state, 'ascending_block_time'),
    );
  }

  #modifier({ node }: IdentifiedMasternode): Uint8Array {
    const { chain } = this.deps;
    return nextStakeModifier(chain.header(chain.tip).stakeModifier, node.operatorKey);
  }

  #mint(masternode: IdentifiedMasternode, time: number, attempt: Attempt): ForgeEvents['attempted']['outcome'] {
    const { chain, log } = this.deps;
    const { isPersistedLater = false } = attempt;
    const height = chain.tip.height + 1;
    const block = this.#tryMakeBlock(height, masternode, time, attempt);
    if (!block) return 'waiting';
    const result = chain.submitMinted(block, { isPersistedLater });
    if (result.status === 'accepted') {
      log.info('minted block', { height, hash: formatHash(block.hash) });
      return 'minted';
    }
    log.warn('minted block rejected', { ...result, height, hash: formatHash(block.hash) });
    return result.status === 'rejected' ? 'invalid' : 'waiting';
  }

  /** @returns undefined if no valid block can be made on the tip, as for a token whose name fits no contract of the first EVM block */
  #tryMakeBlock(height: number, masternode: IdentifiedMasternode, time: number, attempt: Attempt): Block | undefined {
    try {
      let block = this.#makeBlock(masternode, time, attempt, 0);
      // After `invalidateblock` the same block would be made again, and be refused as invalid.
      while (this.deps.chain.entry(block.hash)) block = this.#makeBlock(masternode, time, attempt, ++this.#extraNonce);
      return block;
    } catch (error) {
      if (!(error instanceof BlockInvalid)) throw error;
      this.deps.log.warn('no block can be minted', { height, error });
      return undefined;
    }
  }

  #makeBlock(masternode: IdentifiedMasternode, time: number, { key, payout, isBare, changes }: Attempt, extraNonce: number): Block {
    const { minter, evmAddress: beneficiary } = this.#signerOf(masternode.node.operatorKey, key);
    const { block } = this.deps.assembler.assemble({ scriptPubKey: payout, time, beneficiary, extraNonce, isBare, changes });
    const stake = { stakeModifier: this.#modifier(masternode), mintedBlocks: BigInt(masternode.node.mintedBlocks + 1) };
    const signed = signBlock(withHeader(block.transactions, { ...block.header, ...stake }), key);
    keepMinter(signed.header, minter);
    return signed;
  }

  /** Computed once for each operator. */
  #signerOf(operator: Hash160, key: PrivateKey): Signer {
    const id = toHex(operator);
    let signer = this.#signers.get(id);
    if (!signer) {
      signer = { minter: hash160(publicKeyOf(key.secret, key.compressed)), evmAddress: evmAddressOf(publicKeyOf(key.secret)) };
      this.#signers.set(id, signer);
    }
    return signer;
  }
}

/** Signs the header with the operator's key. */
export function signBlock({ header, transactions }: Block, key: PrivateKey): Block {
  const signed: BlockHeader = { ...header, signature: signCompact(hashToSign(header), key.secret, key.compressed) };
  return withHeader(transactions, signed);
}
