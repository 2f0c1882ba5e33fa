import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logAccountBalances } from '../../../src/services/node/chain/account-dump.js';
import { silentLogger } from '../../../src/util/logger.js';
import { DfiFixture, dataScript, heights, legacyScript, script } from '../../unit/dfi/fixture.js';
import { documentCall } from '../json-rpc-call.js';
import { asker } from '../state-asker.js';

const LEGACY = 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8';
const SEGWIT = 'bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t';

test('logaccountbalances returns all balances by owner, logs them, or both', async () => {
  const fixture = new DfiFixture(heights());
  fixture.give(legacyScript(0), 0, 5n);
  fixture.give(script(1), 0, 300_000_000n);
  fixture.give(script(1), 7, 1n);
  fixture.give(dataScript('?', new Uint8Array()), 0, 2n);
  const lines: string[] = [];
  const log = { ...silentLogger, info: (msg: string, fields?: object) => lines.push(`${msg} ${Object.values(fields ?? {}).join(' ')}`) };
  let open = 0;
  const snapshot = () => {
    open += 1;
    return { get: fixture.view.get.bind(fixture.view), entries: fixture.view.entries.bind(fixture.view), close: () => (open -= 1) };
  };
  const ask = asker({ logAccountBalances }, { chain: { params: fixture.params, snapshot } as never, log });
  const data = '6a05446654783f';
  const all = `{"accounts":{"${data}":["0.00000002@0"],"${SEGWIT}":["3.00000000@0","0.00000001@7"],"${LEGACY}":["0.00000005@0"]},"count":4}`;
  assert.equal(await ask('logaccountbalances'), all);
  assert.deepEqual(lines, [], 'no lines unless they are requested');
  assert.equal(await ask('logaccountbalances', [true, false]), 'null');
  const expected = [`AccountBalance ${data} 2 0`, `AccountBalance ${SEGWIT} 300000000 0`, `AccountBalance ${SEGWIT} 1 7`];
  assert.deepEqual(lines.sort(), [...expected, `AccountBalance ${LEGACY} 5 0`, 'IndexStats 4'].sort());
  assert.equal(await ask('logaccountbalances', { logfile: true }), all);
  assert.equal(lines.length, 10);
  assert.equal(open, 0, 'snapshots are closed');
  assert.equal(await ask('logaccountbalances', [null]), '-1 JSON value is not a boolean as expected');
});

test('logaccountbalances: an answer is kept unless its call writes to the log', async () => {
  const fixture = new DfiFixture(heights());
  const snapshot = () => ({ entries: fixture.view.entries.bind(fixture.view), close: () => {} });
  const modules = { chain: { params: fixture.params, snapshot } as never, log: silentLogger };
  const isKept = async (logfile: boolean | undefined) => {
    const call = { ...documentCall };
    await logAccountBalances(modules, { logfile, rpcresult: undefined }, call);
    return call.isMomentary !== true;
  };
  assert.equal(await isKept(undefined), true);
  assert.equal(await isKept(false), true);
  assert.equal(await isKept(true), false);
});
