import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestRefusal } from '../../../src/gateway/defid-answer.js';
import { DefidResources } from '../../../src/gateway/defid-resources.js';
import type { HttpCall } from '../../../src/gateway/http-call.js';
import type { RpcOperations } from '../../../src/gateway/jsonrpc.js';
import { type Body, textOf } from '../../../src/gateway/reply.js';
import { type ErrorKind, NodeError } from '../../../src/util/errors.js';
import type { JsonValue } from '../../../src/util/json.js';

const HASH = 'ab'.repeat(32);

/** Resources whose operations answer with this text, or fail with this error; and the calls of operations. */
function resourcesWith(answer: string | NodeError) {
  const calls: string[] = [];
  const operations = {
    requireAccess() {},
    answer: async (method: string, args: readonly JsonValue[]): Promise<Body> => {
      calls.push([method, ...args.map((arg) => (typeof arg === 'object' && arg && 'text' in arg ? arg.text : arg))].join(' '));
      if (answer instanceof NodeError) throw answer;
      return answer;
    },
  };
  const resources = new DefidResources(operations as unknown as RpcOperations, {} as HttpCall, new Uint8Array(0), true);
  return { resources, calls };
}

/** Result of a resource: its JSON, or status and text of its refusal, or the error itself. */
async function read(path: string, answer: string | NodeError): Promise<unknown> {
  try {
    const resource = resourcesWith(answer).resources.find(path)?.();
    return resource?.json && textOf(await resource.json());
  } catch (error) {
    return error instanceof RestRefusal ? [error.status, error.message] : error;
  }
}

test('a subject that is missing or pruned is 404; other errors are passed on', async () => {
  const failing = (kind: ErrorKind, text: string) => new NodeError(kind, text);
  for (const path of [`tx/${HASH}`, `block/${HASH}`, `block/notxdetails/${HASH}`]) {
    for (const kind of ['block-not-found', 'transaction-not-found', 'not-found'] as const) {
      assert.deepEqual(await read(path, failing(kind, 'x')), [404, `${HASH} not found`]);
    }
    const pruned = failing('misc', 'Block not available (pruned data)');
    assert.deepEqual(await read(path, pruned), [404, `${HASH} not available (pruned data)`]);
    const other = failing('misc', 'another fault');
    assert.equal(await read(path, other), other);
  }
});

test('hashes have 64 digits', async () => {
  for (const path of ['tx/', 'block/', 'block/notxdetails/', 'headers/1/']) {
    for (const hash of ['', 'ab', HASH.slice(1), `${HASH}0`, `${HASH.slice(1)}g`]) {
      assert.deepEqual(await read(`${path}${hash}`, '""'), [400, `Invalid hash: ${hash}`]);
    }
  }
});

test('counts of headers are 1 to 2000', async () => {
  const unspecified = 'No header count specified. Use /rest/headers/<count>/<hash>.<ext>.';
  assert.deepEqual(await read(`headers/${HASH}`, '""'), [400, unspecified]);
  assert.deepEqual(await read(`headers/1/${HASH}/2`, '""'), [400, unspecified]);
  for (const count of ['0', '-1', '2001', 'x']) {
    assert.deepEqual(await read(`headers/${count}/${HASH}`, '""'), [400, `Header count out of range: ${count}`]);
  }
  for (const count of ['1', '2000', '5x']) {
    assert.equal(await read(`headers/${count}/${HASH}`, new NodeError('block-not-found', 'x')), '[]');
  }
  const other = new NodeError('misc', 'another fault');
  assert.equal(await read(`headers/1/${HASH}`, other), other);
});

test('headers of another branch are none', async () => {
  assert.equal(await read(`headers/1/${HASH}`, '{"confirmations":-1}'), '[]');
  assert.equal(await read(`headers/1/${HASH}`, '{"confirmations":1}'), '[{"confirmations":1}]');
});

test('heights are numbers of 31 bits, and beyond the tip 404', async () => {
  for (const height of ['', '-1', '2147483648', 'x', '1.5']) {
    assert.deepEqual(await read(`blockhashbyheight/${height}`, '""'), [400, `Invalid height: ${height}`]);
  }
  assert.deepEqual(await read('blockhashbyheight/<5>', '""'), [400, 'Invalid height: 5']);
  for (const height of ['0', '+7', '2147483647']) {
    assert.equal(await read(`blockhashbyheight/${height}`, `"${HASH}"`), `{"blockhash":"${HASH}"}`);
  }
  const beyond = new NodeError('out-of-range', 'x');
  assert.deepEqual(await read('blockhashbyheight/9', beyond), [404, 'Block height out of range']);
  const other = new NodeError('misc', 'another fault');
  assert.equal(await read('blockhashbyheight/9', other), other);
});

test('operations behind the resources', async () => {
  const called = async (path: string, format: 'json' | 'hex' | 'bin' = 'json') => {
    const { resources, calls } = resourcesWith(path.startsWith('blockhash') ? `"${HASH}"` : '"00"');
    const resource = resources.find(path)?.();
    await (format === 'json' ? resource?.json?.() : resource?.hex?.(format))?.catch(() => undefined);
    return calls;
  };
  assert.deepEqual(await called(`tx/${HASH}`), [`getrawtransaction ${HASH} true`]);
  assert.deepEqual(await called(`tx/${HASH}`, 'hex'), [`getrawtransaction ${HASH} false`]);
  assert.deepEqual(await called(`block/${HASH}`), [`getblock ${HASH} 2`]);
  assert.deepEqual(await called(`block/notxdetails/${HASH}`), [`getblock ${HASH} 1`]);
  assert.deepEqual(await called(`block/notxdetails/${HASH}`, 'bin'), [`getblock ${HASH} 0`]);
  assert.deepEqual(await called('chaininfo'), ['getblockchaininfo']);
  assert.deepEqual(await called('mempool/info'), ['getmempoolinfo']);
  assert.deepEqual(await called('mempool/contents'), ['getrawmempool true']);
  assert.deepEqual(await called('blockhashbyheight/7', 'hex'), ['getblockhash 7']);
  assert.equal(resourcesWith('').resources.find('unknown'), undefined);
});
