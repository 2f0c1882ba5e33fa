import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescriptorRange } from '../../gen/ts/dfi/types/v1/descriptor.js';
import type { CallContext } from '../../src/rpc/handler.js';
import { scanTxOutSet } from '../../src/services/blockchain/utxos/scantxoutset.js';
import { fromHex } from '../../src/util/bytes.js';
import { NodeError } from '../../src/util/errors.js';
import { answer, answerThroughBytes, startNode, type TestNode } from '../rpc/blockchain/node.js';
import { jsonRpcCall } from '../rpc/json-rpc-call.js';
import { startServices } from '../rpc/service-node.js';
import { type RecordedAnswer, type Recording, readRecording, recordings, sharedPath } from '../shared.js';
import { paramsOfFlags } from './recorded-chain.js';

const TPRV = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
const TPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';

const document: CallContext = { ...jsonRpcCall, dialect: 'document' };

function nodeAfter({ header, steps }: Recording): TestNode {
  const node = startNode(header.flags);
  for (const step of steps) {
    if (!('hex' in step)) continue;
    node.clock.set(step.time);
    node.chain.submitBlock(fromHex(step.hex));
  }
  return node;
}

const scanPath = sharedPath('golden', 'base', 'rpc_scantxoutset.jsonl.gz');
let scanned: TestNode | undefined;

/** Chain whose outputs pay children of a published key: 0.008, 0.016, ... 16.384, doubled from one to the next. */
function scanNode(): TestNode {
  scanned ??= nodeAfter(readRecording(scanPath as string));
  return scanned;
}

interface Found {
  readonly success: boolean;
  readonly total_amount: number;
  readonly unspents: readonly { readonly txid: string; readonly vout: number; readonly desc: string; readonly amount: number }[];
}

async function scan(...objects: readonly unknown[]): Promise<Found> {
  const text = await answer(scanNode(), 'scantxoutset', JSON.stringify(['start', objects]));
  return JSON.parse(text) as Found;
}

const totals: readonly { readonly desc: string; readonly range?: unknown; readonly total: number }[] = [
  { desc: `combo(${TPRV}/0'/0h/0h)`, total: 0.008 },
  { desc: `combo(${TPRV}/0'/0'/1h)`, total: 0.016 },
  { desc: `combo(${TPRV}/0h/0'/1500')`, total: 0.032 },
  { desc: `combo(${TPRV}/0h/0h/0)`, total: 0.064 },
  { desc: `combo(${TPRV}/0'/0h/1)`, total: 0.128 },
  { desc: `combo(${TPRV}/0h/0'/1500)`, total: 0.256 },
  { desc: `combo(${TPRV}/0'/0h/*h)`, range: 1499, total: 0.024 },
  { desc: `combo(${TPRV}/0'/0'/*h)`, range: 1500, total: 0.056 },
  { desc: `combo(${TPRV}/0h/0'/*)`, range: 1499, total: 0.192 },
  { desc: `combo(${TPRV}/0'/0h/*)`, range: 1500, total: 0.448 },
  { desc: `combo(${TPUB}/1/1/0)`, total: 4.096 },
  { desc: `combo(${TPUB}/1/1/1)`, total: 8.192 },
  { desc: `combo(${TPUB}/1/1/1500)`, total: 16.384 },
  { desc: `combo([abcdef88/1/2'/3/4h]${TPUB}/1/1/*)`, range: 1499, total: 12.288 },
  { desc: `combo(${TPUB}/1/1/*)`, range: 1500, total: 28.672 },
  { desc: `combo(${TPUB}/1/1/*)`, range: [1500, 1500], total: 16.384 },
  // Without a range, the children up to 1000 are searched.
  { desc: `combo(${TPUB}/1/1/*)`, total: 12.288 },
];
for (const { desc, range, total } of totals) {
  const short = desc.replace(TPRV, 'tprv').replace(TPUB, 'tpub');
  test(`scantxoutset ${short} ${JSON.stringify(range ?? null)}: ${total}`, { skip: scanPath === undefined }, async () => {
    const found = await scan(range === undefined ? desc : { desc, range });
    assert.equal(found.success, true);
    assert.equal(found.total_amount, total);
  });
}

test('scantxoutset describes outputs by their keys and the origins of the keys', { skip: scanPath === undefined }, async () => {
  const descriptors = async (...objects: readonly unknown[]) => (await scan(...objects)).unspents.map(({ desc }) => desc);
  // Expected by the functional tests of `defid`.
  assert.deepEqual(await descriptors(`combo(${TPRV}/0h/0'/0)`), [
    "pkh([0c5f9a1e/0'/0'/0]026dbd8b2315f296d36e6b6920b1579ca75569464875c7ebe869b536a7d9503c8c)#dzxw429x",
  ]);
  assert.deepEqual(await descriptors(`combo(${TPRV}/0'/0'/1)`), [
    "pkh([0c5f9a1e/0'/0'/1]033e6f25d76c00bedb3a8993c7d5739ee806397f0529b1b31dda31ef890f19a60c)#43rvceed",
  ]);
  assert.deepEqual(await descriptors(`combo(${TPUB}/1/1/0)`), [
    'pkh([0c5f9a1e/1/1/0]03e1c5b6e650966971d7e71ef2674f80222752740fc1dfd63bbbd220d2da9bd0fb)#cxmct4w8',
  ]);
  const ranged = await descriptors({ desc: `combo(${TPUB}/1/1/*)`, range: 1500 });
  assert.deepEqual([...ranged].sort(), [
    'pkh([0c5f9a1e/1/1/0]03e1c5b6e650966971d7e71ef2674f80222752740fc1dfd63bbbd220d2da9bd0fb)#cxmct4w8',
    'pkh([0c5f9a1e/1/1/1500]03832901c250025da2aebae2bfb38d5c703a57ab66ad477f9c578bfbcd78abca6f)#vchwd07g',
    'pkh([0c5f9a1e/1/1/1]030d820fc9e8211c4169be8530efbc632775d8286167afd178caaf1089b77daba7)#z2t3ypsa',
  ]);
  // The descriptor that finds the output first describes it; that of the address has no key.
  const [byAddress] = await descriptors('addr(mtfUoUax9L4tzXARpw1oTGxWyoogp52KhJ)', `pkh(${TPUB}/1/1/0)`);
  assert.match(byAddress as string, /^addr\(mtfUoUax9L4tzXARpw1oTGxWyoogp52KhJ\)#/);
  const [byKey] = await descriptors(`pkh(${TPUB}/1/1/0)`, 'addr(mtfUoUax9L4tzXARpw1oTGxWyoogp52KhJ)');
  assert.match(byKey as string, /^pkh\(\[0c5f9a1e\/1\/1\/0\]/);
});

test('scantxoutset: outputs are in the order of txid bytes, then index', { skip: scanPath === undefined }, async () => {
  const { unspents } = await scan({ desc: `combo(${TPRV}/0h/0'/*)`, range: 1500 }, { desc: `combo(${TPUB}/1/1/*)`, range: 1500 });
  assert.equal(unspents.length, 6);
  const keys = unspents.map(({ txid, vout }) => Buffer.from(txid, 'hex').reverse().toString('hex') + String(vout).padStart(10, '0'));
  assert.deepEqual(keys, [...keys].sort());
});

test('scantxoutset: errors', { skip: scanPath === undefined }, async () => {
  const refuses = async (object: unknown, code: number, message: string): Promise<void> => {
    assert.equal(await answer(scanNode(), 'scantxoutset', JSON.stringify(['start', [object]])), JSON.stringify({ code, message }));
  };
  const hardened = `combo(${TPUB}/1/1/0')`;
  await refuses(hardened, -5, `Cannot derive script without private keys: '${hardened}'`);
  for (const other of [1, true, null, []]) await refuses(other, -8, 'Scan object needs to be either a string or an object');
  for (const object of [{}, { desc: null }, { range: 'x' }]) await refuses(object, -8, 'Descriptor needs to be provided in scan object');
  await refuses({ desc: 5 }, -1, 'JSON value is not a string as expected');
  await refuses({ desc: 'addr(', range: [2, 1] }, -8, 'Range specified as [begin,end] must not have begin after end');
  await refuses({ desc: 'addr(', range: null }, -5, 'addr( is not a valid descriptor function');
  await refuses('raw(deadbeef)#', -5, 'Expected 8 character checksum, not 0 characters');
});

test('scantxoutset: gRPC messages give the same answers', { skip: scanPath === undefined }, async () => {
  const ask = (range: DescriptorRange | undefined) => {
    const ranged = { desc: `combo(${TPUB}/1/1/*)`, range };
    return scanTxOutSet(scanNode(), { action: 'start', scanobjects: [{ form: { $case: 'ranged', value: ranged } }] }, document);
  };
  const totalOf = async (range: DescriptorRange | undefined): Promise<bigint | undefined> => {
    const { result } = await ask(range);
    return result?.$case === 'scan' ? result.value.totalAmount : undefined;
  };
  assert.equal(await totalOf(undefined), 1_228_800_000n);
  assert.equal(await totalOf({ form: undefined }), 1_228_800_000n);
  assert.equal(await totalOf({ form: { $case: 'end', value: 1500n } }), 2_867_200_000n);
  assert.equal(await totalOf({ form: { $case: 'bounds', value: { bounds: [1500n, 1500n] } } }), 1_638_400_000n);
  const badRange = { message: 'Range must be specified as end or as [begin,end]' };
  await assert.rejects(async () => ask({ form: { $case: 'bounds', value: { bounds: [1n] } } }), badRange);
  const noObject = { message: 'Scan object needs to be either a string or an object' };
  await assert.rejects(async () => scanTxOutSet(scanNode(), { action: 'start', scanobjects: [{ form: undefined }] }, document), noObject);
  const noDescriptor = { message: 'Descriptor needs to be provided in scan object' };
  const empty = { form: { $case: 'ranged' as const, value: { range: undefined } } };
  await assert.rejects(async () => scanTxOutSet(scanNode(), { action: 'start', scanobjects: [empty] }, document), noDescriptor);
  for (const params of [`["start",["combo(${TPUB}/1/1/0)"]]`, '["status",[]]', '["abort",[]]']) {
    assert.equal(await answerThroughBytes(scanNode(), 'scantxoutset', params), await answer(scanNode(), 'scantxoutset', params));
  }
});

test('scantxoutset: only the answer of a complete scan is kept', { skip: scanPath === undefined }, async () => {
  const isKept = async (params: string, during?: () => Promise<unknown>): Promise<boolean> => {
    const call: CallContext = { ...jsonRpcCall, isMomentary: false };
    const running = answer(scanNode(), 'scantxoutset', params, call);
    await during?.();
    await running;
    return call.isMomentary !== true;
  };
  const abort = () => answer(scanNode(), 'scantxoutset', '["abort",[]]');
  assert.equal(await isKept('["start",["raw(deadbeef)"]]'), true);
  assert.equal(await isKept('["status",[]]'), false);
  assert.equal(await isKept('["abort",[]]'), false);
  assert.equal(await isKept(LONG, abort), false);
  assert.equal(
    await isKept(LONG, async () => {
      assert.equal(await isKept('["start",["raw(deadbeef)"]]'), false); // refused
      await abort();
    }),
    false,
  );
});

const LONG = JSON.stringify(['start', [{ desc: `combo(${TPUB}/1/1/*)`, range: 999_999 }]]);

test('scantxoutset: one scan at a time, with status and abort', { skip: scanPath === undefined }, async () => {
  const node = scanNode();
  const ask = (params: string) => answer(node, 'scantxoutset', params);
  assert.equal(await ask('["status",[]]'), 'null');
  assert.equal(await ask('["abort",[]]'), 'false');
  const running = ask(LONG);
  assert.equal(await ask('["status",[]]'), '{"progress":0}');
  const busy = { code: -8, message: 'Scan already in progress, use action "abort" or "status"' };
  assert.equal(await ask('["start",[]]'), JSON.stringify(busy));
  assert.equal(await ask('["abort",[]]'), 'true');
  assert.equal(await running, '{"success":false,"searched_items":0,"unspents":[],"total_amount":0.00000000}');
  assert.equal(await ask('["status",[]]'), 'null');
  assert.equal((await scan('raw(deadbeef)')).success, true);
});

test('scantxoutset: a scan ends when its caller disconnects or an error occurs, and the next one can start', {
  skip: scanPath === undefined,
}, async () => {
  const node = scanNode();
  const caller = new AbortController();
  const running = answer(node, 'scantxoutset', LONG, { ...jsonRpcCall, signal: caller.signal });
  caller.abort(new NodeError('cancelled', 'gone'));
  assert.equal(await running, '{"code":-1,"message":"gone"}');
  assert.match(await answer(node, 'scantxoutset', '["start",["addr("]]'), /-5/);
  assert.equal(await answer(node, 'scantxoutset', '["status",[]]'), 'null');
});

function textOf({ result, error }: RecordedAnswer): string {
  return error ?? (result as string);
}

const UTIL = new Set(['deriveaddresses', 'getdescriptorinfo', 'validateaddress']);

for (const path of recordings('calls')) {
  const recording = readRecording(path);
  const name = recording.header.name;
  test(`${name}: descriptors are answered byte for byte like defid`, async () => {
    const node = nodeAfter(recording);
    const services = startServices(paramsOfFlags(recording.header.flags));
    const compared: Record<string, number> = {};
    for (const step of recording.steps) {
      if ('hex' in step) continue;
      for (const given of step.answers) {
        const { method } = given;
        const params = JSON.stringify(given.params);
        if (method === 'scantxoutset') assert.equal(await answer(node, method, params), textOf(given), params);
        else if (UTIL.has(method)) assert.equal(await services.ask(method, params), asked(given), params);
        else continue;
        compared[method] = (compared[method] ?? 0) + 1;
      }
    }
    console.log(`${name}: ${JSON.stringify(compared)}`);
    assert.ok((compared.scantxoutset ?? 0) >= 65 && compared.deriveaddresses === 34 && compared.getdescriptorinfo === 17);
  });
}

/** The same answer in the form that `ask` returns. */
function asked(given: RecordedAnswer): string {
  if (given.error === undefined) return given.result as string;
  const { code, message, usage } = JSON.parse(given.error) as { code: number; message?: string; usage?: boolean };
  return `${code} ${usage ? 'usage' : message}`;
}
