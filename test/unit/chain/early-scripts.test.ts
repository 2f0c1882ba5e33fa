import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import type { ScriptJob } from '../../../src/consensus/script-jobs.js';
import { areScriptsValid, type ScriptThreads } from '../../../src/consensus/scripts.js';
import { networkParams } from '../../../src/params/index.js';
import type { Block } from '../../../src/primitives/block.js';
import type { Transaction } from '../../../src/primitives/transaction.js';
import { WitnessHashes } from '../../../src/script/sighash.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { finish } from '../../../src/util/slicer.js';
import { blockOn, bytesOf, extend, OP_TRUE_SCRIPT, spend } from '../../chains/block-builder.js';
import { untilTurn } from '../../until.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const MATURITY = 100;
const COINS = 300;
/** Transactions that spend outputs of the large block. */
const NEXT = 256;
const OP_FALSE_SCRIPT = Uint8Array.of(0x00);

/** Threads that verify what they are given, at once. */
class NotingThreads implements ScriptThreads {
  readonly queued: Transaction[] = [];
  discarded = 0;

  open() {
    let isGood = true;
    const add = (job: ScriptJob): boolean => {
      this.queued.push(job.tx);
      isGood &&= areScriptsValid(job, { from: 0, to: job.tx.vin.length }, new WitnessHashes(job.tx, job.format));
      return true;
    };
    const discard = (): void => {
      this.discarded += 1;
    };
    return { add, addIfRoom: add, help: () => false, finish: () => isGood, discard };
  }
}

interface Opened {
  readonly chain: Chain;
  readonly threads: NotingThreads;
}

/** A chain with many coins, the last of which cannot be spent. */
function open(): Opened {
  const threads = new NotingThreads();
  const clock = new FixedClock(params.genesis.header.time + 5_000);
  const deps = { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger, scripts: { threads } };
  const chain = new Chain({ params }, deps);
  for (const block of below) assert.deepEqual(chain.submitBlock(bytesOf(chain, block)), { status: 'accepted' });
  threads.queued.length = 0;
  threads.discarded = 0;
  return { chain, threads };
}

const { below, large, invalid, rival, next, invalidNext, afterInvalid } = fixture();

function fixture() {
  const clock = new FixedClock(params.genesis.header.time + 5_000);
  const chain = new Chain({ params }, { store: new MemoryStore(), blocks: new MemoryBlocks(), clock, log: silentLogger });
  const [first] = extend(chain, 1) as [Block];
  const rest = extend(chain, MATURITY);
  const value = (first.transactions[0]?.vout[0]?.value ?? 0n) / BigInt(COINS + 1);
  const vout = Array.from({ length: COINS }, () => ({ value, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }));
  vout.push({ value, scriptPubKey: OP_FALSE_SCRIPT, tokenId: 0 });
  const fan = spend(chain, [{ txid: first.transactions[0]?.txid ?? new Uint8Array(), vout: 0 }], [], { vout });
  const funded = blockOn(chain, chain.tip, { transactions: [fan] });
  assert.deepEqual(chain.submitBlock(bytesOf(chain, funded)), { status: 'accepted' });
  const spendCoin = (index: number): Transaction =>
    spend(chain, [{ txid: fan.txid, vout: index }], [], { vout: [{ value: value - 1_000n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] });
  const transactions = Array.from({ length: COINS }, (_, i) => spendCoin(i));
  const last = transactions.at(-1) as Transaction;
  const child = spend(chain, [{ txid: last.txid, vout: 0 }], [], {
    vout: [{ value: value - 2_000n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }],
  });
  const spendOutput = ({ txid }: Transaction): Transaction =>
    spend(chain, [{ txid, vout: 0 }], [], { vout: [{ value: value - 3_000n, scriptPubKey: OP_TRUE_SCRIPT, tokenId: 0 }] });
  const onBlocks = {
    large: blockOn(chain, chain.tip, { transactions: [...transactions, child], tag: 1 }),
    invalid: blockOn(chain, chain.tip, { transactions: [...transactions, spendCoin(COINS)], tag: 2 }),
    rival: blockOn(chain, chain.tip, { tag: 3 }),
  };
  const outputs = transactions.slice(0, NEXT).map(spendOutput);
  const afterInvalid = blockOn(chain, chain.acceptHeader(onBlocks.invalid.header), { transactions: outputs });
  assert.deepEqual(chain.submitBlock(bytesOf(chain, onBlocks.large)), { status: 'accepted' });
  return {
    below: [first, ...rest, funded],
    ...onBlocks,
    next: blockOn(chain, chain.tip, { transactions: outputs, tag: 4 }),
    invalidNext: blockOn(chain, chain.tip, { transactions: [...outputs.slice(1), spendCoin(COINS)], tag: 5 }),
    afterInvalid,
  };
}

/** Decodes a block of a peer and stores it. @returns scripts that were queued before it was stored */
function receive({ chain, threads }: Opened, block: Block): number {
  const before = threads.queued.length;
  const bytes = bytesOf(chain, block);
  const decoded = finish(chain.decodeBlock(bytes, true));
  const queued = threads.queued.length - before;
  assert.equal(chain.processBlock(bytes, { requested: true }, decoded).status, 'stored');
  return queued;
}

/** Makes every slice end after one step. */
function hurry(t: { readonly mock: { method(object: object, name: 'now', implementation: () => number): unknown } }): void {
  let now = performance.now();
  t.mock.method(performance, 'now', () => (now += 1_000));
}

test('scripts of a large block on the tip are queued while it is decoded, each once', async () => {
  const { chain, threads } = open();
  let queuedBefore: number | undefined;
  chain.on('arrived', () => (queuedBefore = threads.queued.length));
  assert.deepEqual(await chain.submitBlockInSlices(bytesOf(chain, large)), { status: 'accepted' });
  assert.ok(queuedBefore !== undefined && queuedBefore >= 256 && queuedBefore < COINS, `${queuedBefore} scripts`);
  assert.equal(threads.queued.length, COINS + 1);
  assert.equal(new Set(threads.queued).size, COINS + 1);
  assert.equal(threads.discarded, 0);
});

test('a requested block of a peer is verified early too, one that was not requested is not', () => {
  for (const requested of [true, false]) {
    const { chain, threads } = open();
    const steps = chain.decodeBlock(bytesOf(chain, large), requested);
    let step = steps.next();
    while (!step.done) step = steps.next();
    assert.equal(threads.queued.length > 0, requested);
    chain.processBlock(bytesOf(chain, large), { requested }, step.value);
    while (chain.advance());
    assert.deepEqual(chain.tip.hash, large.hash);
    assert.equal(threads.queued.length, COINS + 1);
  }
});

test('an invalid script that was verified early is refused as any other', async () => {
  const { chain, threads } = open();
  assert.deepEqual(await chain.submitBlockInSlices(bytesOf(chain, invalid)), { status: 'rejected', reason: 'block-validation-failed' });
  assert.equal(threads.queued.length, COINS + 1);
  assert.deepEqual(await chain.submitBlockInSlices(bytesOf(chain, large)), { status: 'accepted' });
});

test('the verification of a block that is not connected is abandoned', async () => {
  const { chain, threads } = open();
  const { transactions, header } = large;
  const badTime = blockOn(chain, chain.tip, { transactions: transactions.slice(1), header: { time: chain.tip.medianTimePast() } });
  assert.deepEqual(await chain.submitBlockInSlices(bytesOf(chain, badTime)), { status: 'rejected', reason: 'time-too-old' });
  assert.equal(threads.discarded, 1);
  await assert.rejects(chain.submitBlockInSlices(bytesOf(chain, { ...large, header }).subarray(0, -1)));
  assert.equal(threads.discarded, 2);
  threads.queued.length = 0;
  assert.deepEqual(await chain.submitBlockInSlices(bytesOf(chain, large)), { status: 'accepted' });
  assert.equal(threads.queued.length, COINS + 1);
});

test('a block whose parent is not the tip is not verified early', async () => {
  const { chain, threads } = open();
  assert.deepEqual(chain.submitBlock(bytesOf(chain, rival)), { status: 'accepted' });
  assert.deepEqual(await chain.submitBlockInSlices(bytesOf(chain, large)), { status: 'inconclusive' });
  assert.equal(threads.queued.length, 0);
});

test('scripts of a block whose parent waits to be connected are queued while it is decoded, each once', () => {
  const opened = open();
  const { chain, threads } = opened;
  assert.ok(receive(opened, large) >= 256);
  assert.equal(receive(opened, next), NEXT);
  while (chain.advance());
  assert.deepEqual(chain.tip.hash, next.hash);
  assert.deepEqual([threads.queued.length, new Set(threads.queued).size, threads.discarded], [COINS + 1 + NEXT, COINS + 1 + NEXT, 0]);
});

test('an invalid script that was verified before the parent was connected is refused as any other', () => {
  const opened = open();
  const { chain } = opened;
  receive(opened, large);
  assert.ok(receive(opened, invalidNext) > 0);
  while (chain.advance());
  assert.deepEqual([chain.tip.hash, chain.entry(invalidNext.hash)?.failed], [large.hash, true]);
});

test('the parent is found invalid: the scripts of the block above it are abandoned', () => {
  const opened = open();
  const { chain, threads } = opened;
  receive(opened, invalid);
  assert.equal(receive(opened, afterInvalid), NEXT);
  while (chain.advance());
  assert.equal(chain.tip.height, below.length);
  receive(opened, large);
  receive(opened, next);
  while (chain.advance());
  assert.deepEqual(chain.tip.hash, next.hash);
  assert.ok(threads.discarded > 0);
});

test('the tip changes while a block is decoded: its early scripts are not used', async (t) => {
  const { chain, threads } = open();
  hurry(t);
  const submitted = chain.submitBlockInSlices(bytesOf(chain, large));
  await untilTurn(() => threads.queued.length > 0, 'scripts are queued');
  assert.deepEqual(chain.submitMinted(rival), { status: 'accepted' });
  t.mock.restoreAll();
  assert.deepEqual(await submitted, { status: 'inconclusive' });
  assert.deepEqual(chain.tip.hash, rival.hash);
  assert.ok(threads.queued.length < COINS && threads.discarded > 0);
  chain.invalidate(chain.tip);
  assert.deepEqual(chain.tip.hash, large.hash);
});
