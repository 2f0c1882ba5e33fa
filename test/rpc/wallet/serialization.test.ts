import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { blockchainHandlers } from '../../../src/services/blockchain/index.js';
import { type FounderNode, startFounderNode } from '../founder-node.js';

const nodes: FounderNode[] = [];
after(() => Promise.all(nodes.map((node) => node.end())));

interface WithHex {
  readonly hex: string;
}

/** Hex of the same transaction with a witness from several operations: of the wallet, alone, in its block. */
async function shownHex(showsWitness: boolean): Promise<{ readonly shown: string[]; readonly hasWitness: boolean }> {
  const node = await startFounderNode(undefined, [], { showsWitness });
  nodes.push(node);
  const { call } = node;
  const inner = await call('getnewaddress', ['', 'bech32']);
  await node.confirm('sendtoaddress', [inner, 5]);
  const coins = (await call('listunspent', [1, 9999999, [inner]])) as { txid: string; vout: number }[];
  const unsigned = await call('createrawtransaction', [coins.map(({ txid, vout }) => ({ txid, vout })), { [node.founder]: 4.999 }]);
  const signed = (await call('signrawtransactionwithwallet', [unsigned])) as WithHex;
  const txid = await node.confirm('sendrawtransaction', [signed.hex]);
  const ofWallet = (await call('gettransaction', [txid])) as WithHex;
  const { chain } = node;
  const request = { blockhash: Buffer.from(chain.tip.hash).reverse().toString('hex'), verbosity: 2 };
  const asked = {
    dialect: 'json-rpc',
    requestId: 'test',
    user: undefined,
    wallet: undefined,
    signal: new AbortController().signal,
  } as const;
  const { block } = await blockchainHandlers.getBlock({ chain, showsWitness } as never, request, asked);
  assert.ok(block?.$case === 'object' && block.value.tx?.transactions?.$case === 'decoded');
  const inBlock = block.value.tx.transactions.value.transactions.find((tx) => tx.txid === txid);
  const alone = (await call('getrawtransaction', [txid, true])) as WithHex;
  const shown = [ofWallet.hex, alone.hex, String(await call('getrawtransaction', [txid])), inBlock?.hex ?? 'not in the block'];
  const decoded = (await call('decoderawtransaction', [shown[0]])) as { readonly vin: readonly { readonly txinwitness?: unknown }[] };
  return { shown, hasWitness: decoded.vin[0]?.txinwitness !== undefined };
}

describe('-rpcserialversion', () => {
  for (const version of [0, 1]) {
    test(`${version}: every hex of a transaction is with${version === 0 ? 'out' : ''} the witness`, async () => {
      const { shown, hasWitness } = await shownHex(version === 1);
      assert.equal(new Set(shown).size, 1, shown.join('\n'));
      assert.equal(hasWitness, version === 1);
    });
  }
});
