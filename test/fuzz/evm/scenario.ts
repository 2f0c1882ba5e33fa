import type { Message } from '../../../src/evm/execute.js';
import { Random } from '../mutate.js';
import * as known from './addresses.js';
import { randomCode } from './programs.js';

export interface ScenarioAccount {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly code: Uint8Array;
  readonly storage: ReadonlyMap<bigint, bigint>;
}

/** A transaction and the state before it. */
export interface Scenario {
  readonly accounts: ReadonlyMap<bigint, ScenarioAccount>;
  readonly message: Message;
}

const NO_CODE = new Uint8Array(0);
const FUNDS = 10n ** 18n;
const LAST_NONCE = 2n ** 64n - 1n;
const SLOTS = 4;

/** The scenario of a number; the same number makes the same scenario. */
export function scenarioOf(number: number): Scenario {
  const random = new Random(number);
  const accounts = new Map<bigint, ScenarioAccount>();
  accounts.set(known.SENDER, account({ nonce: BigInt(random.below(3)), balance: random.below(50) === 0 ? 1n : FUNDS }));
  accounts.set(known.FUNDED, account({ balance: FUNDS }));
  for (const address of known.CONTRACTS) {
    const nonce = random.below(200) === 0 ? LAST_NONCE : 1n;
    accounts.set(
      address,
      account({ nonce, balance: BigInt(random.below(3)) * 100n, code: randomCode(random), storage: randomStorage(random) }),
    );
  }
  return { accounts, message: randomMessage(random) };
}

function account(given: Partial<ScenarioAccount>): ScenarioAccount {
  return { nonce: 0n, balance: 0n, code: NO_CODE, storage: new Map(), ...given };
}

function randomStorage(random: Random): Map<bigint, bigint> {
  const storage = new Map<bigint, bigint>();
  for (let slot = 0; slot < SLOTS; slot++) if (random.below(2) === 0) storage.set(BigInt(slot), BigInt(1 + random.below(3)));
  return storage;
}

function randomMessage(random: Random): Message {
  const isCreation = random.below(8) === 0;
  const to = random.below(40) === 0 ? random.pick(known.ADDRESSES) : known.CONTRACTS[0];
  return {
    from: known.SENDER,
    to: isCreation ? undefined : to,
    value: random.below(4) === 0 ? BigInt(random.below(1000)) : 0n,
    data: isCreation ? randomCode(random) : random.bytes(random.below(100)),
    gasLimit: BigInt(random.below(30) === 0 ? random.below(60_000) : 60_000 + random.below(random.pick([10_000, 60_000, 150_000]))),
    accessList: random.below(6) === 0 ? randomAccessList(random) : [],
  };
}

function randomAccessList(random: Random): Message['accessList'] {
  return Array.from({ length: 1 + random.below(3) }, () => ({
    address: random.pick(known.ADDRESSES),
    keys: Array.from({ length: random.below(3) }, () => BigInt(random.below(SLOTS))),
  }));
}
