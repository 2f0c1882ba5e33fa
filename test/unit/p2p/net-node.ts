import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Anchors } from '../../../src/anchors/anchors.js';
import { RegtestBitcoin } from '../../../src/bitcoin/regtest-bitcoin.js';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { VerifiedScripts } from '../../../src/consensus/script-cache.js';
import { SignatureCache } from '../../../src/consensus/signature-cache.js';
import { blockSubsidy } from '../../../src/consensus/subsidy.js';
import type { PrivateKey } from '../../../src/crypto/keys.js';
import { Mempool } from '../../../src/mempool/mempool.js';
import type { PeersOptions } from '../../../src/p2p/net/options.js';
import type { Peer } from '../../../src/p2p/net/peer.js';
import { Peers } from '../../../src/p2p/net/peers.js';
import { Sync } from '../../../src/p2p/sync.js';
import type { SyncOptions } from '../../../src/p2p/sync-parts.js';
import type { WireMessage } from '../../../src/p2p/wire/messages.js';
import { networkParams } from '../../../src/params/index.js';
import type { NetworkParams } from '../../../src/params/network.js';
import type { Block } from '../../../src/primitives/block.js';
import type { OutPoint } from '../../../src/primitives/outpoint.js';
import { makeTransaction, type Transaction } from '../../../src/primitives/transaction.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { type Logger, silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf } from '../../chains/block-builder.js';
import { until } from '../../until.js';
import { ANYONE, ANYONE_SCRIPT_SIG, coinbaseOf, defaults, output } from '../mempool/fixture.js';
import { defaultPeersOptions, defaultSyncOptions } from './options.js';

export const dummyParams = networkParams({ network: 'regtest', dummyPos: true });

/** Data that remains after a node has stopped. */
export interface Disk {
  readonly store: MemoryStore;
  readonly blocks: MemoryBlocks;
}

export interface NetNodeOptions {
  readonly params?: NetworkParams;
  readonly disk?: Disk;
  readonly clock?: FixedClock;
  readonly peers?: Partial<PeersOptions>;
  readonly sync?: Partial<SyncOptions>;
  readonly log?: Logger;
  /** Number of headers above the tip at which no more are requested. */
  readonly headersAhead?: number;
  /** Keys of masternodes that the node signs anchors for, by key id in hex. */
  readonly keys?: ReadonlyMap<string, PrivateKey>;
}

/** A complete node in memory that listens on a port chosen by the system; tests create its blocks. */
export class NetNode {
  readonly disk: Disk;
  readonly clock: FixedClock;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly peers: Peers;
  readonly sync: Sync;
  readonly bitcoin: RegtestBitcoin;
  readonly anchors: Anchors;
  readonly errors: object[] = [];
  port = 0;
  /** Offset of `monotonic` from real time, ms. */
  skew = 0;
  #stopped = false;

  private constructor(options: NetNodeOptions) {
    const { params = dummyParams, disk, clock, peers = {}, sync = {}, log = silentLogger, headersAhead, keys = new Map() } = options;
    this.disk = disk ?? { store: new MemoryStore(), blocks: new MemoryBlocks() };
    this.clock = clock ?? new FixedClock(params.genesis.header.time + 100);
    const errorLog: Logger = { ...log, error: (msg, fields) => void this.errors.push({ msg, ...fields }), child: () => errorLog };
    const memory = { signatures: new SignatureCache(1_000_000, new Uint8Array(16)), scripts: new VerifiedScripts(1_000_000) };
    const common = { clock: this.clock, log: errorLog };
    const chainOptions = headersAhead === undefined ? { params } : { params, headersAhead };
    this.chain = new Chain(chainOptions, { ...this.disk, ...common, scripts: { cache: memory.scripts } });
    this.mempool = new Mempool(defaults, { chain: this.chain, ...common, memory });
    this.mempool.start();
    const peersOptions = { ...defaultPeersOptions, listen: true, bind: ['127.0.0.1'], ...peers };
    this.peers = new Peers(peersOptions, { params, chain: this.chain, ...common, monotonic: () => performance.now() + this.skew });
    const { chain, mempool, peers: net } = this;
    this.bitcoin = new RegtestBitcoin(this.clock);
    this.anchors = new Anchors({ chain, bitcoin: this.bitcoin, key: (operator) => keys.get(toHex(operator)), ...common });
    this.sync = new Sync({ ...defaultSyncOptions, ...sync }, { chain, mempool, anchors: this.anchors, peers: net, ...common });
  }

  static async start(t: TestContext, options: NetNodeOptions = {}): Promise<NetNode> {
    const node = new NetNode(options);
    node.sync.start();
    [node.port = 0] = await node.peers.start();
    t.after(() => node.stop());
    return node;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.peers.stop();
    this.sync.stop();
    this.mempool.stop();
    this.chain.close();
  }

  get height(): number {
    return this.chain.tip.height;
  }

  /** Connects to a node and waits until both are ready. */
  async connect(to: NetNode): Promise<Peer> {
    const peer = await this.peers.connect(`127.0.0.1:${to.port}`);
    if (!peer) throw new Error('no connection');
    await until(() => peer.ready && to.peers.ready().some(({ name }) => name === peer.boundTo), 'both ready');
    return peer;
  }

  /** Creates a block on the tip or another block; anyone can spend its coinbase. */
  make(transactions: readonly Transaction[] = [], { on = this.chain.tip, tag = 0 }: { on?: BlockIndexEntry; tag?: number } = {}): Block {
    const vout = [{ value: blockSubsidy(on.height + 1, this.chain.params), scriptPubKey: ANYONE, tokenId: 0 }];
    return blockOn(this.chain, on, { transactions, coinbase: { vout }, tag });
  }

  /** Creates blocks and submits them, as a minter would. */
  mine(count = 1, transactions: readonly Transaction[] = [], tag = 0): Block[] {
    const blocks: Block[] = [];
    for (let i = 0; i < count; i++) {
      const block = this.make(i === 0 ? transactions : [], { tag });
      const result = this.chain.submitBlock(bytesOf(this.chain, block));
      if (result.status !== 'accepted') throw new Error(JSON.stringify(result));
      blocks.push(block);
    }
    return blocks;
  }

  /** Creates a transaction that spends outputs that anyone can spend. */
  pay(inputs: readonly OutPoint[], values: readonly bigint[]): Transaction {
    const vin = inputs.map((prevout) => ({ prevout, scriptSig: ANYONE_SCRIPT_SIG, sequence: 0xffffffff, witness: [] }));
    const vout = values.map((value) => ({ value, scriptPubKey: ANYONE, tokenId: 0 }));
    return makeTransaction({ version: 2, vin, vout, lockTime: 0 }, this.chain.params.txFormat);
  }

  /** Submits a transaction to the mempool and announces it, as an RPC does. */
  send(tx: Transaction): void {
    const verdict = this.mempool.accept(tx);
    if (verdict.status !== 'accepted') throw new Error(JSON.stringify(verdict));
    this.sync.announce(tx);
  }

  has(tx: Transaction): boolean {
    return this.mempool.pool.get(tx.txid) !== undefined;
  }
}

/** The message with which a peer sends a block. */
export function blockMessage({ chain }: NetNode, block: Block): WireMessage<'block'> {
  return { command: 'block', payload: { header: block.header, hash: block.hash, raw: bytesOf(chain, block) } };
}

/** Mines a block of payments, each of which spends the output of the one before, after 101 other blocks. */
export function minePayments(node: NetNode, count: number): Block {
  const [funding] = node.mine(101);
  const coinbase = coinbaseOf(funding ?? assert.fail());
  const value = coinbase.vout[0]?.value ?? 0n;
  let point = output(coinbase);
  const payments = Array.from({ length: count }, (_, i) => {
    const tx = node.pay([point], [value - BigInt(i) * 100_000n]);
    point = output(tx);
    return tx;
  });
  return node.mine(1, payments)[0] ?? assert.fail();
}
