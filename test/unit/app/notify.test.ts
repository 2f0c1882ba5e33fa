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

function block(n: number, chainWork: number): BlockIndexEntry {
  return { hash: Buffer.alloc(32, n), chainWork: BigInt(chainWork) } as unknown as BlockIndexEntry;
}

test('each new best block is notified once, in a reorganisation from the first block with more work', () => {
  const events = new Emitter<ChainEvents>();
  const told: (number | undefined)[] = [];
  let catchingUp = true;
  const chain = { tip: block(0, 0), on: events.on.bind(events), isInitialDownload: () => catchingUp };
  notifyBlocks(chain as Parameters<typeof notifyBlocks>[0], (hash) => told.push(hash[0]));
  const step = (...blocks: BlockIndexEntry[]) => {
    for (const entry of blocks) events.emit('connected', { entry } as ChainEvents['connected']);
    events.emit('tip', blocks.at(-1) as BlockIndexEntry);
  };
  step(block(1, 1));
  catchingUp = false;
  step(block(2, 2), block(3, 3));
  // Another branch from block 1.
  step(block(4, 2), block(5, 3), block(6, 4), block(7, 5));
  // The best block was invalidated.
  events.emit('tip', block(1, 1));
  assert.deepEqual(told, [2, 3, 6, 7, 1]);
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
