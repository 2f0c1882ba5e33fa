import type { BlockIndexEntry } from '../chain/block-index.js';
import type { Chain } from '../chain/chain.js';
import type { BlockInvalid } from '../consensus/errors.js';
import { nextBits } from '../consensus/pos/difficulty.js';
import { isFeatureOn } from '../dfi/attributes/features.js';
import { isActiveMasternode } from '../dfi/masternodes/columns.js';
import type { MempoolEntry } from '../mempool/entry.js';
import type { Pool } from '../mempool/pool.js';
import { blockRejectCodeOf } from '../mempool/reject.js';
import { describeRejection, showsRejectCodes } from '../mempool/submit.js';
import { isActive } from '../params/network.js';
import type { Block } from '../primitives/block.js';
import { Op } from '../script/opcodes.js';
import type { Clock } from '../util/clock.js';
import { NodeError } from '../util/errors.js';
import type { BlockAssembler } from './assembler.js';
import type { Minter } from './minter.js';
import { withHeader } from './template.js';

/** A block that a minter can complete and sign. */
export interface BlockTemplate {
  /** Coinbase to an anyone-can-spend script; stake and signature are missing. */
  readonly block: Block;
  readonly parent: BlockIndexEntry;
  /** Pool entries of its transactions, without the coinbase. */
  readonly entries: readonly MempoolEntry[];
  /** Value of the pool's change counter when it was made. */
  readonly poolUpdates: number;
}

export interface TemplateCacheDeps {
  readonly chain: Pick<Chain, 'params' | 'tip' | 'state' | 'testBlock'>;
  readonly clock: Pick<Clock, 'seconds'>;
  readonly assembler: Pick<BlockAssembler, 'assemble'>;
  readonly minter: Pick<Minter, 'masternodes'>;
  readonly pool: Pick<Pool, 'updates'>;
}

/** Seconds for which a template is reused although the pool has changed, or although its time cannot be renewed. */
const REUSE_SEC = 5;
/** Anyone-can-spend script, which the minter replaces by its own. */
const PLACEHOLDER = Uint8Array.of(Op.ONE);

/** Makes block templates, and reuses the last one while it is recent enough. @see docs/protocol/rpc-chain.md 3.2.4 */
export class TemplateCache {
  readonly #deps: TemplateCacheDeps;
  #kept: BlockTemplate | undefined;
  #madeAt = 0;
  #poolUpdates = 0;

  constructor(deps: TemplateCacheDeps) {
    this.#deps = deps;
  }

  /** Value of the pool's change counter when the last template was made; 0 before the first. */
  get poolUpdates(): number {
    return this.#poolUpdates;
  }

  /**
   * Returns a template on the tip with the current time. With an EVM its time may be some seconds old: the coinbase commits to it.
   * @throws {NodeError} if this node has no active masternode, or the block would be invalid
   */
  current(): BlockTemplate {
    const kept = this.#isFresh() ? (this.#kept as BlockTemplate) : this.#make();
    this.#kept = this.#hasEvm ? kept : this.#redated(kept);
    return this.#kept;
  }

  /** True if the next block contains an EVM block, whose header has the time of the block. */
  get #hasEvm(): boolean {
    return isFeatureOn(this.#deps.chain.state, 'evm');
  }

  #isFresh(): boolean {
    const { chain, clock, pool } = this.#deps;
    if (this.#kept?.parent !== chain.tip) return false;
    const keepsForLong = pool.updates === this.#poolUpdates && !this.#hasEvm;
    return keepsForLong || clock.seconds() - this.#madeAt <= REUSE_SEC;
  }

  #make(): BlockTemplate {
    const { chain, clock, assembler, pool } = this.#deps;
    // Cleared first, so that the next call tries again after a failure.
    this.#kept = undefined;
    this.#poolUpdates = pool.updates;
    this.#madeAt = clock.seconds();
    this.#requireActiveMasternode();
    const parent = chain.tip;
    const { block, entries } = assembler.assemble({ scriptPubKey: PLACEHOLDER, time: this.#time(parent), isForOthers: true });
    const failure = chain.testBlock(block);
    if (failure) throw new NodeError('misc', `CreateNewBlock: TestBlockValidity failed: ${this.#describe(failure)}`);
    return { block, parent, entries, poolUpdates: this.#poolUpdates };
  }

  #describe({ reason, debug, kind }: BlockInvalid): string {
    return describeRejection({ reason, debug, code: blockRejectCodeOf({ kind, reason }) }, showsRejectCodes(this.#deps.chain));
  }

  /** Only the first own masternode is checked. Error texts differ between `defid` 3.2.8 and 4.2.5. */
  #requireActiveMasternode(): void {
    const { chain, minter } = this.#deps;
    const { params, state, tip } = chain;
    const height = tip.height + 1;
    const [first] = minter.masternodes();
    if (first && isActiveMasternode(state, first.node, height, params)) return;
    if (!isActive(params, 'metachain', height)) throw new NodeError('out-of-memory', 'Out of memory');
    throw new NodeError('misc', first ? 'Node is not active' : 'Node has no operators');
  }

  #time(parent: BlockIndexEntry): number {
    return Math.max(parent.medianTimePast() + 1, this.#deps.clock.seconds());
  }

  /** Updates the block time, which never decreases. */
  #redated(template: BlockTemplate): BlockTemplate {
    const { block, parent } = template;
    const time = Math.max(block.header.time, this.#time(parent));
    // The EVM block, to which the coinbase commits, has the time of its block.
    if (time === block.header.time || isFeatureOn(this.#deps.chain.state, 'evm')) return template;
    const bits = nextBits(parent, this.#deps.chain.params);
    return { ...template, block: withHeader(block.transactions, { ...block.header, time, bits }) };
  }
}
