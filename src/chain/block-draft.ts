import type { CheckedBlock } from '../consensus/block.js';
import type { BlockScripts } from '../consensus/scripts.js';
import { Overlay } from '../storage/overlay.js';
import { EMPTY_BYTES } from '../util/bytes.js';
import type { Steps } from '../util/slicer.js';
import { type ConnectContext, type ConnectedBlock, connectSteps } from './connect.js';
import type { EarlyScripts } from './early-scripts.js';

/** A block of no more transactions is connected in one turn of the event loop. */
const SMALL_BLOCK = 100;

/** A block whose transactions are connected. */
export interface DraftedBlock extends ConnectedBlock {
  /** Undo record as it is stored. */
  readonly undo: Uint8Array;
}

/**
 * A block in the course of being connected: its changes so far are in an overlay that nothing else reads. It may pause between two
 * steps and continue in a later turn, as long as the state below does not change.
 */
export class BlockDraft {
  readonly overlay: Overlay;
  readonly #steps: Steps<DraftedBlock>;
  #outcome: { readonly connected: DraftedBlock } | { readonly error: unknown } | undefined;

  /**
   * @param below state of the parent
   * @param early scripts of the block that are being verified already
   */
  constructor(
    readonly block: CheckedBlock,
    below: Overlay,
    context: ConnectContext,
    private readonly early?: EarlyScripts,
  ) {
    this.overlay = early?.overlay ?? new Overlay(below);
    this.#steps = draftSteps(block, context, this.overlay, early?.scripts);
  }

  /** Continues until time is up, and for one step at least. @returns true if all is done and there is time left */
  advance(isTimeUp: () => boolean): boolean {
    const isSmall = this.block.transactions.length <= SMALL_BLOCK;
    while (!this.#outcome) {
      this.#step();
      if (!isSmall && isTimeUp()) return false;
    }
    return true;
  }

  /** Does the remaining steps. @throws {BlockInvalid} if the block breaks a rule */
  finish(): DraftedBlock {
    while (!this.#outcome) this.#step();
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.connected;
  }

  /** Ends the work on a block that is not connected now. */
  abandon(): void {
    this.#steps.return({ fees: 0n, spent: [], undo: EMPTY_BYTES });
    this.early?.abandon();
  }

  #step(): void {
    try {
      const { done, value } = this.#steps.next();
      if (done) this.#outcome = { connected: value };
    } catch (error) {
      this.#outcome = { error };
      this.early?.abandon();
    }
  }
}

function* draftSteps(block: CheckedBlock, context: ConnectContext, overlay: Overlay, early?: BlockScripts): Steps<DraftedBlock> {
  const connected = yield* connectSteps(block, context, overlay, early);
  yield;
  return { ...connected, undo: overlay.encodedUndo() };
}
