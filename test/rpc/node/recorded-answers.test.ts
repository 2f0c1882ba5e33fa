import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash } from '../../../src/primitives/hash.js';
import { paramsOfFlags } from '../../chains/recorded-chain.js';
import { type RecordedAnswer, readRecording, sharedPath } from '../../shared.js';
import { answered, startServices } from '../service-node.js';

const RECORDINGS = [
  'calls/calls_segwit',
  'calls/calls_accounts_n_utxos',
  'calls/calls_futures',
  'base/rpc_rawtransaction',
  'base/feature_median_time',
];

function textOf({ result, error }: RecordedAnswer): string {
  if (error === undefined) return result as string;
  const { code, message, usage } = JSON.parse(error) as { code: number; message?: string; usage?: boolean };
  return `${code} ${usage ? 'usage' : message}`;
}

for (const name of RECORDINGS) {
  const path = sharedPath('golden', `${name}.jsonl.gz`);
  test(`${name}: answers equal those of defid byte for byte`, { skip: path === undefined }, async () => {
    const { header, steps } = readRecording(path as string);
    // The recorded `defid` had its network active but no peers.
    const { chain, clock, ask } = startServices(paramsOfFlags(header.flags), { peers: { count: 0 }, strict: true });
    const compared = new Map<string, number>();
    for (const step of steps) {
      if ('hex' in step) {
        clock.setMockTime(step.time);
        assert.equal(await ask('submitblock', JSON.stringify([step.hex])), 'null');
        assert.equal(formatHash(chain.tip.hash), step.hash);
        continue;
      }
      for (const given of step.answers.filter(({ method }) => answered.has(method))) {
        const params = JSON.stringify(given.params);
        assert.equal(await ask(given.method, params), textOf(given), `${given.method} ${params.slice(0, 300)}`);
        compared.set(given.method, (compared.get(given.method) ?? 0) + 1);
      }
    }
    console.log(`${name}: ${JSON.stringify(Object.fromEntries(compared))}`);
    assert.ok(compared.size > 0);
  });
}
