import { compactBlockOf } from '../../../src/p2p/sync/compact.js';
import { encodeTransactions } from '../../../src/p2p/wire/blocktxn.js';
import type { CompactBlock } from '../../../src/p2p/wire/cmpctblock.js';
import { encodeFrame } from '../../../src/p2p/wire/envelope.js';
import { type InventoryItem, InvType } from '../../../src/p2p/wire/inventory.js';
import type { LocatorRequest } from '../../../src/p2p/wire/locator.js';
import type { Command, Payloads } from '../../../src/p2p/wire/messages.js';
import type { Version } from '../../../src/p2p/wire/version.js';
import { type Block, block as blockCodec } from '../../../src/primitives/block.js';
import { type Codec, decode, encode } from '../../../src/primitives/codec.js';
import { formatHash, type Hash256, NULL_HASH } from '../../../src/primitives/hash.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import type { HostileBlocks } from '../chains/hostile-blocks.js';
import { mutated, type Random } from '../mutate.js';
import { codecs, params } from './peer-client.js';

/** A message of a peer in its frame, and a description for reports. */
export interface SentMessage {
  readonly command: string;
  readonly frame: Uint8Array;
  readonly shown: string;
}

/** `defid` repeats what follows the handshake after each `verack`. */
type RandomCommand = Exclude<Command, 'verack'>;
type Messages = { readonly [C in RandomCommand]: () => Payloads[C] | Promise<Payloads[C]> };

/** Types after which `defid` answers further messages: others stay in its queue for good. */
const DATA_TYPES = [
  ...[InvType.tx, InvType.block, InvType.filteredBlock, InvType.compactBlock, InvType.anchorAuth, InvType.anchorConfirm],
  ...[InvType.witnessTx, InvType.witnessBlock],
];
const INV_TYPES = [...Object.values(InvType), InvType.witnessBlock, InvType.block, InvType.tx, 0, 8, 0x40000004, 0xffffffff];
const UNKNOWN = ['unknown', 'wtxidrelay', 'getcfilters', 'sendaddrv2', 'VERSION', ''];
/** More often than others: they have most rules. */
const FREQUENT: readonly RandomCommand[] = ['headers', 'block', 'cmpctblock', 'blocktxn', 'tx', 'getdata', 'inv', 'getblocktxn'];
/** Blocks around the newest one that messages prefer. */
const NEAR = 6;
/** Longest payloads that are changed, bytes. */
const MAX_CHANGED = 10_000;
/** Length of payloads in reports, in hex digits. */
const MAX_SHOWN = 3_000;

export interface MessageParts {
  /** Blocks of a chain from height 1 on, of which the nodes have the first ones. */
  readonly blocks: readonly Uint8Array[];
  readonly hostile: HostileBlocks;
  /** Seconds since 1970. */
  readonly time: number;
}

/** Makes messages of all types about the blocks of a chain, right ones and wrong ones. */
export class MessageMaker {
  readonly #blocks: readonly Block[];
  readonly #all: readonly Uint8Array[];
  readonly #commands: readonly RandomCommand[];
  readonly #messages: Messages;
  /** Number of blocks that the nodes have. */
  known = 0;

  constructor(
    private readonly parts: MessageParts,
    private readonly random: Random,
  ) {
    const codec = blockCodec(params.txFormat);
    this.#blocks = parts.blocks.map((raw) => decode(codec, raw));
    this.#all = [...parts.blocks.slice(-3), this.version().frame];
    this.#messages = this.#makers();
    const names = Object.keys(this.#messages) as RandomCommand[];
    this.#commands = [...names, ...FREQUENT, ...FREQUENT];
  }

  /** True if a block is one of the chain. */
  isRecorded(hash: string): boolean {
    return this.#blocks.some((block) => formatHash(block.hash) === hash);
  }

  /** A right `version`. */
  version(change: Partial<Version> = {}): SentMessage {
    return this.#sent('version', encode(codecs.version, { ...this.#version(), ...change }));
  }

  verack(): SentMessage {
    return this.#sent('verack', EMPTY_BYTES);
  }

  /** A message of any type. One of five has changed bytes. */
  async next(): Promise<SentMessage> {
    const { random } = this;
    const kind = random.below(60);
    if (kind === 0) return this.#sent(random.pick(UNKNOWN), random.bytes(random.below(50)));
    if (kind === 1) return this.#damaged(await this.#any());
    const { command, payload } = await this.#payload();
    if (kind > 12 || !mayChange(command, payload)) return this.#sent(command, payload);
    return this.#sent(command, mutated(payload, random, [payload, ...this.#all]));
  }

  async #any(): Promise<SentMessage> {
    const { command, payload } = await this.#payload();
    return this.#sent(command, payload);
  }

  async #payload(): Promise<{ readonly command: Command; readonly payload: Uint8Array }> {
    const command = this.random.pick(this.#commands);
    const payload = await this.#messages[command]();
    return { command, payload: encode(codecs[command] as Codec<unknown>, payload) };
  }

  #sent(command: string, payload: Uint8Array): SentMessage {
    return { command, frame: encodeFrame(params.p2pMagic, command, payload), shown: `${command} ${toHex(payload).slice(0, MAX_SHOWN)}` };
  }

  /** The message in a frame with a wrong magic, name, length or checksum. */
  #damaged({ command, frame, shown }: SentMessage): SentMessage {
    const { random } = this;
    const copy = Uint8Array.from(frame);
    const field = random.pick(['magic', 'name', 'checksum', 'length']);
    if (field === 'magic') copy[random.below(4)] = random.below(256);
    if (field === 'name') copy[4 + random.below(12)] = random.below(256);
    if (field === 'checksum') copy[20 + random.below(4)] = random.below(256);
    // More than any message may have: a shorter one would take the next frames as its payload.
    if (field === 'length') copy[19] = 4 + random.below(252);
    return { command, frame: copy, shown: `wrong ${field} of ${shown}` };
  }

  #makers(): Messages {
    const { random } = this;
    const nothing = () => ({});
    return {
      version: () => this.#version(),
      addr: () => Array.from({ length: this.#length(1_002) }, () => ({ ...this.#address(), time: this.parts.time - random.below(9_000) })),
      getaddr: nothing,
      inv: () => this.#inventory(INV_TYPES),
      getdata: () => this.#inventory(DATA_TYPES),
      notfound: () => this.#inventory(INV_TYPES),
      getblocks: () => this.#locator(),
      getheaders: () => this.#locator(),
      headers: () => this.#headers(),
      tx: () => this.#transaction(),
      block: () => this.#block(),
      mempool: nothing,
      ping: () => ({ nonce: BigInt(random.below(1_000)) }),
      pong: () => ({ nonce: BigInt(random.below(1_000)) }),
      sendheaders: nothing,
      feefilter: () => ({ feeRate: random.pick([0n, 1n, 1_000n, 2n ** 62n, -1n]) }),
      sendcmpct: () => ({ announce: random.below(2) === 0, version: BigInt(random.below(4)) }),
      cmpctblock: () => this.#compact(),
      getblocktxn: () => ({ blockHash: this.#hash(), indexes: this.#positions() }),
      blocktxn: () => this.#blockTransactions(),
      filterload: () => ({
        data: random.bytes(this.#length(36_001)),
        hashFunctions: random.pick([0, 1, 5, 50, 51]),
        tweak: random.below(2 ** 32),
        flags: random.below(4),
      }),
      filteradd: () => ({ data: random.pick([this.#hash(), random.bytes(this.#length(521))]) }),
      filterclear: nothing,
      merkleblock: () => ({ header: this.#near().header, tree: { leafCount: 1, hashes: [this.#hash()], flags: Uint8Array.of(1) } }),
      reject: () => ({ message: random.pick(['tx', 'block', 'other']), code: random.below(256), reason: 'none', data: this.#hash() }),
      getauths: () => ({ lowBlock: this.#hash(), highBlock: this.#hash() }),
      anchorauth: () => ({
        previousAnchor: this.#hash(),
        height: random.below(this.known + 1),
        blockHash: this.#hash(),
        nextTeam: [random.bytes(20)],
        signature: random.bytes(65),
      }),
      anchorconf: () => ({
        btcTxHash: this.#hash(),
        anchorHeight: random.below(this.known + 1),
        previousAnchorHeight: random.below(this.known + 1),
        rewardKeyId: random.bytes(20),
        rewardKeyType: random.pick([1, 4]),
        blockHash: this.#hash(),
        btcTxHeight: random.below(1_000),
        signature: random.bytes(65),
      }),
    };
  }

  /** A small length, seldom one up to a limit. */
  #length(limit: number): number {
    const { random } = this;
    return random.below(8) === 0 ? limit - random.below(3) : random.below(12);
  }

  #version(): Version {
    const endpoint = { services: 0n, ip: new Uint8Array(16), port: 0 };
    const nonce = BigInt(1 + this.random.below(2 ** 32));
    const common = { services: 0x409n, time: BigInt(this.parts.time), receiver: endpoint, sender: endpoint, nonce };
    return { version: 70_036, ...common, userAgent: '/other:1.0/', startHeight: this.known, relay: true };
  }

  #address() {
    const { random } = this;
    const ip = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1 + random.below(220), ...random.bytes(3));
    return { services: random.pick([0n, 1n, 9n, 0x409n]), ip, port: random.below(65_536) };
  }

  /** A block, most of the time one of the newest or of the next. */
  #near(): Block {
    const { random } = this;
    const last = this.#blocks.length - 1;
    const at = random.below(4) === 0 ? random.below(last + 1) : this.known - NEAR + random.below(2 * NEAR);
    return this.#blocks[Math.max(0, Math.min(last, at))] as Block;
  }

  #hash(): Hash256 {
    const { random } = this;
    const kind = random.below(8);
    if (kind === 0) return random.bytes(32);
    if (kind === 1) return params.genesis.hash;
    const block = this.#near();
    return kind === 2 ? random.pick(block.transactions).txid : block.hash;
  }

  #inventory(types: readonly number[]): InventoryItem[] {
    const { random } = this;
    const count = random.below(60) === 0 ? 50_001 : random.below(6);
    if (count > 50_000) return new Array<InventoryItem>(count).fill({ type: 1, hash: NULL_HASH });
    return Array.from({ length: count }, () => ({ type: random.pick(types), hash: this.#hash() }));
  }

  #locator(): LocatorRequest {
    const { random } = this;
    const locator = Array.from({ length: random.below(40) === 0 ? 102 : random.below(5) }, () => this.#hash());
    return { version: 70_036, locator, stop: random.pick([NULL_HASH, this.#hash()]) };
  }

  #headers() {
    const { random } = this;
    const last = this.#blocks.length;
    const from = random.below(3) === 0 ? random.below(last) : this.known - random.below(3);
    const run = this.#blocks.slice(Math.max(0, from), Math.max(0, from) + random.below(6)).map(({ header }) => header);
    const kind = random.below(12);
    const at = random.below(run.length + 1);
    if (kind === 0) return run.toReversed();
    if (kind === 1) return [...run.slice(0, at), ...run.slice(at + 1)];
    if (kind === 2) return [...run, this.#near().header];
    if (kind === 3 && random.below(4) === 0) return new Array(2_001).fill(this.#near().header);
    return run;
  }

  /** A transaction that is not in a block yet: whether a node notices that it knows an older one depends on its caches. */
  #transaction(): Transaction {
    const { random } = this;
    return random.pick(random.pick(this.#blocks.slice(Math.min(this.known, this.#blocks.length - 1))).transactions);
  }

  /** A block of the chain, the next one, or one that a hostile minter could make. */
  async #block() {
    const { random } = this;
    const next = this.#blocks[this.known];
    // `defid` 3.2.8 ignores blocks without a known parent; later versions and our node charge points for them.
    const block = random.below(3) === 0 || !next ? random.pick(this.#blocks.slice(0, this.known)) : next;
    const raw = encode(blockCodec(params.txFormat), block);
    const variant = block === next && random.below(3) === 0 ? Buffer.from((await this.parts.hostile.variant(toHex(raw))).hex, 'hex') : raw;
    return decode(codecs.block, variant);
  }

  #compact(): CompactBlock {
    const { random } = this;
    const block = random.below(3) === 0 ? this.#near() : (this.#blocks[this.known] ?? this.#near());
    const compact = compactBlockOf(block, BigInt(random.below(2 ** 32)), random.pick([1, 2, 2]), params.txFormat);
    const kind = random.below(6);
    if (kind === 0) return { ...compact, shortIds: compact.shortIds.slice(1) };
    if (kind === 1) return { ...compact, shortIds: [...compact.shortIds, BigInt(random.below(2 ** 32))] };
    if (kind === 2) return { ...compact, prefilled: [] };
    if (kind > 3) return compact;
    const at = random.below(block.transactions.length);
    const tx = block.transactions[at] as Transaction;
    return { ...compact, prefilled: [...compact.prefilled, { index: at + 1, tx }] };
  }

  #blockTransactions() {
    const { random } = this;
    const { hash, transactions } = this.#near();
    const from = random.below(2);
    const some = transactions.slice(from, from + random.below(transactions.length + 1));
    return { blockHash: hash, raw: encodeTransactions(some, params.txFormat) };
  }

  #positions(): number[] {
    const { random } = this;
    const positions = Array.from({ length: random.below(4) }, () => (random.below(4) === 0 ? random.below(70_000) : random.below(4)));
    return [...new Set(positions)].sort((a, b) => a - b);
  }
}

/**
 * A changed type of requested data may be one that `defid` never answers. It does not read a second `version`, and reads all of a list that
 * is too long. Of a block our node may read the header alone.
 */
function mayChange(command: Command, payload: Uint8Array): boolean {
  return !['block', 'getdata', 'version'].includes(command) && payload.length < MAX_CHANGED;
}
