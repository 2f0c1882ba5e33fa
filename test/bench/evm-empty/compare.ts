import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockFiles } from '../../../src/chain/block-files.js';
import { Chain } from '../../../src/chain/chain.js';
import { coins } from '../../../src/chain/coins.js';
import { chainColumns } from '../../../src/chain/database.js';
import { publicKeyOf } from '../../../src/crypto/ecdsa.js';
import { hash160, sha256 } from '../../../src/crypto/hash.js';
import { useFastKeccak } from '../../../src/crypto/keccak.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { COIN } from '../../../src/primitives/amount.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction, type TxOut } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { KeyStore } from '../../../src/script/key-source.js';
import { signInputs } from '../../../src/script/sign-inputs.js';
import { SIGHASH_ALL } from '../../../src/script/signature-encoding.js';
import { HotStore } from '../../../src/storage/hot-store.js';
import { RocksStore } from '../../../src/storage/rocks.js';
import { EMPTY_BYTES } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { bytesOf } from '../../chains/block-builder.js';
import { ANYONE_INPUT, ANYONE_SCRIPT, coinId, EvmNode, evmNodeParams, genesisChanges } from '../../unit/minting/evm-node.js';

const BLOCKS = 1_000;
/** Blocks with transfers, and transfers of each. */
const FULL_BLOCKS = 200;
const TRANSFERS = [20, 100];
const KEY = { secret: sha256(Uint8Array.of(1)), compressed: true };
const SIGNED_SCRIPT = scriptOf({ type: 'wpkh', hash: hash160(publicKeyOf(KEY.secret)) });
const FEE = 10_000n;
const ROUNDS = 4;
/** Part of the blocks at the start that is not counted, because most code is compiled there. */
const WARM_UP = 0.25;
/** Part of the slowest blocks that is not counted: they waited for other work on the machine. */
const DISTURBED = 0.05;

/** Compares empty blocks, and blocks with transfers. */
export async function compareAll(): Promise<void> {
  await useFastKeccak();
  await compare({ count: BLOCKS, transfers: 0, signed: false });
  for (const signed of [false, true]) for (const transfers of TRANSFERS) await compare({ count: FULL_BLOCKS, transfers, signed });
}

interface Wanted {
  readonly count: number;
  readonly transfers: number;
  /** True if each pays from a key of one input; false if it pays to anyone, so that no signature is verified. */
  readonly signed: boolean;
}

/** Something done with the EVM off and with it on. */
type Pair<T> = readonly [off: T, on: T];

/** Does block after block with the EVM off and on in turns, so that what disturbs the machine disturbs both alike. */
async function compare(wanted: Wanted): Promise<void> {
  const times = new Map<string, Pair<number[]>>();
  const note = (name: string, found: Pair<number[]>) => {
    const all = times.get(name) ?? [[], []];
    found.forEach((each, i) => void all[i]?.push(...each));
    times.set(name, all);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const makers = [false, true].map((hasEvm) => new Maker(hasEvm, wanted)) as unknown as Pair<Maker>;
    note('made', inTurns(wanted.count - 1, [() => makers[0].make(), () => makers[1].make()]));
    for (const atTip of [true, false]) {
      const chains = (await Promise.all(makers.map((maker) => Connector.open(maker, atTip)))) as unknown as Pair<Connector>;
      note(atTip ? 'at the tip' : 'far behind', inTurns(wanted.count - 1, [() => chains[0].connect(), () => chains[1].connect()]));
      for (const chain of chains) await chain.close();
    }
  }
  for (const [name, found] of times) {
    const [off, on] = found.map(undisturbed) as [number, number];
    const us = (ms: number) => `${(ms * 1000).toFixed(0)} us`;
    const figures = `EVM off ${us(off)}, on ${us(on)}, ${us(on - off)} more, ratio ${(on / off).toFixed(3)}`;
    console.log(`${wanted.transfers} ${wanted.signed ? 'signed ' : ''}transfers, ${name}: ${figures}`);
  }
}

/** Milliseconds of each repetition of both steps after the warm-up. */
function inTurns(count: number, steps: Pair<() => void>): Pair<number[]> {
  const times: Pair<number[]> = [[], []];
  for (let i = 0; i < count; i++) {
    for (const side of i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const since = performance.now();
      steps[side]();
      const took = performance.now() - since;
      if (i >= count * WARM_UP) times[side].push(took);
    }
  }
  return times;
}

/** Mean without the slowest. */
function undisturbed(times: readonly number[]): number {
  const kept = [...times].sort((a, b) => a - b).slice(0, Math.ceil(times.length * (1 - DISTURBED)));
  return kept.reduce((sum, each) => sum + each, 0) / kept.length;
}

/** Assembles and connects blocks in memory. */
class Maker {
  readonly blocks: Uint8Array[];
  readonly #node: EvmNode;
  readonly #points: OutPoint[];
  readonly #keys = new KeyStore();
  #out: TxOut = { value: COIN, scriptPubKey: ANYONE_SCRIPT, tokenId: 0 };

  constructor(
    readonly hasEvm: boolean,
    readonly wanted: Wanted,
  ) {
    const { transfers } = wanted;
    this.#node = new EvmNode({ hasEvm, coins: transfers });
    this.#points = Array.from({ length: transfers }, (_, i): OutPoint => ({ txid: coinId(i), vout: 0 }));
    this.#keys.addKey(KEY);
    this.blocks = [this.#node.chain.rawBlock(this.#node.chain.tip) as Uint8Array];
  }

  make(): void {
    const node = this.#node;
    const scriptPubKey = this.wanted.signed ? SIGNED_SCRIPT : ANYONE_SCRIPT;
    const next: TxOut = { value: this.#out.value - FEE, scriptPubKey, tokenId: 0 };
    for (const [i, prevout] of this.#points.entries()) {
      const tx = transfer({ prevout, out: this.#out }, next, this.#keys);
      const verdict = node.accept(tx);
      if (verdict !== 'accepted') throw new Error(verdict);
      this.#points[i] = { txid: tx.txid, vout: 0 };
    }
    this.#out = next;
    this.blocks.push(bytesOf(node.chain, node.mint()));
  }
}

function transfer({ prevout, out }: { prevout: OutPoint; out: TxOut }, to: TxOut, keys: KeyStore): Transaction {
  const isSigned = out.scriptPubKey === SIGNED_SCRIPT;
  const vin = [{ prevout, scriptSig: isSigned ? EMPTY_BYTES : ANYONE_INPUT, sequence: 0xffffffff, witness: [] }];
  const fields = { version: 4, vin, vout: [to], lockTime: 0 };
  const format = { tokenIds: true };
  if (!isSigned) return makeTransaction(fields, format);
  return signInputs(fields, { format, keys, output: () => out, hashType: SIGHASH_ALL }).tx;
}

/** Connects the blocks of a maker to a chain on disk. */
class Connector {
  #next = 1;

  private constructor(
    readonly chain: Chain,
    readonly blocks: readonly Uint8Array[],
    readonly atTip: boolean,
    readonly end: () => Promise<void>,
  ) {}

  static async open({ blocks, hasEvm, wanted }: Maker, atTip: boolean): Promise<Connector> {
    const directory = mkdtempSync(join(tmpdir(), 'dfi-evm-empty-'));
    const rocks = await RocksStore.open(join(directory, 'chainstate'), [...chainColumns, ...dfiColumns]);
    const store = new HotStore(rocks, { columns: dfiColumns, largeColumns: [coins], maxBytes: 64 * 2 ** 20 });
    store.write(genesisChanges({ hasEvm, coins: wanted.transfers }));
    const files = new BlockFiles(join(directory, 'blocks'), { magic: evmNodeParams.p2pMagic });
    const clock = new FixedClock(1_600_000_000 + BLOCKS + (atTip ? 0 : 3_000_000));
    const chain = new Chain({ params: evmNodeParams }, { store, blocks: files, clock, log: silentLogger });
    // With the EVM on, it deploys the contracts of the network, which happens once.
    chain.submitBlock(blocks[0] as Uint8Array);
    return new Connector(chain, blocks, atTip, async () => {
      files.close();
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    });
  }

  connect(): void {
    const block = this.blocks[this.#next++] as Uint8Array;
    if (this.atTip) this.chain.submitBlock(block);
    else this.chain.processBlock(block, { requested: true });
    while (this.chain.advance());
  }

  async close(): Promise<void> {
    this.chain.close();
    if (this.chain.tip.height !== this.blocks.length) throw new Error(`the tip is at height ${this.chain.tip.height}`);
    await this.end();
  }
}
