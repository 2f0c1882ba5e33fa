import { checkBlock } from '../consensus/block.js';
import { BlockInvalid } from '../consensus/errors.js';
import { type Block, block as blockCodec } from '../primitives/block.js';
import { encode } from '../primitives/codec.js';
import type { Steps } from '../util/slicer.js';
import { type Activated, type Activator, timeLimit } from './activation.js';
import type { BlockAcceptance } from './block-acceptance.js';
import type { BlockIndexEntry } from './block-index.js';
import type { SubmitResult } from './events.js';
import type { FaultGuard } from './faults.js';
import type { Flusher } from './flusher.js';
import type { ChainQueries } from './reader.js';
import { type DecodedBlock, decodeInSlices } from './stored-blocks.js';
import type { TipConnector } from './tip-connector.js';

/** Parts of the chain that a submitted block passes. */
export interface SubmissionParts {
  readonly chain: Pick<ChainQueries, 'params' | 'tip' | 'entry'>;
  readonly guard: FaultGuard;
  readonly acceptance: BlockAcceptance;
  readonly connector: TipConnector;
  readonly activator: Activator;
  readonly flusher: Flusher;
}

export interface SubmitOptions {
  /** Time for which blocks are connected in one turn. */
  readonly turnMs: number;
  /** True if the caller calls `persist` before it reports the result. */
  readonly isPersistedLater?: boolean;
}

/** Blocks of the operator and of the minter, from their bytes to the result. */
export class BlockSubmission {
  readonly #parts: SubmissionParts;

  constructor(parts: SubmissionParts) {
    this.#parts = parts;
  }

  /**
   * Checks a block, stores it, and makes it the tip if it has the most work.
   * @throws {DecodeError} if the bytes are no block
   */
  *submit(bytes: Uint8Array, options: SubmitOptions): Steps<SubmitResult> {
    const { chain, connector } = this.#parts;
    try {
      const decoded = yield* decodeInSlices(bytes, chain, (header) => connector.verifyEarly(header));
      yield;
      return yield* this.#accept(decoded, options);
    } finally {
      connector.dropEarly();
    }
  }

  *#accept({ block, raw, roots }: DecodedBlock, { turnMs, isPersistedLater = false }: SubmitOptions): Steps<SubmitResult> {
    const { chain, guard, acceptance, activator, flusher } = this.#parts;
    const known = chain.entry(block.hash);
    if (known?.failed) return { status: 'duplicate-invalid' };
    if (known?.valid) return { status: 'duplicate' };
    try {
      const { status, entry } = guard.change(() => acceptance.accept(block, raw, { roots }));
      if (isPersistedLater) flusher.syncAhead();
      const activate = () => guard.change(() => activator.activate(timeLimit(turnMs), true));
      const verdicts = new Map<BlockIndexEntry, BlockInvalid | undefined>();
      for (let pending = true; pending; ) {
        yield;
        const activated = isPersistedLater ? flusher.postponing(activate) : activate();
        pending = activated.pending;
        for (const [each, verdict] of activated.verdicts) verdicts.set(each, verdict);
        if (activated.unwritten) yield* flusher.prepareIfDue();
      }
      if (status === 'known') return { status: 'duplicate' };
      return resultOf(entry, verdicts);
    } catch (error) {
      return rejectionFor(error);
    }
  }

  /** Connects a block for the tip before it is stored. @param isPersistedLater as in {@link SubmitOptions} */
  submitMinted(block: Block, isPersistedLater: boolean): SubmitResult {
    const { chain, guard, acceptance, connector, activator, flusher } = this.#parts;
    // The next start would connect it above the height of -stopatheight.
    if (activator.isStopped) return { status: 'rejected', reason: 'shutting down' };
    const submit = (): SubmitResult => {
      const draft = connector.draftOnTip(checkBlock(block, chain.tip.height + 1, chain.params));
      const { entry } = acceptance.accept(block, encode(blockCodec(chain.params.txFormat), block));
      if (isPersistedLater) flusher.syncAhead();
      connector.adopt(entry, draft);
      return resultOf(entry, activator.activate().verdicts);
    };
    try {
      return guard.change(() => (isPersistedLater ? flusher.postponing(submit) : submit()));
    } catch (error) {
      return rejectionFor(error);
    }
  }
}

/** Result for a submitted block that was stored. */
function resultOf(entry: BlockIndexEntry, verdicts: Activated['verdicts']): SubmitResult {
  // Between two slices a block of a peer may have continued the work. A block above one that turned out to be invalid was not tried itself.
  if (!verdicts.has(entry)) return { status: entry.valid ? 'accepted' : entry.invalid ? 'duplicate-invalid' : 'inconclusive' };
  const verdict = verdicts.get(entry);
  return verdict ? { status: 'rejected', reason: verdict.reason } : { status: 'accepted' };
}

/** @throws the error unless it is a verdict on the block */
function rejectionFor(error: unknown): SubmitResult {
  if (error instanceof BlockInvalid) return { status: 'rejected', reason: error.reason };
  throw error;
}
