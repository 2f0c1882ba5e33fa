import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownRewards } from '../../src/dfi/rewards/known-rewards.js';
import { accountsHandlers } from '../../src/services/accounts/index.js';
import { isAppliedCustomTx } from '../../src/services/blockchain/custom-txs.js';
import { icxHandlers } from '../../src/services/icx/index.js';
import { loansHandlers } from '../../src/services/loans/index.js';
import { listMasternodes } from '../../src/services/node/masternodes/masternodes.js';
import { listTokens } from '../../src/services/node/tokens/tokens.js';
import { oraclesHandlers } from '../../src/services/oracles/index.js';
import { poolsHandlers } from '../../src/services/pools/index.js';
import { proposalsHandlers } from '../../src/services/proposals/index.js';
import { vaultsHandlers } from '../../src/services/vaults/index.js';
import { committedCatalogue } from '../rpc/catalogue.js';
import { readRecording, recordings } from '../shared.js';
import { askerOf } from './recorded-answer.js';
import { submitRecorded } from './recorded-chain.js';

const handlers: Readonly<Record<string, unknown>> = {
  ...accountsHandlers,
  ...oraclesHandlers,
  ...poolsHandlers,
  ...loansHandlers,
  ...vaultsHandlers,
  ...proposalsHandlers,
  ...icxHandlers,
  isAppliedCustomTx,
  listTokens,
  listMasternodes,
};
/** Operations of `defid` only, without those that only the operations document names. */
const catalogue = committedCatalogue(true);
const methods = new Set(catalogue.operations.filter((op) => op.method in handlers).map((op) => op.name));
/** Minter without masternodes, like the nodes that were recorded. */
const minter = { masternodes: () => [] };

const answer = askerOf(catalogue, handlers);

for (const folder of ['state', 'calls', 'finance']) {
  for (const path of recordings(folder)) {
    const recording = readRecording(path);
    const { name } = recording.header;
    test(`the DeFi state answers as recorded: ${name}`, async () => {
      let asked = 0;
      const knownRewards = new KnownRewards();
      for await (const { chain, clock, answers } of submitRecorded(recording)) {
        for (const each of answers.filter((each) => methods.has(each.method))) {
          asked += 1;
          const where = `${each.method} ${JSON.stringify(each.params).slice(0, 200)} at ${chain.tip.height}`;
          assert.equal(await answer({ chain, clock, minter, knownRewards, keepsHistory: true }, each), each.error ?? each.result, where);
        }
      }
      assert.ok(asked > 0, 'nothing was asked');
    });
  }
}
