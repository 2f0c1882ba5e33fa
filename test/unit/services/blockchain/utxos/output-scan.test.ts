import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { coins } from '../../../../../src/chain/coins.js';
import { encode, encodeText } from '../../../../../src/primitives/codec.js';
import { OutputScan } from '../../../../../src/services/blockchain/utxos/output-scan.js';
import type { StateView } from '../../../../../src/storage/view.js';
import { fromHex } from '../../../../../src/util/bytes.js';
import type { WorkReport } from '../../../../../src/util/work-report.js';

/** Key and value of a coin as they are stored. */
type Row = readonly [string, Uint8Array];

function output(txid: number, vout: number, script: string): Row {
  const key = encodeText(coins.key, { txid: new Uint8Array(32).fill(txid), vout });
  const out = { value: 5n, scriptPubKey: fromHex(script), tokenId: 0 };
  return [key, encode(coins.value, { out, height: 1, coinbase: false })];
}

function viewOf(outputs: Iterable<Row>): Pick<StateView, 'rows'> {
  return {
    *rows() {
      yield* outputs;
    },
  };
}

/** One output that the scan looks for, then an endless sequence of others. */
const endless: Iterable<Row> = {
  *[Symbol.iterator]() {
    yield output(0x01, 0, '51');
    for (;;) yield output(0x80, 1, '52');
  },
};

test('finds outputs of the scripts and counts all that it scanned, and reports its progress', async () => {
  const reports: WorkReport[] = [];
  const scan = new OutputScan((report) => reports.push(report));
  const outputs = [output(1, 0, '51'), output(1, 7, '52'), output(2, 1, '51')];
  const { complete, searched, found } = await scan.run(viewOf(outputs), new Set(['51']));
  assert.deepEqual({ complete, searched, points: found.map(({ point }) => point.vout) }, { complete: true, searched: 3, points: [0, 1] });
  assert.equal(scan.progress, 100);
  assert.deepEqual(reports.at(0), { work: 'scanning unspent outputs', percent: 0, isOver: false });
  assert.deepEqual(reports.at(-1), { work: 'scanning unspent outputs', percent: 100, isOver: true });
});

test('an aborted scan returns what it found until then', async () => {
  // Sliced work shares the time of a turn, which an earlier test may have used up.
  await setImmediate();
  const scan = new OutputScan();
  const running = scan.run(viewOf(endless), new Set(['51']));
  assert.equal(scan.progress, 50); // txids have come to 0x8080
  scan.abort();
  const { complete, searched, found } = await running;
  assert.equal(complete, false);
  assert.ok(searched > 1);
  assert.equal(found.length, 1);
});

test('a scan aborted before it begins reads nothing', async () => {
  const scan = new OutputScan();
  scan.abort();
  assert.deepEqual(await scan.run(viewOf([output(1, 0, '51')]), new Set(['51'])), { complete: false, searched: 0, found: [] });
});

test('a scan yields to other work, and ends if its caller disconnects', async () => {
  const caller = new AbortController();
  const running = new OutputScan().run(viewOf(endless), new Set(), caller.signal);
  await setImmediate();
  caller.abort(new Error('gone'));
  await assert.rejects(running, /gone/);
});
