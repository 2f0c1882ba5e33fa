import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Daemon } from '../daemon.js';
import { makeReorgChain, randomNumbers, reorgChainFlags, type SubmittedBlock } from './fixtures/reorg-chain.js';

/** Kills in this run: all fifty take more than a minute. */
const KILLS = Number(process.env.CRASH_KILLS ?? 10);
const BLOCKS = 420;
/** Longest time from a start to the kill. */
const MAX_LIFE_MS = 900;
/** Limit of restarts: a node that needs more makes no progress. */
const MAX_LIVES = 40;

const random = randomNumbers(Number(process.env.CRASH_SEED ?? 7));
let kills = 0;
let reindexes = 0;
let killsBeforeReady = 0;

/** Compares the state of a restarted node with that of an undisturbed one at the same tip. */
async function checkState(daemon: Daemon, blocks: readonly SubmittedBlock[], acknowledged: number): Promise<void> {
  const tip = await daemon.ask('getbestblockhash');
  const height = await daemon.ask('getblockcount');
  const coins = (await daemon.ask('gettxoutsetinfo')) as { readonly hash_serialized_2: string; readonly bestblock: string };
  assert.equal(coins.bestblock, tip);
  const at = blocks.findLastIndex((block) => block.tip === tip);
  if (at < 0) {
    assert.equal(height, 0, `tip ${tip} is not one that an undisturbed node had`);
    assert.equal(acknowledged, 0, 'what was acknowledged is lost');
    return;
  }
  assert.equal(coins.hash_serialized_2, blocks[at]?.coins, `coins at tip ${tip}`);
  // One block more than was acknowledged may be connected: the node was killed before it answered.
  const expected = blocks.slice(Math.max(acknowledged - 1, 0), acknowledged + 1).map((block) => block.tip);
  assert.ok(expected.includes(String(tip)), `after ${acknowledged} acknowledged blocks the tip is that of ${at + 1}`);
  assert.equal(await daemon.ask('verifychain', 4, 30), true, 'undo data and blocks of the last 30');
}

/** Imports the chain into a node that is killed repeatedly. @returns when the import is complete, or enough nodes were killed */
async function importDisturbed(blocks: readonly SubmittedBlock[], flags: readonly string[]): Promise<void> {
  const daemon = new Daemon([...reorgChainFlags, ...flags]);
  try {
    let acknowledged = 0;
    for (let life = 0; life < MAX_LIVES && acknowledged < blocks.length; life++) {
      const mayKill = kills < KILLS;
      const reindex = mayKill && life > 0 && random(4) === 0;
      const dying = mayKill ? killAfter(daemon, random(MAX_LIFE_MS), random(3) === 0) : undefined;
      try {
        await daemon.start(reindex ? ['-reindex'] : []);
        if (reindex) reindexes += 1;
        dying?.ready();
        await checkState(daemon, blocks, acknowledged);
        while (acknowledged < blocks.length) {
          assert.match(JSON.stringify(await daemon.ask('submitblock', blocks[acknowledged]?.hex)), /^null$|^"inconclusive"$|^"duplicate"$/);
          acknowledged += 1;
        }
      } catch (error) {
        if (error instanceof assert.AssertionError || !dying?.isKilled()) throw error;
      }
      await dying?.done();
      await daemon.end('SIGKILL');
    }
    await daemon.start();
    await checkState(daemon, blocks, acknowledged);
    assert.equal(acknowledged, blocks.length, 'the import ends');
    assert.equal(await daemon.ask('getbestblockhash'), blocks.at(-1)?.tip);
    assert.equal(await daemon.ask('verifychain', 4, 0), true);
  } finally {
    await daemon.destroy();
  }
}

/** Kills the starting daemon, some time after its first answer or before it. */
function killAfter(daemon: Daemon, ms: number, beforeReady: boolean) {
  let killed = false;
  let ended = false;
  let ready = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const kill = async (): Promise<void> => {
    if (!beforeReady) await Promise.race([isReady, setTimeout(20_000)]);
    await setTimeout(ms);
    if (ended || !daemon.process) return;
    killed = true;
    kills += 1;
    if (beforeReady) killsBeforeReady += 1;
    daemon.process.kill('SIGKILL');
  };
  const work = kill();
  return {
    ready,
    isKilled: () => killed,
    /** Waits for the kill, or for the time at which it would have happened. */
    done: async () => {
      ready();
      await work;
      ended = true;
    },
  };
}

test('killed at any moment of an import with reorganisations, a node restarts with a state that an undisturbed one had', async () => {
  const { blocks, time } = await makeReorgChain(BLOCKS, 11);
  const reorgs = blocks.filter(({ tip }, i) => i > 0 && tip === blocks[i - 1]?.tip).length;
  assert.ok(reorgs > 20, 'there are branches next to the chain');
  for (let round = 0; kills < KILLS; round++) {
    // At the tip each block is written by itself; far behind, many in one batch.
    await importDisturbed(blocks, round % 2 === 0 ? [] : [`-mocktime=${time}`]);
  }
  console.log(`crash test: ${kills} kills (${killsBeforeReady} before the node was ready), ${reindexes} rebuilds, ${BLOCKS} blocks each`);
});
