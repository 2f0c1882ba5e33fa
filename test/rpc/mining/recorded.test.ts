import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fromHex } from '../../../src/util/bytes.js';
import { paramsOfFlags } from '../../chains/recorded-chain.js';
import { readRecording, recordings } from '../../shared.js';
import { startServices } from '../service-node.js';

const MINING = ['getblocktemplate', 'getmininginfo', 'getmintinginfo', 'getnetworkhashps', 'prioritisetransaction', 'submitheader'];
/** Recordings whose blocks hold custom transactions that cannot be applied yet are replayed as far as they go: not at all. */
const WHOLE_CHAIN = /calls_segwit|calls_accounts_n_utxos/;

for (const path of recordings('calls').filter((each) => WHOLE_CHAIN.test(each))) {
  test(`mining operations answer as the reference did: ${basename(path)}`, async () => {
    const { header, steps } = readRecording(path);
    // The reference had its network on and nobody to talk to.
    const { chain, clock, ask } = startServices(paramsOfFlags(header.flags), { peers: { count: 0 } });
    let compared = 0;
    for (const step of steps) {
      if ('hex' in step) {
        clock.setMockTime(step.time);
        chain.submitBlock(fromHex(step.hex));
        continue;
      }
      assert.equal(chain.tip.height, step.check);
      for (const { method, params, result, error } of step.answers) {
        if (!MINING.includes(method)) continue;
        const given = JSON.stringify(params);
        assert.equal(await ask(method, given), error === undefined ? result : errorText(error), `${method} ${given.slice(0, 200)}`);
        compared += 1;
      }
    }
    console.log(`compared ${compared} answers`);
    assert.ok(compared > 50);
  });
}

function errorText(text: string): string {
  const { code, message, usage } = JSON.parse(text) as { code: number; message?: string; usage?: boolean };
  return `${code} ${usage ? 'usage' : message}`;
}
