import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FixedClock, SystemClock } from '../../../src/util/clock.js';
import { LOG_CATEGORIES, LOG_MODULES } from '../../../src/util/log-categories.js';
import { humanLine, LogOutput, type LogOutputOptions } from '../../../src/util/log-output.js';
import { printable } from '../../../src/util/redact.js';
import { projectRoot } from '../../shared.js';

const dir = mkdtempSync(join(tmpdir(), 'dfi-log-'));
after(() => rmSync(dir, { recursive: true, force: true }));
let count = 0;

function open(options: Partial<LogOutputOptions> = {}): { output: LogOutput; file: string; lines: () => Record<string, unknown>[] } {
  const file = options.file ?? join(dir, `${count++}.log`);
  const output = new LogOutput({ shrinkFile: false, console: 'none', level: 'info', ...options, file });
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { output, file, lines };
}

test('a line is one JSON object with time, level, module, message and fields', () => {
  const { output, lines } = open();
  output.root.child('rpc').info('listening', { port: 8554, hash: Uint8Array.of(1, 255), amount: 5n });
  output.close();
  const [line] = lines();
  assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(
    { ...line, time: 0 },
    { level: 'info', time: 0, module: 'rpc', port: 8554, hash: '01ff', amount: '5', msg: 'listening' },
  );
});

test('lines are in the file when the call returns', () => {
  const { output, lines } = open();
  output.root.warn('a');
  assert.equal(lines().length, 1);
  output.close();
});

test('the level of a module can be changed at run time', () => {
  const { output, lines } = open({ moduleLevels: { rpc: 'debug', net: 'error' } });
  const [rpc, net, other] = [output.root.child('rpc'), output.root.child('net'), output.root.child('other')];
  rpc.debug('1');
  net.warn('no');
  other.debug('no');
  output.setLevel('debug', 'net');
  net.debug('2');
  output.setLevel('error');
  other.info('no');
  rpc.debug('3');
  output.close();
  assert.deepEqual(
    lines().map((l) => l.msg),
    ['1', '2', '3'],
  );
});

test('values of secret keys are masked at any depth', () => {
  const out = printable({
    user: 'u',
    rpcpassword: 'a',
    options: { passphrase: 'b', privkey: 'c', list: [{ authorization: 'd' }] },
    wif: 'e',
  });
  assert.deepEqual(out, {
    user: 'u',
    rpcpassword: '[hidden]',
    options: { passphrase: '[hidden]', privkey: '[hidden]', list: [{ authorization: '[hidden]' }] },
    wif: '[hidden]',
  });
});

test('an error is logged with type and message, an unexpected one with its stack', () => {
  const surprise = printable({ error: new TypeError('x') }).error as Record<string, unknown>;
  assert.equal(surprise.type, 'TypeError');
  assert.match(String(surprise.stack), /logger\.test/);
  const expected = printable({ error: Object.assign(new Error('y'), { code: 'EADDRINUSE' }) }).error;
  assert.deepEqual(expected, { type: 'Error', message: 'y' });
});

test('timestamps with microseconds', () => {
  const { output, lines } = open({ microseconds: true });
  output.root.info('x');
  output.close();
  assert.match(String(lines()[0]?.time), /\.\d{6}Z$/);
});

test('a rotated file is reopened', () => {
  const { output, file, lines } = open();
  output.root.info('old');
  renameSync(file, `${file}.1`);
  output.reopen();
  output.root.info('new');
  output.close();
  assert.deepEqual(
    lines().map((l) => l.msg),
    ['new'],
  );
});

test('a file that cannot be reopened is written on', () => {
  const { output, file } = open();
  renameSync(file, `${file}.1`);
  mkdirSync(file);
  output.reopen();
  output.root.info('after');
  output.close();
  const messages = readFileSync(`${file}.1`, 'utf8').match(/"msg":"[^"]*"/g);
  assert.deepEqual(messages, ['"msg":"cannot reopen the log file"', '"msg":"after"']);
});

test('a large file is shrunk to its last 10 MB, from the start of a line', () => {
  const file = join(dir, 'big.log');
  writeFileSync(file, `${'x'.repeat(99)}\n`.repeat(120_000));
  const { output } = open({ file, shrinkFile: true });
  output.close();
  assert.equal(statSync(file).size, 9_999_900);
  assert.equal(readFileSync(file, 'utf8').slice(0, 100), `${'x'.repeat(99)}\n`);
});

test('the format for terminals', () => {
  const line = '{"level":"warn","time":"2026-01-31T12:00:00.123Z","module":"rpc","port":1,"o":{"a":1},"msg":"text"}';
  assert.equal(humanLine(line), '2026-01-31 12:00:00 warn  rpc: text port=1 o={"a":1}\n');
});

test('the modules of -loglevel are those that write to the log', () => {
  const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = sources.map((name) => readFileSync(join(projectRoot, 'src', name), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/\.child\('(\w+)'\)/g)].map(([, name]) => name as string));
  // The log itself is that of the node.
  assert.deepEqual([...new Set([...named, 'node'])].sort(), [...LOG_MODULES]);
  for (const module of Object.values(LOG_CATEGORIES).flat()) assert.ok(LOG_MODULES.includes(module), module);
});

test('mock time affects seconds, not now', () => {
  const clock = new SystemClock();
  clock.setMockTime(1000);
  assert.equal(clock.seconds(), 1000);
  assert.ok(clock.now() > 1_700_000_000_000);
  clock.setMockTime(0);
  assert.ok(clock.seconds() > 1_700_000_000);
});

test('a fixed clock changes only when set', () => {
  const clock = new FixedClock(5);
  assert.deepEqual([clock.now(), clock.seconds()], [5000, 5]);
  clock.set(6);
  assert.equal(clock.seconds(), 6);
});
