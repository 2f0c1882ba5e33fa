import type { Code } from '../../evm/code.js';
import type { StateBelow } from '../../evm/state/transaction-state.js';
import { addressBytes } from '../../evm/words.js';
import { encode } from '../../primitives/codec.js';
import type { StateView } from '../../storage/view.js';
import { evmTip } from './blocks.js';
import { counterSlot, countersAt, hasCounterStorage } from './counter-storage.js';
import { evmAccountVersions, evmSlotVersions } from './history-columns.js';
import { evmSlots, evmStateAccounts, type StoredAccount, slotKey } from './state-columns.js';
import { storedCode } from './view-state.js';

/** The state at the tip, whatever the tip is. */
export interface TipState {
  readonly state: StateView;
}

/**
 * State after an EVM block of the active chain. Later blocks do not change what it answers; it must no longer be read once its block is
 * disconnected.
 */
export class StateAt implements StateBelow {
  constructor(
    private readonly tip: TipState,
    readonly number: number,
  ) {}

  /** Its storage root may be that of a later block. */
  account(address: bigint): StoredAccount | undefined {
    if (!this.#isLast()) {
      const range = { prefix: addressBytes(address), from: { address, number: this.number + 1 } };
      for (const [, version] of this.tip.state.entries(evmAccountVersions, range)) return version;
    }
    return this.tip.state.get(evmStateAccounts, address);
  }

  code(address: bigint): Code {
    return storedCode(this.tip.state, this.account(address));
  }

  storage(address: bigint, slot: bigint): bigint {
    const account = this.account(address);
    if (!account) return 0n;
    if (hasCounterStorage(this.tip.state, address, account)) {
      const counters = countersAt(this.tip.state, this.number);
      if (counters) return counterSlot(counters, slot);
    }
    const key = { address, incarnation: account.incarnation, slot };
    if (!this.#isLast()) {
      const range = { prefix: encode(slotKey, key), from: { ...key, number: this.number + 1 } };
      for (const [, version] of this.tip.state.entries(evmSlotVersions, range)) return version;
    }
    return this.tip.state.get(evmSlots, key) ?? 0n;
  }

  #isLast(): boolean {
    return evmTip(this.tip.state)?.number === this.number;
  }
}
