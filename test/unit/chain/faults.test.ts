import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { type BlockPosition, MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { coins } from '../../../src/chain/coins.js';
import { type ChainFault, InternalFault } from '../../../src/chain/faults.js';
import { undoLogs } from '../../../src/chain/records.js';
import { Warnings, warnOfDamage, warnOfFaults } from '../../../src/chain/warnings.js';
import { networkParams } from '../../../src/params/index.js';
import { EncodeError, encode } from '../../../src/primitives/codec.js';
import { formatHash } from '../../../src/primitives/hash.js';
import { DiskFull, StoreDamaged } from '../../../src/storage/errors.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import type { RowChange } from '../../../src/storage/view.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { isDiskFull } from '../../../src/util/disk.js';
import { silentLogger } from '../../../src/util/logger.js';
import { blockOn, bytesOf, extend } from '../../chains/block-builder.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });

/** Store on a disk that can be full. */
class FullStore extends MemoryStore {
  error: Error | undefined;
  /** Bug that is thrown when coins are read. */
  bug: Error | undefined;
  bugShows = Number.POSITIVE_INFINITY;
  override cells(column: string, keys: readonly string[]) {
    if (this.bug && column === coins.name && this.bugShows-- > 0) throw this.bug;
    return super.cells(column, keys);
  }
  override writeRows(rows: readonly RowChange[]): void {
    if (this.error) throw this.error;
    super.writeRows(rows);
  }
  requireRoom(): void {
    if (this.error instanceof DiskFull) throw this.error;
  }
}

/** Block store on a disk that can be full, or returns other bytes than were written. */
class BadBlocks extends MemoryBlocks {
  error: Error | undefined;
  spoil: ((bytes: Uint8Array) => Uint8Array) | undefined;
  override append(bytes: Uint8Array): BlockPosition {
    this.requireRoom();
    return super.append(bytes);
  }
  override requireRoom(): void {
    if (this.error) throw this.error;
  }
  override read(at: BlockPosition): Uint8Array {
    const bytes = super.read(at);
    return this.spoil ? this.spoil(Uint8Array.from(bytes)) : bytes;
  }
}

const NO_SPACE = Object.assign(new Error('IO error: No space left on device: While appending to file: 000012.log'), {
  code: 'LEVEL_IO_ERROR',
});

let store: FullStore;
let blocks: BadBlocks;
let chain: Chain;
let faults: (ChainFault['kind'] | undefined)[];

/** The clock is near the time of the blocks, so that each is flushed. */
function open(): Chain {
  const clock = new FixedClock(params.genesis.header.time + 3_000);
  return new Chain({ params }, { store, blocks, clock, log: silentLogger });
}

beforeEach(() => {
  store = new FullStore();
  blocks = new BadBlocks();
  chain = open();
  faults = [];
  chain.on('fault', (fault) => faults.push(fault?.kind));
});

function digest(of: Chain): string {
  return [...of.state.entries(coins)].map(([point, coin]) => toHex(encode(coins.key, point)) + toHex(encode(coins.value, coin))).join();
}

test('errors of any library that mean a full disk', () => {
  assert.equal(isDiskFull(new DiskFull('/data')), true);
  assert.equal(isDiskFull(Object.assign(new Error('write failed'), { code: 'ENOSPC' })), true);
  assert.equal(isDiskFull(NO_SPACE), true);
  assert.equal(isDiskFull(new Error('write', { cause: NO_SPACE })), true);
  assert.equal(isDiskFull(new Error('IO error: permission denied')), false);
});

describe('full disk', () => {
  test('block store: the block is not accepted and nothing changes; it is accepted when there is room', () => {
    extend(chain, 3);
    const before = digest(chain);
    const block = blockOn(chain, chain.tip);
    blocks.error = new DiskFull('/data');
    assert.throws(() => chain.submitBlock(bytesOf(chain, block)), DiskFull);
    assert.deepEqual([chain.tip.height, digest(chain), chain.fault?.kind], [3, before, 'disk-full']);
    assert.equal(chain.block(chain.tip)?.header.time, chain.tip.time, 'reads are answered');
    assert.equal(chain.retry(), false);
    assert.throws(() => chain.submitBlock(bytesOf(chain, block)), DiskFull);
    blocks.error = undefined;
    assert.equal(chain.retry(), true);
    assert.equal(chain.fault, undefined);
    assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), { status: 'accepted' });
    assert.deepEqual(faults, ['disk-full', undefined]);
    assert.equal(open().tip.height, 4);
  });

  test('database on a disk of its own: blocks are refused before a write fails', () => {
    extend(chain, 3);
    const before = digest(chain);
    store.error = new DiskFull('/database');
    assert.throws(() => chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip))), /room in \/database$/);
    assert.deepEqual([chain.tip.height, digest(chain), chain.hasRoom], [3, before, false]);
    store.error = undefined;
    assert.equal(chain.retry(), true);
    extend(chain, 1);
    assert.deepEqual(faults, ['disk-full', undefined]);
  });

  test('database: connected blocks stay in memory, no more are accepted, and nothing is lost', () => {
    extend(chain, 3);
    store.error = NO_SPACE;
    const fourth = blockOn(chain, chain.tip);
    assert.deepEqual(chain.submitBlock(bytesOf(chain, fourth)), { status: 'accepted' });
    assert.deepEqual([chain.tip.height, chain.fault?.kind], [4, 'disk-full']);
    const fifth = blockOn(chain, chain.tip);
    assert.throws(() => chain.submitBlock(bytesOf(chain, fifth)), /No space left/);
    assert.equal(chain.tip.height, 4);
    // After an unclean shutdown now, the disk holds the state of one tip, not of half a block.
    assert.equal(open().tip.height, 3);
    store.error = undefined;
    assert.deepEqual(chain.submitBlock(bytesOf(chain, fifth)), { status: 'accepted' });
    assert.deepEqual(faults, ['disk-full', undefined]);
    const again = open();
    assert.deepEqual([again.tip.height, digest(again)], [5, digest(chain)]);
  });

  test('while many blocks are invalidated: the changes in memory are bounded, and the block is not marked', () => {
    extend(chain, 600);
    chain.close();
    const [second, before] = [chain.entryAt(2) as BlockIndexEntry, digest(chain)];
    store.error = NO_SPACE;
    assert.throws(() => chain.invalidate(second), /No space left/);
    assert.equal(chain.fault?.kind, 'disk-full');
    assert.ok(chain.tip.height > 200, `${chain.tip.height} blocks`);
    assert.equal(second.failed, false);
    store.error = undefined;
    assert.equal(chain.retry(), true);
    chain.advance();
    while (chain.advance());
    assert.equal(digest(chain), before);
    chain.invalidate(second);
    assert.deepEqual([chain.tip.height, open().tip.height], [1, 1]);
  });

  test('a verdict on a block is no fault', () => {
    const bad = blockOn(chain, chain.tip, { coinbase: { vout: [] } });
    assert.equal(chain.submitBlock(bytesOf(chain, bad)).status, 'rejected');
    assert.equal(chain.fault, undefined);
  });
});

/** Flips a bit in place, at a distance in bytes from the end. */
function flipped(bytes: Uint8Array, fromEnd: number): Uint8Array {
  const at = bytes.length - fromEnd;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

describe('damage', () => {
  const damages = [
    { name: 'a bit of a transaction', spoil: (bytes: Uint8Array) => flipped(bytes, 10) },
    { name: 'a bit of the header', spoil: (bytes: Uint8Array) => flipped(bytes, bytes.length - 80) },
    { name: 'a length', spoil: (bytes: Uint8Array) => bytes.subarray(0, -3) },
  ];
  for (const { name, spoil } of damages) {
    test(`a block that was not read as written is no fault of a peer: ${name}`, () => {
      const side = sideBranch();
      const { tip } = chain;
      chain.close();
      chain = open();
      const before = digest(chain);
      blocks.spoil = spoil;
      const last = blockOn(chain, chain.entry(side.at(-1)?.hash ?? tip.hash) as never, { tag: 7 });
      assert.throws(
        () => chain.submitBlock(bytesOf(chain, last)),
        (error: Error) => error instanceof StoreDamaged && error.message.includes('-reindex'),
      );
      // The branch that cannot be read is not marked invalid, and the tip does not change.
      assert.deepEqual([toHex(chain.tip.hash), digest(chain)], [toHex(tip.hash), before]);
      assert.ok(side.every(({ hash }) => chain.entry(hash)?.failed === false));
      assert.equal(chain.fault?.kind, 'damaged');
      blocks.spoil = undefined;
      const more = blockOn(chain, chain.tip);
      assert.throws(() => chain.submitBlock(bytesOf(chain, more)), /-reindex/);
    });
  }

  for (const { name, spoil } of damages) {
    test(`a stored block that does not match its hash is not returned, and the operator is alerted once: ${name}`, () => {
      extend(chain, 3);
      chain.close();
      chain = open();
      const alerts: string[] = [];
      const warnings = new Warnings(silentLogger, () => {});
      warnOfDamage(chain, warnings, (text) => alerts.push(text));
      const entry = chain.entryAt(2) ?? assert.fail();
      blocks.spoil = spoil;
      for (let i = 0; i < 2; i++) assert.throws(() => chain.rawBlock(entry), StoreDamaged);
      assert.throws(() => chain.block(entry), StoreDamaged);
      assert.match(chain.damage ?? '', new RegExp(`${formatHash(entry.hash)} at height 2 is damaged .*-reindex`));
      assert.deepEqual([alerts, warnings.text], [[chain.damage], chain.damage]);
      blocks.spoil = undefined;
      assert.equal(extend(chain, 1).length, 1, 'blocks are processed all the same');
      assert.deepEqual([chain.fault, chain.tip.height], [undefined, 4]);
    });
  }

  test('a rebuild from undamaged blocks chooses the branch with the most work', async () => {
    const side = sideBranch();
    const last = blockOn(chain, chain.entry(side.at(-1)?.hash ?? new Uint8Array()) as never, { tag: 7 });
    assert.deepEqual(chain.submitBlock(bytesOf(chain, last)), { status: 'accepted' });
    const before = digest(chain);
    store = new FullStore();
    const rebuilt = open();
    assert.equal(rebuilt.isRebuilding, true);
    assert.equal(await rebuilt.recover(), 9);
    assert.equal(rebuilt.isRebuilding, false);
    assert.deepEqual([toHex(rebuilt.tip.hash), digest(rebuilt)], [toHex(chain.tip.hash), before]);
  });

  test('missing undo data: the tip does not change, and the error advises to reindex', () => {
    extend(chain, 3);
    const { tip } = chain;
    store.write([{ column: undoLogs.name, key: tip.hash, value: undefined }]);
    assert.throws(() => chain.invalidate(tip), /-reindex/);
    assert.equal(chain.tip, tip);
    assert.equal(chain.fault?.kind, 'damaged');
  });
});

/** Extends the chain by four blocks, and stores a branch of four others from genesis. */
function sideBranch() {
  extend(chain, 4);
  let parent = chain.genesis;
  return [0, 1, 2, 3].map(() => {
    const block = blockOn(chain, parent, { tag: 7 });
    chain.submitBlock(bytesOf(chain, block));
    parent = chain.entry(block.hash) as typeof parent;
    return block;
  });
}

describe('a fault of this program while a block is connected', () => {
  const bug = new TypeError("Cannot read properties of undefined (reading 'tokenId')");

  test('is no verdict on the block and no storage fault: processing halts until reconsiderblock', () => {
    extend(chain, 3);
    const { tip } = chain;
    const before = digest(chain);
    const block = blockOn(chain, tip);
    store.bug = bug;
    assert.throws(
      () => chain.processBlock(bytesOf(chain, block), { requested: true }),
      (error: Error) => error instanceof InternalFault && error.message.includes(formatHash(block.hash)) && error.cause === bug,
    );
    store.bug = undefined;
    const entry = chain.entry(block.hash) as BlockIndexEntry;
    assert.deepEqual([chain.fault?.kind, chain.isHalted, entry.failed], ['internal', true, false]);
    assert.match(chain.fault?.message ?? '', /connecting block [0-9a-f]{64} at height 4: Cannot read/);
    assert.deepEqual([chain.tip, digest(chain)], [tip, before], 'reads go on');
    assert.throws(() => chain.submitBlock(bytesOf(chain, blockOn(chain, tip, { tag: 3 }))), InternalFault);
    assert.equal(chain.retry(), false);
    chain.reconsider(entry);
    assert.deepEqual([chain.fault, chain.tip], [undefined, entry]);
    assert.deepEqual(faults, ['internal', undefined]);
  });

  test('after a restart the block is tried again, and the chain opens even if it still fails', () => {
    extend(chain, 3);
    const block = blockOn(chain, chain.tip);
    store.bug = bug;
    assert.throws(() => chain.submitBlock(bytesOf(chain, block)), InternalFault);
    chain.close();
    const halted = open();
    assert.deepEqual([halted.tip.height, halted.fault?.kind], [3, 'internal']);
    halted.close();
    store.bug = undefined;
    const again = open();
    assert.deepEqual([toHex(again.tip.hash), again.fault], [toHex(block.hash), undefined]);
  });

  test('in a reorganisation the previous branch is restored', () => {
    const side = sideBranch();
    const { tip } = chain;
    const before = digest(chain);
    const last = blockOn(chain, chain.entry(side.at(-1)?.hash ?? tip.hash) as BlockIndexEntry, { tag: 7 });
    const tips: number[] = [];
    chain.on('tip', ({ height }) => tips.push(height));
    chain.on('disconnected', () => {
      if (chain.tip.height > 0 || store.bug) return;
      store.bug = bug;
      store.bugShows = 1;
    });
    assert.throws(() => chain.submitBlock(bytesOf(chain, last)), InternalFault);
    assert.deepEqual([chain.tip, digest(chain), chain.fault?.kind], [tip, before, 'internal']);
    assert.deepEqual(tips, [4]);
  });

  test('a value that cannot be encoded halts processing too, because another attempt would fail', () => {
    extend(chain, 3);
    store.error = new EncodeError('a value without room');
    chain.submitBlock(bytesOf(chain, blockOn(chain, chain.tip)));
    assert.deepEqual([chain.fault?.kind, chain.tip.height], ['internal', 4]);
  });
});

describe('the operator is warned and alerted once for each fault, until processing resumes', () => {
  const bug = new TypeError('a bug');
  const failed = new Error('IO error: Input/output error: While fsync');
  const cases = [
    {
      kind: 'disk-full',
      text: /^Disk space is too low! Block processing is halted until there is room in \/data$/,
      set: full(new DiskFull('/data')),
    },
    { kind: 'disk-full', text: /^Block processing is halted: IO error: No space left on device/, set: broken(NO_SPACE) },
    { kind: 'write', text: /^Block processing is halted: IO error: Input\/output error: While fsync$/, set: broken(failed) },
    { kind: 'internal', text: /^Internal error while connecting block .*: a bug\. Block processing is halted; restart/, set: buggy(bug) },
  ];

  for (const { kind, text, set } of cases) {
    test(`${kind}: ${text.source.slice(0, 60)}`, () => {
      extend(chain, 2);
      const alerts: string[] = [];
      const warnings = new Warnings(silentLogger, () => {});
      warnOfFaults(chain, warnings, (each) => alerts.push(each));
      assert.deepEqual([alerts, warnings.text], [[], '']);
      for (let round = 1; round <= 2; round++) {
        const block = blockOn(chain, chain.tip);
        set(true);
        for (let attempt = 0; attempt < 2; attempt++) attemptTo(() => chain.submitBlock(bytesOf(chain, block)));
        assert.equal(chain.fault?.kind, kind);
        assert.match(warnings.text, text);
        assert.deepEqual([alerts.length, alerts.at(-1)], [round, warnings.text]);
        set(false);
        if (kind === 'internal') chain.reconsider(chain.entry(block.hash) as BlockIndexEntry);
        else assert.equal(chain.retry(), true);
        assert.deepEqual([chain.fault, warnings.text, alerts.length], [undefined, '', round]);
      }
    });
  }

  test('damaged: the warning stays, and a warning of the start is given too', () => {
    extend(chain, 3);
    store.write([{ column: undoLogs.name, key: chain.tip.hash, value: undefined }]);
    attemptTo(() => chain.invalidate(chain.tip));
    const alerts: string[] = [];
    const warnings = new Warnings(silentLogger, () => {});
    warnOfFaults(chain, warnings, (each) => alerts.push(each));
    assert.match(warnings.text, /^Block processing is halted: block .* -reindex/);
    assert.deepEqual([alerts, chain.retry(), warnings.text], [[warnings.text], false, alerts[0]]);
  });
});

/** Runs a call that may fail. */
function attemptTo(call: () => unknown): void {
  try {
    call();
  } catch {}
}

function full(error: Error) {
  return (isOn: boolean): void => {
    blocks.error = isOn ? error : undefined;
  };
}

function broken(error: Error) {
  return (isOn: boolean): void => {
    store.error = isOn ? error : undefined;
  };
}

function buggy(error: Error) {
  return (isOn: boolean): void => {
    store.bug = isOn ? error : undefined;
  };
}
