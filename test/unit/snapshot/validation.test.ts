import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import { type BlockPosition, MemoryBlocks } from '../../../src/chain/block-store.js';
import { Chain } from '../../../src/chain/chain.js';
import { chainColumns } from '../../../src/chain/database.js';
import { BASE_KEY, HISTORY_BASE_KEY, type SnapshotBase, snapshotBases, undoLogs } from '../../../src/chain/records.js';
import { accountBalances } from '../../../src/dfi/accounts/columns.js';
import { dfiColumns } from '../../../src/dfi/execution/all-columns.js';
import { networkParams } from '../../../src/params/index.js';
import { encode } from '../../../src/primitives/codec.js';
import type { SnapshotDigest } from '../../../src/snapshot/digest.js';
import { exportSnapshot } from '../../../src/snapshot/export.js';
import { importSnapshot } from '../../../src/snapshot/import.js';
import { SnapshotValidation, type ValidationResult, type Validator } from '../../../src/snapshot/validation.js';
import { SnapshotValidator } from '../../../src/snapshot/validator.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { toHex } from '../../../src/util/bytes.js';
import { FixedClock } from '../../../src/util/clock.js';
import { silentLogger } from '../../../src/util/logger.js';
import { extend } from '../../chains/block-builder.js';
import { fc } from '../../property.js';

const params = networkParams({ network: 'regtest', dummyPos: true, noTokens: true });
const columns = [...chainColumns, ...dfiColumns];
const HEIGHT = 20;
const folder = mkdtempSync(join(tmpdir(), 'snapshot-validation-'));
after(() => rmSync(folder, { recursive: true }));

const source = newChain(new MemoryStore(), new MemoryBlocks());
const path = join(folder, 'snapshot');
let imported: MemoryStore;

before(async () => {
  extend(source, HEIGHT);
  imported = await importOf(source, path);
});

function newChain(store: MemoryStore, blocks: MemoryBlocks, mayLackHistory = false): Chain {
  const clock = new FixedClock(params.genesis.header.time + 5_000);
  return new Chain({ params, mayLackHistory }, { store, blocks, clock, log: silentLogger });
}

/** Store of a node that began with the state of a chain, with the digest of that file. */
async function importOf(chain: Chain, to: string, options = ['acindex']): Promise<MemoryStore> {
  const view = chain.snapshot();
  const { digest } = await exportSnapshot(to, view, columns, { options }).finally(() => view.close());
  const store = new MemoryStore();
  const file = await open(to);
  const request = { genesis: params.genesis.hash, columns, expected: () => digest, options };
  await importSnapshot(file, store, request).finally(() => file.close());
  return store;
}

function copyOf(store: MemoryStore): MemoryStore {
  const copy = new MemoryStore();
  for (const column of columns) {
    copy.write(
      [...store.entries(column)].map(([key, value]) => ({
        column: column.name,
        key: encode(column.key, key),
        value: encode(column.value, value),
      })),
    );
  }
  return copy;
}

/** Blocks of the node as the process that validates sees them: the genesis block first. */
class SharedBlocks extends MemoryBlocks {
  constructor(
    private readonly shared: MemoryBlocks,
    private readonly genesis: BlockPosition,
  ) {
    super();
  }
  override read(position: BlockPosition): Uint8Array {
    return this.shared.read(position);
  }
  override *records(): Iterable<BlockPosition> {
    yield this.genesis;
  }
  override files() {
    return this.shared.files();
  }
}

/** Data of a node and of its validation that survive an unclean shutdown. */
interface Disk {
  readonly store: MemoryStore;
  readonly blocks: MemoryBlocks;
  validating: MemoryStore;
}

/** Run of a node, with the validator in this process. */
class Run {
  readonly chain: Chain;
  readonly result: Promise<ValidationResult | undefined>;
  readonly #stop = new AbortController();
  #validating: Chain | undefined;

  constructor(private readonly disk: Disk) {
    this.chain = newChain(disk.store, disk.blocks, true);
    const base = disk.store.get(snapshotBases, BASE_KEY);
    assert.ok(base);
    const validation = new SnapshotValidation({
      chain: this.chain,
      base,
      historyDigest: disk.store.get(snapshotBases, HISTORY_BASE_KEY)?.digest,
      copyUndo: async () => {
        for (const [hash, undo] of disk.validating.entries(undoLogs)) {
          disk.store.write([{ column: undoLogs.name, key: hash, value: encode(undoLogs.value, undo) }]);
        }
      },
      signal: this.#stop.signal,
      log: silentLogger,
    });
    this.result = validation.run().catch(() => undefined);
    this.#attach(validation, base);
  }

  #attach(validation: SnapshotValidation, base: SnapshotBase): void {
    const blocks = new SharedBlocks(this.disk.blocks, this.chain.history.genesisPosition());
    const chain = newChain(this.disk.validating, blocks);
    this.#validating = chain;
    const validator = new SnapshotValidator(chain, base, columns);
    const link: Validator = {
      send: (request) => void validator.connect(request).then((report) => this.#stop.signal.aborted || validation.reported(report)),
      stop: async () => chain.close(),
    };
    validation.attach(link);
    void validator.report().then((report) => this.#stop.signal.aborted || validation.reported(report));
  }

  /** Ends the run without writing what is pending in memory. */
  async kill(): Promise<void> {
    this.#stop.abort();
    await this.result;
  }

  /** Writes what the process that validates has in memory. */
  flush(): void {
    this.#validating?.close();
  }

  /** A peer sends the block of that height. */
  receive(height: number): string {
    const raw = source.rawBlock(source.entryAt(height) as BlockIndexEntry) as Uint8Array;
    return this.chain.processBlock(raw, { requested: true }).status;
  }
}

type Step = { readonly kind: 'block' | 'kill' | 'write' | 'flush' | 'wait'; readonly height: number };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('block', 'block', 'block', 'block', 'kill', 'write', 'flush', 'wait'),
  height: fc.integer({ min: 1, max: HEIGHT }),
});

test('blocks in any order, with unclean shutdowns between them: in the end the node has all blocks and their undo records', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const disk = { store: copyOf(imported), blocks: new MemoryBlocks(), validating: new MemoryStore() };
      let run = new Run(disk);
      for (const { kind, height } of steps) {
        if (kind === 'block') assert.ok(['filled', 'known'].includes(run.receive(height)) || run.chain.entryAt(height)?.hasData);
        else if (kind === 'write') run.chain.close();
        else if (kind === 'flush') run.flush();
        else if (kind === 'wait') await new Promise((resolve) => setImmediate(resolve));
        else {
          await run.kill();
          run = new Run(disk);
          await run.chain.recover();
        }
        assert.equal(toHex(run.chain.tip.hash), toHex(source.tip.hash));
      }
      for (let height = 1; height <= HEIGHT; height++) run.receive(height);
      assert.deepEqual(await run.result, { valid: true });
      assert.equal(run.chain.history.isComplete, true);
      assert.equal(run.chain.lowestStored().height, 0);
      for (let height = 0; height <= HEIGHT; height++) {
        const [entry, original] = [run.chain.entryAt(height), source.entryAt(height)] as [BlockIndexEntry, BlockIndexEntry];
        assert.deepEqual(run.chain.rawBlock(entry), source.rawBlock(original));
        assert.deepEqual(run.chain.spentCoins(entry), source.spentCoins(original));
      }
      // It opens as a node that keeps all blocks.
      run.chain.close();
      assert.equal(newChain(disk.store, disk.blocks).tip.height, HEIGHT);
    }),
    { numRuns: 40 },
  );
});

test('a snapshot is validated with the options that it was made with', async () => {
  const store = await importOf(source, join(folder, 'with-options'), ['acindex', 'dexstats']);
  const run = new Run({ store, blocks: new MemoryBlocks(), validating: new MemoryStore() });
  for (let height = 1; height <= HEIGHT; height++) run.receive(height);
  assert.deepEqual(await run.result, { valid: true });
});

test('a snapshot of another state is refuted, and the node remembers it', async () => {
  const wrong = new MemoryStore();
  const other = newChain(wrong, new MemoryBlocks());
  for (let height = 1; height <= HEIGHT; height++)
    other.submitBlock(source.rawBlock(source.entryAt(height) as BlockIndexEntry) as Uint8Array);
  const key = encode(accountBalances.key, { owner: Uint8Array.of(0x51), tokenId: 0 });
  wrong.write([{ column: accountBalances.name, key, value: encode(accountBalances.value, 1n) }]);
  const store = await importOf(other, join(folder, 'wrong'));
  const run = new Run({ store, blocks: new MemoryBlocks(), validating: new MemoryStore() });
  for (let height = 1; height <= HEIGHT; height++) run.receive(height);
  const result = await run.result;
  assert.ok(result?.valid === false);
  assert.match(result.problem, /the state that the blocks lead to has the digest [0-9a-f]{64}, not [0-9a-f]{64}/);
  assert.equal(run.chain.history.isComplete, false);
});

test('only the block of the chain is stored, and an unrequested one is not', async () => {
  const run = new Run({ store: copyOf(imported), blocks: new MemoryBlocks(), validating: new MemoryStore() });
  const raw = Uint8Array.from(source.rawBlock(source.entryAt(5) as BlockIndexEntry) as Uint8Array);
  assert.equal(run.chain.processBlock(raw, { requested: false }).status, 'ignored');
  raw[raw.length - 1] = (raw.at(-1) as number) ^ 1;
  assert.equal(run.chain.processBlock(raw, { requested: true }).status, 'invalid');
  assert.equal(run.chain.entryAt(5)?.hasData, false);
  assert.equal(run.receive(5), 'filled');
  assert.equal(run.receive(5), 'known');
  await run.kill();
});

/** Outcome of a validation whose validator reports a digest, with the heights that were refuted. */
async function outcomeOf(found: SnapshotDigest, expected: SnapshotDigest) {
  const refuted: number[] = [];
  const history = { genesisPosition() {}, complete() {}, refute: (height: number) => void refuted.push(height) };
  const validation = new SnapshotValidation({
    chain: { entryAt: () => ({ hasData: true }), history, on: () => () => {} } as unknown as Chain,
    base: { height: 2, digest: expected.state } as SnapshotBase,
    historyDigest: expected.history,
    copyUndo: async () => {},
    signal: new AbortController().signal,
    log: silentLogger,
  });
  const result = validation.run();
  validation.reported({ kind: 'digest', digest: found });
  return { result: await result, refuted };
}

test('the digest of the histories must be that of the snapshot, if that is known', async () => {
  const valid = { result: { valid: true }, refuted: [] };
  const invalid = (digest: string) => {
    const problem = `the history that the blocks lead to has the digest ${digest}, not h`;
    return { result: { valid: false, height: 2, problem }, refuted: [2] };
  };
  const known = { state: 's', history: 'h' };
  assert.deepEqual(await outcomeOf(known, known), valid);
  assert.deepEqual(await outcomeOf({ state: 's', history: 'x' }, known), invalid('x'));
  assert.deepEqual(await outcomeOf({ state: 's', history: undefined }, known), invalid('undefined'));
  assert.deepEqual(await outcomeOf({ state: 's', history: 'x' }, { state: 's', history: undefined }), valid);
});
