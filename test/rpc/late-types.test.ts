import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { NodeError } from '../../src/util/errors.js';
import { parseJson } from '../../src/util/json.js';
import { committedCatalogue } from './catalogue.js';
import { startWalletNode, type WalletNode } from './wallet/wallet-node.js';

/** Operations that create transactions whose types `defid` checks before it looks at the state of the chain. */
const TYPES_FIRST = [
  ...['appointoracle', 'updateoracle', 'removeoracle', 'setoracledata', 'cleargovheights'],
  ...['updatevault', 'deposittovault', 'withdrawfromvault', 'placeauctionbid'],
];

const catalogue = committedCatalogue(true);
const late = catalogue.operations.filter((op) => op.lateTypeCheck);

test('a wrong type of an operation that checks types late is an error once the request is read', () => {
  const bind = (text: string) => catalogue.byName('createvault')?.codec.bindPositional([parseJson(text)]) as { owneraddress: string };
  assert.equal(bind('"a"').owneraddress, 'a');
  const request = bind('5');
  assert.throws(
    () => request.owneraddress,
    (error) => error instanceof NodeError && error.kind === 'type' && error.message === 'Expected type string, got number',
  );
  const named = () => catalogue.byName('deposittovault')?.codec.bindPositional(['5', '6', '7'].map((each) => parseJson(each)));
  assert.throws(named, /Expected type string, got number/);
});

describe('during the initial block download', () => {
  let node: WalletNode;
  const answer = async (method: string, args: readonly unknown[]): Promise<string> => String(await node.call(method, args));

  before(async () => {
    node = await startWalletNode();
    mock.method(node.chain, 'isInitialDownload', () => true);
  });
  after(() => node.end());

  test('operations that check types late refuse to run', async () => {
    assert.equal(late.length, 37);
    for (const { name, signatures } of late) {
      const args = new Array(Math.max(1, signatures[0]?.least ?? 0)).fill(true);
      assert.match(await answer(name, args), /^-10 Cannot .* while still in Initial Block Download$/, name);
    }
  });

  test('others name the wrong type', async () => {
    for (const name of TYPES_FIRST) {
      const args = new Array(Math.max(1, catalogue.byName(name)?.signatures[0]?.least ?? 0)).fill(true);
      assert.match(await answer(name, args), /^-3 Expected type .*, got bool$/, name);
    }
  });

  test('paybackwithcollateral is not refused', async () => {
    assert.match(await answer('paybackwithcollateral', ['ab'.repeat(32)]), /Vault <(ab){32}> not found/);
  });
});
