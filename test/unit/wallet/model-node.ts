import { BlockIndexEntry } from '../../../src/chain/block-index.js';
import type { ChainEvents } from '../../../src/chain/chain.js';
import { networkParams } from '../../../src/params/index.js';
import { type Block, block as blockCodec } from '../../../src/primitives/block.js';
import { readOutline } from '../../../src/primitives/block-outline.js';
import { encode } from '../../../src/primitives/codec.js';
import type { Hash256 } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import type { TransactionWatch } from '../../../src/primitives/transaction-scan.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { Overlay } from '../../../src/storage/overlay.js';
import { toHex } from '../../../src/util/bytes.js';
import { Emitter } from '../../../src/util/events.js';
import { silentLogger } from '../../../src/util/logger.js';
import type { Steps } from '../../../src/util/slicer.js';
import type { WalletDeps } from '../../../src/wallet/deps.js';
import type { WalletSettings } from '../../../src/wallet/options.js';
import { defaultWalletSettings } from '../../rpc/wallet/wallet-node.js';

const BLOCK_SECONDS = 30;

/** Model of the chain for wallets. Blocks contain the transactions that a test gives them; nothing is validated. */
export class ModelChain {
  readonly params = networkParams({ network: 'regtest', upgradeHeights: { amk: 0 } });
  readonly genesis: BlockIndexEntry;
  readonly state = new Overlay(new MemoryStore());
  readonly #events = new Emitter<ChainEvents>();
  readonly #entries = new Map<string, BlockIndexEntry>();
  readonly #blocks = new Map<BlockIndexEntry, Block>();
  readonly #active: BlockIndexEntry[] = [];

  constructor() {
    const { header, hash, transactions } = this.params.genesis;
    this.genesis = new BlockIndexEntry(hash, header, undefined, this.params);
    this.#push(this.genesis, { header, hash, transactions });
  }

  get tip(): BlockIndexEntry {
    return this.#active.at(-1) as BlockIndexEntry;
  }

  /** Connects a block. @param again a disconnected block to connect again */
  connect(transactions: readonly Transaction[], again?: BlockIndexEntry): BlockIndexEntry {
    const parent = this.tip;
    const header = { ...this.params.genesis.header, time: parent.time + BLOCK_SECONDS };
    const hash = Buffer.alloc(32);
    hash.writeUInt32LE(this.#entries.size, 0);
    hash.writeUInt32LE(parent.height + 1, 4);
    const entry = again ?? new BlockIndexEntry(hash, header, parent, this.params);
    const block = this.#blocks.get(entry) ?? { header, hash, transactions };
    this.#push(entry, block);
    this.#events.emit('connected', { block, entry, spent: [] });
    return entry;
  }

  disconnect(): BlockIndexEntry {
    const entry = this.#active.pop() as BlockIndexEntry;
    this.#events.emit('disconnected', { block: this.#blocks.get(entry) as Block, entry, spent: [] });
    return entry;
  }

  #push(entry: BlockIndexEntry, block: Block): void {
    this.#active.push(entry);
    this.#entries.set(toHex(entry.hash), entry);
    this.#blocks.set(entry, block);
  }

  entry(hash: Hash256): BlockIndexEntry | undefined {
    return this.#entries.get(toHex(hash));
  }

  entryAt(height: number): BlockIndexEntry | undefined {
    return this.#active[height];
  }

  isActive(entry: BlockIndexEntry): boolean {
    return this.#active[entry.height] === entry;
  }

  confirmations(entry: BlockIndexEntry): number {
    return this.isActive(entry) ? this.tip.height - entry.height + 1 : -1;
  }

  forkPoint(entry: BlockIndexEntry): BlockIndexEntry {
    let at = entry;
    while (!this.isActive(at)) at = at.parent as BlockIndexEntry;
    return at;
  }

  block(entry: BlockIndexEntry): Block | undefined {
    return this.#blocks.get(entry);
  }

  *mayHave(entry: BlockIndexEntry, watch: TransactionWatch): Steps<boolean | undefined> {
    const { txFormat } = this.params;
    const block = this.#blocks.get(entry);
    if (!block || block.transactions.length === 0) return block && false;
    return (yield* readOutline(encode(blockCodec(txFormat), block), txFormat, { watch })).isFound;
  }

  isInitialDownload(): boolean {
    return false;
  }

  on<Name extends keyof ChainEvents>(name: Name, listener: (event: ChainEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }
}

interface ModelEntry {
  readonly tx: Transaction;
}

/** Model of a mempool that accepts every transaction. */
export class ModelMempool {
  readonly #events = new Emitter<{ added: ModelEntry; removed: { readonly entry: ModelEntry; readonly reason: string } }>();
  readonly #entries = new Map<string, ModelEntry>();
  readonly policy = { minRelayFeeRate: 1_000n, dustRelayFeeRate: 3_000n, incrementalRelayFeeRate: 1_000n };
  readonly limits = { ancestorCount: 25, ancestorBytes: 101_000, descendantCount: 25, descendantBytes: 101_000 };
  readonly feeEstimator = { estimate: () => ({ rate: undefined }) };
  readonly pool = {
    get: (txid: Hash256) => this.#entries.get(toHex(txid)),
    entries: () => this.#entries.values(),
    on: this.#events.on.bind(this.#events),
  };

  minimumFeeRate(): bigint {
    return 1_000n;
  }

  accept(tx: Transaction): { readonly status: 'accepted' } {
    const entry = { tx, ancestors: { count: 1 }, descendants: { count: 1 }, allAncestors: () => [] };
    this.#entries.set(toHex(tx.txid), entry);
    this.#events.emit('added', entry);
    return { status: 'accepted' };
  }

  remove(tx: Transaction): void {
    const key = toHex(tx.txid);
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#events.emit('removed', { entry, reason: 'conflict' });
  }
}

/** Dependencies of a wallet with the two models. */
export function modelDeps(chain: ModelChain, mempool: ModelMempool, settings: Partial<WalletSettings> = {}): WalletDeps {
  return {
    chain: chain as unknown as WalletDeps['chain'],
    mempool: mempool as unknown as WalletDeps['mempool'],
    clock: { now: () => chain.tip.time * 1000, seconds: () => chain.tip.time } as unknown as WalletDeps['clock'],
    log: silentLogger,
    settings: { ...defaultWalletSettings, ...settings },
    feesDecide: false,
  };
}
