import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../../src/rpc/catalogue.js';
import { JsonObject, parseJson } from '../../src/util/json.js';
import { grpcAnswer, restAnswer, transportsOf } from './cached-node.js';
import { startFounderNode } from './founder-node.js';

type Json = Record<string, unknown>;

/** Elements of a list, or entries of a map. */
function elementsOf(answer: Json | unknown[]): string[] {
  const list = Array.isArray(answer) ? answer : Object.entries(answer);
  return list.map((each) => JSON.stringify(each));
}

/** The list in the JSON of an answer, which may have other members. */
function listIn(op: Operation, answer: Json): Json | unknown[] {
  if (op.options.isInline(op.output)) return answer;
  const [name = ''] = op.declared.pages?.list ?? [];
  return (answer[name] ?? []) as unknown[];
}

const request = (members: Json): JsonObject => parseJson(JSON.stringify(members)) as JsonObject;

test('the pages of each list are the list, over REST and gRPC with one cursor', async () => {
  const node = await startFounderNode();
  for (const symbol of ['GOLD', 'SILVER', 'BTC', 'ETH']) {
    await node.confirm('createtoken', [{ symbol, name: symbol, collateralAddress: node.founder }]);
  }
  await node.confirm('utxostoaccount', [{ [node.founder]: '5@DFI' }]);
  const { computed } = transportsOf(node);
  const long: string[] = [];
  for (const op of node.modules.catalogue.operations.filter(({ pages }) => pages)) {
    const given: Json = op.params.some(({ name }) => name === 'owner') ? { owner: op.name === 'getaccount' ? node.founder : 'all' } : {};
    if (op.params.some(({ required, name }) => required && given[name] === undefined)) continue;
    const limitName = op.declared.pages?.limit || 'limit';
    const limited = (limit: number): Json => {
      const [outer = '', inner] = limitName.split('.');
      return { ...given, [outer]: inner === undefined ? limit : { [inner]: limit } };
    };
    const hasLimit = op.params.some(({ name, only }) => name === limitName && only === 0) || limitName.includes('.');
    const whole = await restAnswer(computed, op, request(hasLimit ? limited(1_000_000) : given));
    if (!/^[[{]/.test(whole)) continue;
    const wanted = elementsOf(listIn(op, JSON.parse(whole)));
    const found: string[] = [];
    const size = Math.max(3, Math.ceil(wanted.length / 3));
    let page = '';
    do {
      const text = await restAnswer(computed, op, request({ ...limited(size), page }));
      const answer = JSON.parse(text) as Json;
      const isInline = op.options.isInline(op.output);
      found.push(...elementsOf((isInline ? answer.items : listIn(op, answer)) as Json));
      const overGrpc = await grpcAnswer(computed, op, request({ ...limited(size), page }));
      const next = String(answer.next);
      assert.ok(overGrpc.includes(next), `${op.name}: gRPC gives the same cursor`);
      page = next;
    } while (page !== '');
    assert.deepEqual([...found].sort(), [...wanted].sort(), op.name);
    if (wanted.length > 3) long.push(op.name);
  }
  for (const name of ['listtokens', 'listunspent', 'listtransactions', 'listmasternodes', 'listaccounthistory'])
    assert.ok(long.includes(name), `${name}: ${long}`);

  const tokens = node.modules.catalogue.byName('listtokens');
  assert.ok(tokens);
  assert.match(await restAnswer(computed, tokens, new JsonObject([])), /^\{"0":/, 'without `page` the answer is that of before');
  assert.match(await node.ask('listtokens', '{"page":""}'), /Unknown named parameter page/, 'JSON-RPC has no pages');
  assert.match(await restAnswer(computed, tokens, request({ page: 'nonsense' })), /^invalid-params page: is not a cursor/);
});

test('the page of a list without elements is empty, also where the list itself is refused', async () => {
  const node = await startFounderNode();
  const { computed } = transportsOf(node);
  const empty: string[] = [];
  for (const op of node.modules.catalogue.operations.filter(({ pages, params }) => pages && !params.some(({ required }) => required))) {
    const answer = await restAnswer(computed, op, request({ page: '' }));
    if (/^\{"items":(\[\]|\{\})/.test(answer)) empty.push(op.name);
  }
  assert.ok(
    ['listprices', 'listoracles', 'listvaults', 'listpoolpairs'].every((name) => empty.includes(name)),
    empty.join(),
  );
  const prices = node.modules.catalogue.byName('listprices') as Operation;
  assert.match(await restAnswer(computed, prices, request({})), /start index greater than number of prices available/);
});
