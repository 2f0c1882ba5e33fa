import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecording, recordings } from '../shared.js';
import { importRecording } from './recorded-chain.js';

const paths = recordings('base');

test('the tip after every block of every base recording is as recorded', { skip: paths.length === 0 }, () => {
  let blocks = 0;
  for (const path of paths) {
    const recording = readRecording(path);
    const { chain } = importRecording(recording);
    assert.equal(chain.tip.height, recording.header.blocks);
    blocks += recording.header.blocks;
  }
  console.log(`${blocks} blocks of ${paths.length} recordings connected`);
});
