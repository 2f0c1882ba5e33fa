import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Lifecycle } from '../../../src/app/lifecycle.js';
import { alerter, notifyBlocks, stopAnnouncer } from '../../../src/app/notify.js';
import type { BlockIndexEntry } from '../../../src/chain/block-index.js';
import type { ChainEvents } from '../../../src/chain/events.js';
import { Emitter } from '../../../src/util/events.js';
import { silentLogger } from '../../../src/util/logger.js';
import { until } from '../../until.js';

function block(n: number, parent?: BlockIndexEntry): BlockIndexEntry {
  const height = parent ? parent.height + 1 : 0;
  const entry = {
    hash: Buffer.alloc(32, n),
    height,
    chainWork: BigInt(height),
    ancestor: (at: number): BlockIndexEntry | undefined => (at >= height ? (entry as BlockIndexEntry) : parent?.ancestor(at)),
  } as unknown as BlockIndexEntry;
  return entry;
}

test('each new best block is notified once, in a reorganisation from the first block with more work', () => {
  const events = new Emitter<ChainEvents>();
  const told: [number | undefined, boolean][] = [];
  let catchingUp = true;
  const genesis = block(0);
  const chain = { tip: genesis, on: events.on.bind(events), isInitialDownload: () => catchingUp };
  notifyBlocks(chain as Parameters<typeof notifyBlocks>[0], ({ hash }, isBelow) => told.push([hash[0], isBelow]));
  const step = (...blocks: BlockIndexEntry[]) => {
    for (const entry of blocks) events.emit('connected', { entry } as ChainEvents['connected']);
    events.emit('tip', blocks.at(-1) as BlockIndexEntry);
  };
  const branch = (from: BlockIndexEntry, ...ids: number[]): BlockIndexEntry[] => {
    const blocks: BlockIndexEntry[] = [];
    for (const id of ids) blocks.push(block(id, blocks.at(-1) ?? from));
    return blocks;
  };
  const first = block(1, genesis);
  step(first);
  catchingUp = false;
  step(...branch(first, 2, 3));
  step(...branch(first, 4, 5, 6, 7));
  // The best block and those below it were invalidated.
  events.emit('tip', first);
  assert.deepEqual(told, [
    [2, false],
    [3, false],
    [6, false],
    [7, false],
    [1, true],
  ]);
});

test('the text of an alert is one argument of the command for any content', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'alert-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'told');
  const read = () => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  };
  const alert = alerter(`echo %s %s >> "${file}"`, silentLogger);
  alert('Warning: it\'s `id` $HOME $& "new" rules; (bit 27)\\n\n');
  await until(() => read() !== '', 'the command ran');
  const told = 'Warning: its id HOME  new rules; (bit 27)n';
  assert.equal(read(), `${told} ${told}\n`);
});

test('the shutdown waits for all commands of -shutdownnotify, also for failing ones', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'stop-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const stopCommands = [`sleep 0.2; touch "${join(directory, 'slow')}"`, 'exit 3', `touch "${join(directory, 'fast')}"`];
  const stopped: string[][] = [];
  const lifecycle = new Lifecycle(silentLogger, stopAnnouncer({ chain: { stopCommands } }, silentLogger));
  lifecycle.onStopFirst('transport', () => void stopped.push(readdirSync(directory).sort()));
  lifecycle.onStop('part', () => void stopped.push(['part']));
  const stopping = lifecycle.stop();
  assert.ok(lifecycle.isStopping);
  assert.ok(!lifecycle.interrupt.aborted, 'nothing stops before they have ended');
  await Promise.all([stopping, lifecycle.stop()]);
  assert.deepEqual(stopped, [['fast', 'slow'], ['part']]);
  assert.equal(stopAnnouncer({ chain: { stopCommands: [] } }, silentLogger), undefined);
});
