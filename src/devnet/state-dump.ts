import { gunzipSync, gzipSync } from 'node:zlib';
import type { Chain } from '../chain/chain.js';
import type { Mempool } from '../mempool/mempool.js';
import { ByteReader, DecodeError, decode, encode, fixedBytes, list, struct, u8, u32, varBytes } from '../primitives/codec.js';
import { blockHash, blockHeader } from '../primitives/header.js';
import { transaction } from '../primitives/transaction.js';
import { equalBytes, fromHex, toHex } from '../util/bytes.js';
import { invalidParameter, NodeError } from '../util/errors.js';
import { Slicer } from '../util/slicer.js';
import type { AutoMining } from './auto-mining.js';
import type { Snapshots } from './snapshots.js';
import type { TimeControl } from './time-control.js';

/** Parts of the node whose state is dumped. */
export interface StateDumpParts {
  readonly chain: Pick<
    Chain,
    'params' | 'tip' | 'genesis' | 'entry' | 'entryAt' | 'rawBlock' | 'invalidate' | 'reconsider' | 'submitBlock'
  >;
  readonly mempool: Pick<Mempool, 'pool'>;
  readonly time: Pick<TimeControl, 'state'>;
  readonly mining: Pick<AutoMining, 'mode'>;
  readonly snapshots: Pick<Snapshots, 'goTo'>;
}

/** A chain with its mempool and clock. */
interface Dump {
  readonly version: number;
  readonly genesis: Uint8Array;
  /** Seconds since 1970. */
  readonly time: number;
  /** 1 if the clock is stopped. */
  readonly isStopped: number;
  /** From height 1 on. */
  readonly blocks: readonly Uint8Array[];
  readonly pooled: readonly { readonly time: number; readonly tx: Uint8Array }[];
}

const VERSION = 1;
const dumpCodec = struct<Dump>({
  ...{ version: u8, genesis: fixedBytes(32), time: u32, isStopped: u8, blocks: list(varBytes) },
  pooled: list(struct({ time: u32, tx: varBytes })),
});

/** Bytes of blocks in a dump, which is one text. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Dumps of a development network: its blocks, so that the rules decide what their state is wherever they are loaded. */
export class StateDump {
  constructor(private readonly parts: StateDumpParts) {}

  /** @returns compressed bytes in hex @throws {NodeError} if the chain is too long, or was pruned */
  async dump(signal: AbortSignal): Promise<string> {
    const { chain, mempool, time } = this.parts;
    const { seconds, isStopped } = time.state();
    const entries = [...mempool.pool.entries()].sort((a, b) => a.sequence - b.sequence);
    const txCodec = transaction(chain.params.txFormat);
    const pooled = entries.map((entry) => ({ time: entry.time, tx: encode(txCodec, entry.tx) }));
    const { tip } = chain;
    const slicer = new Slicer(signal);
    const blocks: Uint8Array[] = [];
    let bytes = 0;
    for (let height = 1; height <= tip.height; height++) {
      const entry = tip.ancestor(height);
      const raw = entry && chain.rawBlock(entry);
      if (!raw) throw new NodeError('misc', `the block at height ${height} is not stored`);
      bytes += raw.length;
      if (bytes > MAX_BYTES)
        throw new NodeError('resource-exhausted', `the blocks have more than ${MAX_BYTES} bytes; exportsnapshot writes a file`);
      blocks.push(raw);
      await slicer.pause();
    }
    const dump: Dump = { version: VERSION, genesis: chain.genesis.hash, time: seconds, isStopped: Number(isStopped), blocks, pooled };
    return `0x${toHex(gzipSync(encode(dumpCodec, dump)))}`;
  }

  /**
   * Makes the dumped chain the active one, with its mempool and clock.
   * @throws {NodeError} if the text is no dump of a network with this genesis block, or a block of it is invalid; then the chain stays, without its mempool
   */
  load(text: string): void {
    const { chain, mining, snapshots } = this.parts;
    const { blocks, pooled, time, isStopped } = this.#decode(text);
    const hashes = blocks.map((raw) => blockHash(blockHeader.read(new ByteReader(raw))));
    const fork = hashes.findIndex((hash, i) => {
      const own = chain.entryAt(i + 1);
      return !own || !equalBytes(own.hash, hash);
    });
    const txCodec = transaction(chain.params.txFormat);
    const state = {
      pooled: pooled.map((each) => ({ time: each.time, tx: decode(txCodec, each.tx) })),
      clock: { seconds: time, isStopped: isStopped === 1 },
      mode: mining.mode,
      unconfirmed: new Map(),
    };
    snapshots.goTo(state, () => this.#connect(blocks, hashes, fork < 0 ? blocks.length : fork));
  }

  #decode(text: string): Dump {
    try {
      const bytes = gunzipSync(fromHex(text.replace(/^0x/, '')), { maxOutputLength: 2 * MAX_BYTES });
      const dump = decode(dumpCodec, bytes);
      if (dump.version !== VERSION) throw new DecodeError(`version ${dump.version}`);
      if (!equalBytes(dump.genesis, this.parts.chain.genesis.hash)) throw new DecodeError('another genesis block');
      return dump;
    } catch (error) {
      throw invalidParameter(`not a state of dev_dumpState: ${(error as Error).message}`);
    }
  }

  /** @param fork number of the first blocks that are in the active chain */
  #connect(blocks: readonly Uint8Array[], hashes: readonly Uint8Array[], fork: number): void {
    const { chain } = this.parts;
    const own = chain.tip;
    const replaced = chain.entryAt(fork + 1);
    if (replaced) chain.invalidate(replaced);
    for (const [i, raw] of blocks.entries()) {
      if (i < fork) continue;
      const known = chain.entry(hashes[i] as Uint8Array);
      if (known?.failed) chain.reconsider(known);
      if (!known?.hasData) chain.submitBlock(raw);
    }
    if (this.#leaveOthers((height) => hashes[height - 1])) return;
    chain.reconsider(own);
    this.#leaveOthers((height) => own.ancestor(height)?.hash);
    throw invalidParameter('a block of the state is invalid');
  }

  /**
   * Disconnects blocks of other branches, which became valid again with a block of this one.
   * @param hashAt hash of the wanted block at a height; undefined above its tip
   * @returns false if the wanted tip is not the active one
   */
  #leaveOthers(hashAt: (height: number) => Uint8Array | undefined): boolean {
    const { chain } = this.parts;
    for (let height = 1; ; height++) {
      const [active, wanted] = [chain.entryAt(height), hashAt(height)];
      if (!active) return wanted === undefined;
      if (wanted && equalBytes(active.hash, wanted)) continue;
      chain.invalidate(active);
      // The next best branch may leave the wanted one further below.
      height = 0;
    }
  }
}
