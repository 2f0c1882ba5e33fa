import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeSearch } from '../../../src/minting/search.js';
import { networkParams } from '../../../src/params/index.js';

const regtest = networkParams({ network: 'regtest', upgradeHeights: { eunosPaya: 100 } });
const main = networkParams({ network: 'main' });
const always = () => true;

/** Result of a search after all its calls. */
function findAll(search: TimeSearch, ...args: Parameters<TimeSearch['find']>): number | undefined {
  for (;;) {
    const found = search.find(...args);
    if (found !== 'unfinished') return found;
  }
}

function tip(median: number, height = 10, tag = 1) {
  return { hash: new Uint8Array(32).fill(tag), height, time: median + 300, medianTimePast: () => median };
}

test('TimeSearch: the current time is the first choice', () => {
  assert.equal(new TimeSearch(regtest).find(tip(900), 1_000, always), 1_000);
});

test('TimeSearch: a median at the clock moves the block two seconds past the median', () => {
  assert.equal(new TimeSearch(regtest).find(tip(1_000), 1_000, always), 1_002);
  assert.equal(new TimeSearch(regtest).find(tip(999), 1_000, always), 1_001);
  assert.equal(new TimeSearch(regtest).find(tip(998), 1_000, always), 1_000);
});

test('TimeSearch: regtest searches back less than a minute, main down to the median', () => {
  const tried: number[] = [];
  const note = (time: number) => tried.push(time) < 0;
  findAll(new TimeSearch(regtest), tip(500), 1_000, note);
  assert.equal(Math.min(...tried), 941);
  assert.equal(Math.max(...tried), 1_295);
  tried.length = 0;
  findAll(new TimeSearch(main), tip(500), 1_000, note);
  assert.equal(Math.min(...tried), 502);
});

test('TimeSearch: from Eunos Paya on it searches 29 seconds ahead', () => {
  const below: number[] = [];
  const above: number[] = [];
  findAll(new TimeSearch(regtest), tip(990, 98), 1_000, (time) => below.push(time) < 0);
  findAll(new TimeSearch(regtest), tip(990, 99), 1_000, (time) => above.push(time) < 0);
  assert.equal(Math.max(...below), 1_295);
  assert.equal(Math.max(...above), 1_029);
});

test('TimeSearch: each time is tried once per tip', () => {
  const search = new TimeSearch(regtest);
  const tried: number[] = [];
  const note = (time: number) => tried.push(time) < 0;
  findAll(search, tip(990), 1_000, note);
  const first = tried.length;
  assert.equal(search.find(tip(990), 1_000, note), undefined);
  assert.equal(tried.length, first);
  assert.equal(search.find(tip(990), 1_002, note), undefined);
  assert.deepEqual(tried.slice(first), [1_296, 1_297]);
  assert.equal(search.find(tip(990, 11, 2), 1_002, always), 1_002);
});

test('TimeSearch: with ascending times it searches back to the tip, not to the median', () => {
  const tried: number[] = [];
  findAll(new TimeSearch(main), tip(500), 1_000, (time) => tried.push(time) < 0, true);
  assert.equal(Math.min(...tried), 801);
});

test('TimeSearch: begins again if the clock is set back', () => {
  const search = new TimeSearch(regtest);
  assert.equal(
    findAll(search, tip(500), 1_000, () => false),
    undefined,
  );
  assert.equal(search.find(tip(500), 600, always), 600);
});

test('TimeSearch: a search from an old tip is divided among calls, each of which continues the one before', () => {
  const times = new TimeSearch(main);
  const tried: number[] = [];
  const note = (time: number) => tried.push(time) < 0;
  const old = tip(0, 3_000_000);
  assert.equal(times.find(old, 100_000, note), 'unfinished');
  assert.deepEqual([tried.length, tried[0], tried.at(-1)], [128, 100_000, 99_873]);
  assert.equal(times.find(old, 100_001, note), 'unfinished');
  assert.deepEqual([tried.length, tried.at(-1)], [256, 99_745]);
  let calls = 2;
  while (times.find(old, 100_002, note) === 'unfinished') calls += 1;
  assert.equal(calls, Math.floor((100_000 - 1 + 29) / 128));
  assert.deepEqual([new Set(tried).size, tried.length, Math.max(...tried)], [100_028, 100_028, 100_029]);
  assert.equal(times.find(old, 100_002, note), undefined, 'the times since the start of the search');
  assert.deepEqual(tried.slice(100_028), [100_030, 100_031]);
});

test('TimeSearch: a new tip or a hit ends a divided search', () => {
  const times = new TimeSearch(main);
  assert.equal(
    times.find(tip(0, 3_000_000), 100_000, () => false),
    'unfinished',
  );
  assert.equal(times.find(tip(0, 3_000_001, 2), 100_010, always), 100_010);
  assert.equal(times.find(tip(0, 3_000_001, 2), 100_020, always), 100_020, 'the time of the clock comes first again');
});
