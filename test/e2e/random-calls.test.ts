import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CallKind, compareCalls, report } from '../fuzz/calls/compare.js';
import { defidPath, withoutDefid } from '../fuzz/calls/defid.js';
import { sharedPath } from '../shared.js';
import { DEFID_425, WITHOUT_DEFID_425 } from './defid-pair.js';

const COUNT = 2_000;
const SEED = Number(process.env.DFI_SEED ?? 1);
/** Path of a `defid` 3.2.8; undefined if there is none. */
const DEFID = defidPath('3.2.8');
const WITHOUT_DEFID = withoutDefid('3.2.8');

for (const reason of [WITHOUT_DEFID, WITHOUT_DEFID_425]) if (reason) console.log(`skipped: ${reason}`);

function compare(defid: string | undefined, name: string, kind: CallKind, flags: readonly string[] = []): void {
  const recording = sharedPath('golden', `${name}.jsonl.gz`);
  test(`${name} with seed ${SEED}, kind ${[kind, ...flags].join(' ')}`, { skip: recording === undefined }, async () => {
    const comparison = { recording: String(recording), count: COUNT, seed: SEED, kind, methods: [], flags } as const;
    const outcome = await compareCalls(String(defid), comparison);
    assert.equal(outcome.different.length, 0, report(comparison, outcome));
  });
}

describe('random calls to defid 3.2.8 and to this node', { skip: WITHOUT_DEFID }, () => {
  for (const name of ['calls/calls_accounts_n_utxos', 'finance/feature_loan_payback_dfi', 'finance/rpc_listgovproposals']) {
    compare(DEFID, name, 'all');
  }
  compare(DEFID, 'finance/feature_loan', 'initial');
  compare(DEFID, 'finance/feature_loan_vaultstate', 'locked');
  compare(DEFID, 'finance/feature_loan', 'all', ['-disablewallet']);
  compare(DEFID, 'finance/feature_on_chain_government', 'bodies');
  // Its outputs have all forms of keys and scripts.
  compare(DEFID, 'calls/calls_segwit', 'wallet');
});

describe('random calls to defid 4.2.5 and to this node', { skip: WITHOUT_DEFID_425 }, () => {
  for (const name of ['v4/feature_loan_auctions', 'evm/feature_evm_dst20']) compare(DEFID_425, name, 'all');
  for (const name of ['evm/feature_evm_logs', 'evm/feature_evm_dst20']) compare(DEFID_425, name, 'ethereum');
});
