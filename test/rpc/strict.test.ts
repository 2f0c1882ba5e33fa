import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRpc } from '../../src/gateway/documents/openrpc.js';
import { committedCatalogue } from './catalogue.js';

/** Members that only the operations document names, by message. */
const documentOnly = [
  'dfi.accounts.v1.FutureSwapValue.tokenSymbol',
  'dfi.accounts.v1.FutureSwapValue.amount',
  'dfi.accounts.v1.PendingFutureSwap.values',
  'dfi.blockchain.v1.Block.nonce',
  'dfi.blockchain.v1.BlockHeader.nonce',
  'dfi.rawtransactions.v1.PsbtInput.final_scriptsig',
];

const lenient = committedCatalogue();
const strict = committedCatalogue(true);

test('strict: the members that only the operations document names', () => {
  const marked = lenient.descriptors.messages.flatMap((message) =>
    message.fields
      .filter((field) => lenient.options.result(field).beyondDefid)
      .map((field) => `${message.typeName}.${field.jsonName || field.name}`),
  );
  assert.deepEqual(marked.sort(), [...documentOnly].sort());
});

const source = { amount: 100n, token: 'DFI' };
const swap = { owner: 'a', source, destination: 'DUSD', values: [{ source, destination: 'DUSD', tokensymbol: 'DFI', amount: 100n }] };

test('strict: JSON-RPC omits them, REST and the default do not', async () => {
  const call = { signal: new AbortController().signal };
  const write = (catalogue: typeof strict, dialect?: 'document'): unknown => {
    const op = catalogue.byName('listpendingfutureswaps');
    assert.ok(op);
    const text = op.codec.write({ swaps: [swap] }, call, dialect);
    return Object.keys(JSON.parse(String(text))[0]);
  };
  assert.deepEqual(write(strict), ['owner', 'source', 'destination']);
  assert.deepEqual(write(lenient), ['owner', 'source', 'destination', 'values']);
  assert.deepEqual(write(strict, 'document'), ['owner', 'source', 'destination', 'values']);
});

test('strict: help and OpenRPC describe the answered members', () => {
  for (const [catalogue, isNamed] of [
    [lenient, true],
    [strict, false],
  ] as const) {
    assert.equal(catalogue.byName('getblockheader')?.help.includes('"nonce"'), isNamed);
    const { components } = openRpc(catalogue, '1') as unknown as { components: { schemas: Record<string, { properties: object }> } };
    const [, header] = Object.entries(components.schemas).find(([name]) => /\bBlockHeader\b/.test(name)) ?? [];
    assert.ok(header);
    assert.equal('nonce' in header.properties, isNamed);
  }
});
