import assert from 'node:assert/strict';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { coins } from '../../../src/chain/coins.js';
import { VerifiedScripts } from '../../../src/consensus/script-cache.js';
import { SignatureCache } from '../../../src/consensus/signature-cache.js';
import { hash160 } from '../../../src/crypto/hash.js';
import { attributes } from '../../../src/dfi/attributes/attributes.js';
import { attributeAt } from '../../../src/dfi/attributes/path.js';
import type { AttributeValue } from '../../../src/dfi/attributes/value.js';
import { EvmState, ViewState } from '../../../src/dfi/evm/view-state.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { decodeEvmTransaction } from '../../../src/evm/codec/transaction.js';
import { BlockState } from '../../../src/evm/state/block-state.js';
import { commitBlock } from '../../../src/evm/state/commit.js';
import { DvmGate } from '../../../src/mempool/dvm-gate.js';
import { Mempool } from '../../../src/mempool/mempool.js';
import { mempoolOptions } from '../../../src/mempool/options.js';
import { type AssemblySettings, BlockAssembler, DEFAULT_ASSEMBLY } from '../../../src/minting/assembler.js';
import { trialsOnTip } from '../../../src/minting/state-trial.js';
import { networkParams } from '../../../src/params/index.js';
import { COIN } from '../../../src/primitives/amount.js';
import type { Block } from '../../../src/primitives/block.js';
import { encode } from '../../../src/primitives/codec.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { scriptOf } from '../../../src/script/address.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import type { RawChange } from '../../../src/storage/view.js';
import { concatBytes, toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { bytesOf, OP_TRUE_SCRIPT } from '../../chains/block-builder.js';
import { defaultSettings } from '../../chains/memory-pool.js';
import { GRAND_CENTRAL } from '../dfi/fixture.js';
import { legacy, signed } from '../mempool/evm-transactions.js';
import { describe } from '../mempool/fixture.js';

const upgradeHeights = { ...GRAND_CENTRAL, metachain: 0 };
export const evmNodeParams = networkParams({ network: 'regtest', dummyPos: true, upgradeHeights });
const BENEFICIARY = new Uint8Array(20).fill(9);
const DFI = 10n ** 18n;

/** Address of a key whose bytes are all `key`. */
export function addressOf(key: number): bigint {
  return decodeEvmTransaction(signed(legacy(0), key)).sender;
}

export interface EvmNodeOptions {
  /** Keys whose addresses have 1,000 DFI in the EVM. */
  readonly keys?: readonly number[];
  readonly gasLimit?: bigint;
  readonly assembly?: Partial<AssemblySettings>;
  /** False for a chain whose governance has not enabled the EVM. */
  readonly hasEvm?: boolean;
  /** True for a network of -dev. */
  readonly allowsImpersonation?: boolean;
  /** Coins of 1 DFI that anyone can spend: output 0 of the transactions of {@link coinId}. */
  readonly coins?: number;
}

/** Standard script of coins that anyone can spend: P2SH of a script that is only true; and the input script that spends them. */
export const ANYONE_SCRIPT: Uint8Array = scriptOf({ type: 'sh', hash: hash160(OP_TRUE_SCRIPT) });
export const ANYONE_INPUT: Uint8Array = concatBytes(Uint8Array.of(OP_TRUE_SCRIPT.length), OP_TRUE_SCRIPT);

/** Id of the transaction whose first output is a coin of the state before the first block. */
export function coinId(index: number): Hash256 {
  const id = Buffer.alloc(32, 0xc0);
  id.writeUInt32LE(index);
  return id;
}

/** Chain in memory with an EVM, and a mempool and an assembler of blocks on it. */
export class EvmNode {
  readonly clock = new FixedClock(1_600_000_000);
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly #assembler: BlockAssembler;

  constructor({ assembly, allowsImpersonation = false, ...options }: EvmNodeOptions = {}) {
    const store = new MemoryStore();
    store.write(genesisChanges(options));
    const { clock } = this;
    const memory = { signatures: new SignatureCache(), scripts: new VerifiedScripts() };
    this.chain = new Chain(
      { params: { ...evmNodeParams, allowsImpersonation } },
      { store, blocks: new MemoryBlocks(), clock, log: silentLogger, scripts: { cache: memory.scripts } },
    );
    const { chain } = this;
    this.mempool = new Mempool(mempoolOptions(defaultSettings), { chain, clock, log: silentLogger, memory, gate: new DvmGate(chain) });
    this.mempool.start();
    const { pool } = this.mempool;
    const deps = { chain, pool, beginTrial: trialsOnTip(chain, pool) };
    this.#assembler = new BlockAssembler({ ...DEFAULT_ASSEMBLY, ...assembly }, deps);
    this.mint();
  }

  /** Verdict of the mempool. */
  accept(tx: Transaction): string {
    return describe(this.mempool.accept(tx));
  }

  /** Assembles a block of the mempool. */
  assemble(): Block {
    this.clock.set(this.clock.seconds() + 1);
    return this.#assembler.assemble({ scriptPubKey: OP_TRUE_SCRIPT, time: this.clock.seconds(), beneficiary: BENEFICIARY }).block;
  }

  /** Assembles a block and connects it. */
  mint(): Block {
    const block = this.assemble();
    this.connect(block);
    return block;
  }

  connect(block: Block): void {
    assert.deepEqual(this.chain.submitBlock(bytesOf(this.chain, block)), { status: 'accepted' });
  }

  /** Disconnects the blocks from an entry on, and connects them again. */
  reconnect(from: BlockIndexEntry): void {
    this.chain.invalidate(from);
    this.chain.reconsider(from);
  }

  /** All DeFi and EVM records of the tip. */
  records(): string[] {
    const { state } = this.chain;
    return dfiColumns.flatMap((column) =>
      [...state.entries(column)].map(
        ([key, value]) => `${column.name} ${toHex(encode(column.key, key))} ${toHex(encode(column.value, value))}`,
      ),
    );
  }

  /** Nonce that a key may use next, after those in the pool. */
  freeNonce(key: number): bigint {
    const sender = addressOf(key);
    return this.mempool.evm.freeNonce(sender, new EvmState(this.chain.state).account(sender)?.nonce ?? 0n);
  }
}

/** State of the chain before its first block. */
export function genesisChanges({
  keys = [1, 2, 3, 4],
  gasLimit,
  hasEvm = true,
  coins: count = 0,
}: Omit<EvmNodeOptions, 'assembly'>): RawChange[] {
  const view = new Overlay(new MemoryStore());
  const set = (path: string, value: AttributeValue) => view.put(attributes, attributeAt(`v0/${path}`), value);
  set('params/feature/evm', { kind: 'bool', value: hasEvm });
  if (gasLimit !== undefined) set('evm/block/gas_limit', { kind: 'u64', value: gasLimit });
  const below = new ViewState(view, 0);
  const state = new BlockState(below);
  for (const key of keys) state.write(addressOf(key), { basic: { nonce: 0n, balance: 1_000n * DFI } });
  commitBlock(state, below);
  const out = { value: COIN, scriptPubKey: ANYONE_SCRIPT, tokenId: 0 };
  for (let i = 0; i < count; i++) view.put(coins, { txid: coinId(i), vout: 0 }, { out, height: 0, coinbase: false });
  return view.changes();
}
