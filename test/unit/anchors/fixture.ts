import { Anchors } from '../../../src/anchors/anchors.js';
import { RegtestBitcoin } from '../../../src/bitcoin/regtest-bitcoin.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { type PrivateKey, parseWif } from '../../../src/crypto/keys.js';
import { BlockAssembler, DEFAULT_ASSEMBLY } from '../../../src/minting/assembler.js';
import { Minter } from '../../../src/minting/minter.js';
import { networkParams } from '../../../src/params/index.js';
import type { Hash160 } from '../../../src/primitives/hash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { OP_TRUE_SCRIPT } from '../../chains/block-builder.js';

/** Rules from Fort Canning on from the first block; two signatures are enough. */
export const anchorParams = networkParams({
  network: 'regtest',
  dummyPos: true,
  anchorQuorum: 2,
  upgradeHeights: { amk: 0, bayfront: 1, dakota: 1, eunos: 1, fortCanning: 1 },
});

/** Operators of the genesis masternodes, with their published keys. */
export const operators: readonly { readonly id: Hash160; readonly key: PrivateKey }[] = anchorParams.masternode.genesis.flatMap(
  ({ operatorKey }) => {
    const key = operatorKey === undefined ? undefined : parseWif(operatorKey, anchorParams.address);
    return key ? [{ id: hash160(publicKeyOf(key.secret, key.compressed)), key }] : [];
  },
);

/** Seconds between two blocks: five in an hour. */
const SPACING_SEC = 720;

interface AnchorNodeOptions {
  /** Indexes of the masternodes that it signs for. */
  readonly signs?: readonly number[];
  readonly seesBitcoin?: boolean;
  /** Chain of another node, as after a restart; a new one by default. */
  readonly chain?: Chain;
}

/** A node in memory that mints for masternodes, and signs anchors for some of them. */
export class AnchorNode {
  readonly clock = new FixedClock(anchorParams.genesis.header.time + 100);
  readonly chain: Chain;
  readonly bitcoin: RegtestBitcoin | undefined;
  readonly anchors: Anchors;
  readonly #minters: readonly Minter[];

  constructor({ signs = [0, 1], seesBitcoin = true, chain: given }: AnchorNodeOptions = {}) {
    const { clock } = this;
    const log = silentLogger;
    const chain = given ?? new Chain({ params: anchorParams }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log });
    const own = new Map(signs.map((index) => [toHex(operators[index]?.id as Hash160), operators[index]?.key]));
    this.chain = chain;
    this.bitcoin = seesBitcoin ? new RegtestBitcoin(clock) : undefined;
    this.anchors = new Anchors({ chain, bitcoin: this.bitcoin, key: (id) => own.get(toHex(id)), clock, log });
    const assembler = new BlockAssembler(DEFAULT_ASSEMBLY, { chain, anchorReward: () => this.anchors.reward() });
    const keys = (id: Hash160) => operators.find((operator) => toHex(operator.id) === toHex(id))?.key;
    this.#minters = operators.map(({ id }) => new Minter({ operators: [id] }, { chain, clock, keys, log, assembler }));
  }

  /** Mints blocks by all masternodes in turn. */
  async mint(count = 1): Promise<void> {
    for (let done = 0; done < count; done++) {
      this.clock.set(this.clock.seconds() + SPACING_SEC);
      await this.#minters[this.chain.tip.height % this.#minters.length]?.mintTo(OP_TRUE_SCRIPT, 1, 1);
    }
  }

  /** Mints up to a height. */
  mintTo(height: number): Promise<void> {
    return this.mint(height - this.chain.tip.height);
  }
}
