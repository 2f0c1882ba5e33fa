import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareCalls, report } from '../fuzz/calls/compare.js';
import { sharedPath } from '../shared.js';

const COUNT = 2_000;
const SEED = Number(process.env.DFI_SEED ?? 1);
/** Path of a `defid` 3.2.8; undefined if there is none. */
const DEFID = process.env.DFI_DEFID;
const RECORDINGS = ['calls/calls_accounts_n_utxos', 'finance/feature_loan_payback_dfi', 'finance/rpc_listgovproposals'];

if (!DEFID) console.log('skipped: DFI_DEFID names no defid 3.2.8');

/** Its outputs have all forms of keys and scripts. */
const WALLET_RECORDING = 'calls/calls_segwit';

describe('random calls to defid 3.2.8 and to this node', { skip: !DEFID }, () => {
  for (const name of [...RECORDINGS, WALLET_RECORDING]) {
    const recording = sharedPath('golden', `${name}.jsonl.gz`);
    const kind = name === WALLET_RECORDING ? 'wallet' : 'all';
    test(`${name} with seed ${SEED}, kind ${kind}`, { skip: recording === undefined }, async () => {
      const comparison = { recording: String(recording), count: COUNT, seed: SEED, kind, methods: [] } as const;
      const outcome = await compareCalls(String(DEFID), comparison);
      assert.equal(outcome.different.length, 0, report(comparison, outcome));
    });
  }
});
