import { type Code, NO_CODE } from '../code.js';
import type { WordMap } from '../word-map.js';
import { type Account, NO_CODE_HASH } from './account.js';
import type { StateBelow } from './transaction-state.js';

/** Account that takes the place of a stored one. */
export interface AccountOverride {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  /** Undefined for none, also if the stored account has code. */
  readonly code: Code | undefined;
  /** All slots that it has. */
  readonly storage: WordMap<bigint>;
}

const NO_STORAGE = new Uint8Array(32);

/**
 * State in which some accounts are replaced as a whole: what an override does not name is zero or absent, also where the stored account
 * has it, as in `defid`. @see docs/protocol/evm-engine.md 10.5
 */
export class OverriddenState implements StateBelow {
  constructor(
    private readonly below: StateBelow,
    private readonly overrides: Pick<WordMap<AccountOverride>, 'get'>,
  ) {}

  account(address: bigint): Account | undefined {
    const override = this.overrides.get(address);
    if (!override) return this.below.account(address);
    return { nonce: override.nonce, balance: override.balance, storageRoot: NO_STORAGE, codeHash: NO_CODE_HASH };
  }

  code(address: bigint): Code {
    const override = this.overrides.get(address);
    return override ? (override.code ?? NO_CODE) : this.below.code(address);
  }

  storage(address: bigint, slot: bigint): bigint {
    const override = this.overrides.get(address);
    return override ? (override.storage.get(slot) ?? 0n) : this.below.storage(address, slot);
  }
}
