import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Daemon } from '../daemon.js';
import { type RecordedBlock, readRecording, recordings } from '../shared.js';
import { randomNumbers } from './fixtures/reorg-chain.js';

const KILLS = Number(process.env.CRASH_KILLS ?? 6);
/** Longest time from a start to the kill. */
const MAX_LIFE_MS = 1_500;
const NAME = 'feature_evm_proxy';
const random = randomNumbers(Number(process.env.CRASH_SEED ?? 5));
const path = recordings('evm').find((each) => basename(each, '.jsonl.gz') === NAME);

interface Progress {
  /** Height of the last acknowledged block. */
  count: number;
  /** Hash of a block that is invalid on purpose, which the node remembers across an unclean shutdown. */
  invalidated?: string | undefined;
}

/** Submits blocks from the tip on, some of them twice around a reorganisation. */
async function importFrom(daemon: Daemon, blocks: readonly RecordedBlock[], acknowledged: Progress): Promise<void> {
  for (const { block, hash, time, hex } of blocks.slice(acknowledged.count)) {
    await daemon.ask('setmocktime', time);
    const answer = await daemon.ask('submitblock', hex);
    assert.ok(answer === null || answer === 'duplicate', `block ${block}: ${JSON.stringify(answer)}`);
    assert.equal(await daemon.ask('getbestblockhash'), hash);
    acknowledged.count = block;
    if (random(8) > 0) continue;
    const back = String(await daemon.ask('getblockhash', Math.max(1, block - random(5))));
    acknowledged.invalidated = back;
    await daemon.ask('invalidateblock', back);
    await daemon.ask('reconsiderblock', back);
    acknowledged.invalidated = undefined;
    assert.equal(await daemon.ask('getbestblockhash'), hash);
  }
}

test('killed during the import of a chain with an EVM, a node restarts with the state that its blocks commit to', {
  skip: !path,
}, async () => {
  const { header, steps } = readRecording(path as string);
  const blocks = steps.filter((step): step is RecordedBlock => 'hex' in step);
  const last = blocks.at(-1) as RecordedBlock;
  for (let kills = 0; kills < KILLS; ) {
    const daemon = new Daemon([...header.flags, `-mocktime=${last.time}`]);
    const acknowledged: Progress = { count: 0 };
    try {
      while (acknowledged.count < blocks.length) {
        await daemon.start();
        if (acknowledged.invalidated) await daemon.ask('reconsiderblock', acknowledged.invalidated);
        acknowledged.invalidated = undefined;
        const height = Number(await daemon.ask('getblockcount'));
        assert.ok(height >= acknowledged.count, `${acknowledged.count} blocks were acknowledged, ${height} are left`);
        // Level 4 disconnects and connects blocks, each of which commits to the root of the EVM's state.
        assert.equal(await daemon.ask('verifychain', 4, 20), true);
        const kill = kills < KILLS ? setTimeout(random(MAX_LIFE_MS)).then(() => daemon.process?.kill('SIGKILL')) : undefined;
        try {
          await importFrom(daemon, blocks, acknowledged);
        } catch (error) {
          if (error instanceof assert.AssertionError || !kill) throw error;
          kills += 1;
        }
        await kill;
        await daemon.end('SIGKILL');
      }
      await daemon.start();
      assert.equal(await daemon.ask('getbestblockhash'), last.hash);
      assert.equal(await daemon.ask('verifychain', 4, 0), true);
    } finally {
      await daemon.destroy();
    }
  }
});
