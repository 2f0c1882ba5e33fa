import type { CheckedBlock } from '../consensus/block.js';
import { Overlay } from '../storage/overlay.js';
import { finish, type Steps } from '../util/slicer.js';
import { type ConnectContext, type ConnectedBlock, connectSteps } from './connect.js';

/** A block of no more transactions is connected in one turn of the event loop. */
const SMALL_BLOCK = 100;
/** Transactions between two looks at the clock. */
const TRANSACTIONS_PER_LOOK = 16;

/**
 * A block in the course of being connected: its changes so far are in an overlay that nothing else reads. It may pause between two
 * transactions and continue in a later turn, as long as the state below does not change.
 */
export class BlockDraft {
  readonly overlay: Overlay;
  readonly #steps: Steps<ConnectedBlock>;
  #stepsDone = 0;
  #outcome: { readonly connected: ConnectedBlock } | { readonly error: unknown } | undefined;

  /** @param below state of the parent */
  constructor(
    readonly block: CheckedBlock,
    below: Overlay,
    context: ConnectContext,
  ) {
    this.overlay = new Overlay(below);
    this.#steps = connectSteps(block, context, this.overlay);
  }

  /** Connects transactions until time is up, but some in any case. @returns true if all are connected and there is time for the rest */
  advance(isTimeUp: () => boolean): boolean {
    for (let i = 0; !this.#outcome; i++) {
      const looks = i > 0 && this.#stepsDone > SMALL_BLOCK && i % TRANSACTIONS_PER_LOOK === 0;
      this.#step();
      if (looks && isTimeUp()) return false;
    }
    return true;
  }

  /** Connects the remaining transactions. @throws {BlockInvalid} if the block breaks a rule */
  finish(): ConnectedBlock {
    if (!this.#outcome) return finish(this.#steps);
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.connected;
  }

  /** Ends the work on a block that is not connected now. */
  abandon(): void {
    this.#steps.return({ fees: 0n, spent: [] });
  }

  #step(): void {
    this.#stepsDone += 1;
    try {
      const { done, value } = this.#steps.next();
      if (done) this.#outcome = { connected: value };
    } catch (error) {
      this.#outcome = { error };
    }
  }
}
