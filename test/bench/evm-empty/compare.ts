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
/** Rounds alternate; the best counts, because other work on the machine only adds to it. */
const ROUNDS = 5;

/** Compares empty blocks, and blocks with transfers. */
export async function compareAll(): Promise<void> {
  await useFastKeccak();
  await compare({ count: BLOCKS, transfers: 0, signed: false });
  for (const signed of [false, true]) for (const transfers of TRANSFERS) await compare({ count: FULL_BLOCKS, transfers, signed });
}

async function compare(wanted: Omit<Wanted, 'hasEvm'>): Promise<void> {
  const { count, transfers, signed } = wanted;
  const [off, on] = [false, true].map((hasEvm) => makeBlocks({ ...wanted, hasEvm })) as [Made, Made];
  const best = new Map<string, number>();
  const note = (name: string, ms: number) => best.set(name, Math.min(ms, best.get(name) ?? ms));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, made] of [
      ['off', off],
      ['on', on],
    ] as const) {
      note(`made, ${name}`, makeBlocks(made).ms);
      for (const atTip of [true, false]) note(`${atTip ? 'at the tip' : 'far behind'}, ${name}`, await connect(made, atTip));
    }
  }
  for (const name of ['made', 'at the tip', 'far behind']) {
    const [without, withEvm] = ['off', 'on'].map((state) => best.get(`${name}, ${state}`) ?? 0) as [number, number];
    const each = (ms: number) => `${((ms / count) * 1000).toFixed(0)} us`;
    const figures = `EVM off ${each(without)}, on ${each(withEvm)}, ${each(withEvm - without)} more, ratio ${(withEvm / without).toFixed(3)}`;
    console.log(`${transfers} ${signed ? 'signed ' : ''}transfers, ${name}: ${figures}`);
  }
}

interface Wanted {
  readonly hasEvm: boolean;
  readonly count: number;
  readonly transfers: number;
  /** True if each pays from a key of one input; false if it pays to anyone, so that no signature is verified. */
  readonly signed: boolean;
}

interface Made extends Wanted {
  readonly blocks: readonly Uint8Array[];
  readonly ms: number;
}

/** Assembles and connects blocks in memory. */
function makeBlocks(wanted: Wanted): Made {
  const { hasEvm, count, transfers, signed } = wanted;
  const node = new EvmNode({ hasEvm, coins: transfers });
  const points = Array.from({ length: transfers }, (_, i): OutPoint => ({ txid: coinId(i), vout: 0 }));
  const keys = new KeyStore();
  keys.addKey(KEY);
  let out: TxOut = { value: COIN, scriptPubKey: ANYONE_SCRIPT, tokenId: 0 };
  const made: Uint8Array[] = [node.chain.rawBlock(node.chain.tip) as Uint8Array];
  const ms = cpuMs(() => {
    while (made.length < count) {
      const next: TxOut = { value: out.value - FEE, scriptPubKey: signed ? SIGNED_SCRIPT : ANYONE_SCRIPT, tokenId: 0 };
      for (const [i, prevout] of points.entries()) {
        const tx = transfer({ prevout, out }, next, keys);
        const verdict = node.accept(tx);
        if (verdict !== 'accepted') throw new Error(verdict);
        points[i] = { txid: tx.txid, vout: 0 };
      }
      out = next;
      made.push(bytesOf(node.chain, node.mint()));
    }
  });
  return { ...wanted, blocks: made, ms };
}

function transfer({ prevout, out }: { prevout: OutPoint; out: TxOut }, to: TxOut, keys: KeyStore): Transaction {
  const isSigned = out.scriptPubKey === SIGNED_SCRIPT;
  const vin = [{ prevout, scriptSig: isSigned ? EMPTY_BYTES : ANYONE_INPUT, sequence: 0xffffffff, witness: [] }];
  const fields = { version: 4, vin, vout: [to], lockTime: 0 };
  const format = { tokenIds: true };
  if (!isSigned) return makeTransaction(fields, format);
  return signInputs(fields, { format, keys, output: () => out, hashType: SIGHASH_ALL }).tx;
}

async function connect({ blocks, hasEvm, transfers }: Made, atTip: boolean): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'dfi-evm-empty-'));
  try {
    const rocks = await RocksStore.open(join(directory, 'chainstate'), [...chainColumns, ...dfiColumns]);
    const store = new HotStore(rocks, { columns: dfiColumns, largeColumns: [coins], maxBytes: 64 * 2 ** 20 });
    store.write(genesisChanges({ hasEvm, coins: transfers }));
    const files = new BlockFiles(join(directory, 'blocks'), { magic: evmNodeParams.p2pMagic });
    const clock = new FixedClock(1_600_000_000 + BLOCKS + (atTip ? 0 : 3_000_000));
    const chain = new Chain({ params: evmNodeParams }, { store, blocks: files, clock, log: silentLogger });
    const [first, ...later] = blocks as [Uint8Array, ...Uint8Array[]];
    // With the EVM on, it deploys the contracts of the network, which happens once.
    chain.submitBlock(first);
    const ms = cpuMs(() => {
      for (const block of later) {
        if (atTip) chain.submitBlock(block);
        else chain.processBlock(block, { requested: true });
      }
      while (chain.advance());
      chain.close();
    });
    if (chain.tip.height !== blocks.length) throw new Error(`the tip is at height ${chain.tip.height}`);
    files.close();
    await store.close();
    return ms;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Milliseconds of processor time of a step. */
function cpuMs(step: () => void): number {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}
