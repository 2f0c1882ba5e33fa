import assert from 'node:assert/strict';

/** Operator of a masternode of the genesis block, and the owner who may govern. */
export const OPERATOR = { address: 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy', key: 'cPGEaz8AGiM71NGMRybbCqFNRcuUhg3uGvyY4TFE1BZC26EW2PkC' };
export const FOUNDER = { address: 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU', key: 'cRiRQ9cHmy5evDqNDdEV8f6zfbK6epi9Fpz4CRZsmLEmkwy54dWz' };

const UPGRADES = [
  'amk',
  'bayfront',
  'bayfrontgardens',
  'dakota',
  'eunos',
  'eunospaya',
  'fortcanning',
  'fortcanninghill',
  'fortcanningroad',
  'fortcanningcrunch',
  'fortcanningspring',
  'fortcanninggreatworld',
  'fortcanningepilogue',
  'grandcentral',
  'metachain',
] as const;

/** Flags of a regtest node with upgrades at height 50, in their order, that mints for `OPERATOR`. */
export function upgradedFlags(last: (typeof UPGRADES)[number] = 'metachain'): string[] {
  const heights = UPGRADES.slice(0, UPGRADES.indexOf(last) + 1).map((name) => `-${name}height=50`);
  return [...heights, '-txnotokens=0', '-dummypos=1', `-masternode_operator=${OPERATOR.address}`];
}

/** Number of blocks that find valid times within one advance of the clock. */
const PORTION = 20;
const ADVANCE_SEC = 60;

/** Mints after advances of mock time: otherwise blocks wait for valid block times, some tenths of a second each. */
export class MockTimeMinting {
  #seconds = Math.floor(Date.now() / 1000);

  /** @param setTime sets the mock time of all nodes of the test */
  constructor(private readonly setTime: (seconds: number) => Promise<unknown>) {}

  /** @param generate mints a number of blocks, and returns how many it minted */
  async mint(count: number, generate: (count: number) => Promise<unknown>): Promise<void> {
    for (let left = count; left > 0; left -= PORTION) {
      this.#seconds += ADVANCE_SEC;
      await this.setTime(this.#seconds);
      const some = Math.min(left, PORTION);
      assert.equal(await generate(some), some);
    }
  }
}
