import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Progress } from '../../../src/util/progress.js';

/** Progress of `total` blocks at `perSecond`, with the lines of log and terminal. */
function shown(total: number, perSecond: number, { onTerminal = false, quietMs = 0 } = {}) {
  let nowMs = 5_000;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const written: string[] = [];
  const log = { info: (msg: string, facts?: object) => void lines.push({ msg, ...facts }) };
  const terminal = onTerminal ? { write: (text: string) => void written.push(text) } : undefined;
  const progress = new Progress('reindexing blocks', { log, terminal, nowMs: () => nowMs, quietMs });
  for (let blocks = 1; blocks <= total; blocks++) {
    nowMs += 1_000 / perSecond;
    progress.update({ share: blocks / total, blocks, facts: { height: blocks } });
  }
  progress.end();
  return { lines, text: written.join('') };
}

test('progress is logged in steps of 5 %, with rate and remaining time', () => {
  const { lines } = shown(1_000, 10);
  assert.equal(lines.length, 21);
  assert.deepEqual(lines[0], { msg: 'reindexing blocks', height: 1, progress: '0%' });
  assert.deepEqual(lines[10], { msg: 'reindexing blocks', height: 500, progress: '50%', perSecond: 10, left: '50 s' });
  assert.deepEqual(lines[20], { msg: 'reindexing blocks', height: 1_000, progress: '100%', perSecond: 10, left: '0 s' });
});

test('progress of slow work is logged each minute', () => {
  const { lines } = shown(100_000, 1);
  const { progress, perSecond, left } = lines[100] ?? {};
  assert.deepEqual([progress, perSecond, left], ['5%', 1, '1 d 2 h']);
  assert.ok(lines.length > 1_600 && lines.length < 1_700, String(lines.length));
});

test('short work is not shown', () => {
  for (const onTerminal of [false, true]) {
    const { lines, text } = shown(100, 100, { onTerminal, quietMs: 2_000 });
    assert.deepEqual([lines, text], [[], '']);
  }
});

test('a terminal shows one bar instead of the log', () => {
  const { lines, text } = shown(1_000, 10, { onTerminal: true });
  assert.deepEqual(lines, []);
  const drawn = text.split('\r').slice(1);
  assert.ok(drawn.length > 400 && drawn.length < 502, String(drawn.length));
  assert.match(drawn[250] ?? '', /^\[#{15}\.{15}\] 50% reindexing blocks 5\d\d, 10 blocks\/s, (?:50|49) s left /);
  assert.match(drawn.at(-1) ?? '', /^\[#{30}\] 100% reindexing blocks 1000, .*\n$/);
});
