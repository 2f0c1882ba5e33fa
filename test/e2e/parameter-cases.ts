import { EVM, OTHER } from './defid-pair.js';

/** A method, and JSON texts of parameters that it accepts, by the names that `defid` gives them. */
interface Sample {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
}

const HASH = `"0x${'ab'.repeat(32)}"`;
const ADDRESS = `"${OTHER}"`;
const CALL = `{"from":"${EVM}","to":"${OTHER}","value":"0x1"}`;
const OVERRIDES = `{"${OTHER}":{"balance":"0x5"}}`;
const TRACE = '{"tracer":"callTracer"}';

const SAMPLES: readonly Sample[] = [
  { method: 'eth_call', params: { input: CALL, block_number: '"latest"', state_overrides: OVERRIDES } },
  { method: 'eth_estimateGas', params: { input: CALL, block_number: '"latest"', state_overrides: OVERRIDES } },
  { method: 'eth_createAccessList', params: { call: CALL, block_number: '"latest"' } },
  { method: 'eth_getBlockByNumber', params: { block_number: '"0x0"', full_transactions: 'false' } },
  { method: 'eth_getBlockByHash', params: { hash: HASH, full_transactions: 'false' } },
  { method: 'eth_getBlockTransactionCountByHash', params: { hash: HASH } },
  { method: 'eth_getBlockTransactionCountByNumber', params: { number: '"0x0"' } },
  { method: 'eth_submitWork', params: { nonce: '"a"', hash: '"b"', digest: '"c"' } },
  { method: 'eth_submitHashrate', params: { hashrate: '"a"', id: '"b"' } },
  { method: 'eth_getTransactionByHash', params: { hash: HASH } },
  { method: 'eth_getTransactionByBlockHashAndIndex', params: { hash: HASH, index: '"0x0"' } },
  { method: 'eth_getTransactionByBlockNumberAndIndex', params: { block_number: '"0x1"', index: '"0x0"' } },
  { method: 'eth_getTransactionReceipt', params: { hash: HASH } },
  { method: 'eth_getBalance', params: { address: ADDRESS, block_number: '"latest"' } },
  { method: 'eth_getCode', params: { address: ADDRESS, block_number: '"latest"' } },
  { method: 'eth_getStorageAt', params: { address: ADDRESS, position: '"0x0"', block_number: '"latest"' } },
  { method: 'eth_getTransactionCount', params: { address: ADDRESS, block_number: '"latest"' } },
  { method: 'eth_signTransaction', params: { req: `{"from":"${OTHER}","to":"${OTHER}"}` } },
  { method: 'eth_sendTransaction', params: { req: `{"from":"${OTHER}","to":"${OTHER}"}` } },
  { method: 'eth_sendRawTransaction', params: { tx: '"0x12"' } },
  { method: 'eth_feeHistory', params: { block_count: '"0x2"', newest_block: '"latest"', reward_percentile: '[10,50]' } },
  { method: 'eth_getLogs', params: { input: `{"address":${ADDRESS},"fromBlock":"0x0"}` } },
  { method: 'eth_newFilter', params: { input: `{"address":${ADDRESS},"fromBlock":"0x0"}` } },
  { method: 'eth_getFilterChanges', params: { filter_id: '"0xfff"' } },
  { method: 'eth_uninstallFilter', params: { filter_id: '"0xfff"' } },
  { method: 'eth_getFilterLogs', params: { filter_id: '"0xfff"' } },
  { method: 'web3_sha3', params: { input: '"0x12"' } },
  { method: 'debug_traceTransaction', params: { tx_hash: HASH, trace_params: TRACE } },
  { method: 'debug_traceCall', params: { call: CALL, block_number: '"latest"', trace_params: TRACE, state_overrides: OVERRIDES } },
  { method: 'debug_traceBlockByNumber', params: { block_number: '"0xffff"', trace_params: TRACE } },
  { method: 'debug_traceBlockByHash', params: { hash: HASH, trace_params: TRACE } },
  { method: 'debug_feeEstimate', params: { call: CALL } },
];

const WITHOUT_PARAMETERS = [
  'eth_blockNumber',
  'eth_chainId',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleByBlockNumberAndIndex',
  'net_version',
];

/** Values of every kind, valid for some parameters and not for others. */
const VALUES: readonly string[] = [
  ...['null', 'true', 'false', '0', '5', '-1', '-0', '1.5', '1e3', '1e-7', '100000000000000000000', '1.25e30', '18446744073709551616'],
  ...['-9223372036854775809', '9223372036854775808', '0.000012'],
  ...['""', '"x"', '"0x"', '"0x0"', '"0x5"', '"5"', '"+5"', '"-5"', '"0x+5"', '"latest"', '"Latest"', '"pending"', '"safe"', '"finalized"'],
  ...['"earliest"', '"0x00"', '"0X5"', '"0x 5"', '"0x5 "', '"0x 12"', '"0xz"', '"0x5z"', '"zz"', '"test123"', '"0x12"', '"0x123"'],
  ...[`"0x${'1'.repeat(64)}"`, `"0x${'1'.repeat(65)}"`, `"0x${'1'.repeat(17)}"`, `"${'9'.repeat(20)}"`, `"${'1'.repeat(40)}"`],
  ...[`"0x${'1'.repeat(39)}"`, `"0x${'1'.repeat(39)} "`, `"0x${'1'.repeat(38)}gg"`, `"0x${'1'.repeat(42)}"`, `"${'1'.repeat(63)}"`],
  ...[`"0X${'1'.repeat(40)}"`, `"0X${'1'.repeat(38)}"`, `"0x${'1'.repeat(62)}é"`, `"0x${'A'.repeat(64)}"`, `"${'aB'.repeat(20)}"`],
  ...['"é"', '"0xé"', '"a\\"b\\\\c"', '"\\u0061"', '"a\\nb\\tc\\u0000\\u001f"', '"€ ‎"', '"😀"', '"0x\\u0031\\u0032"'],
  ...['[]', '[ ]', '[1]', '[ 1 ]', '["x"]', '[null]', '[true,false]', '[[]]', '[{}]', '[1,2,3]', '[-1]', '[1.5]', '[101]', '["0x1"]'],
  ...[`[${HASH}]`, `[${ADDRESS}]`, `[${ADDRESS},null]`, `[${ADDRESS}, "0x12"]`],
  ...['{}', '{ }', '{"foo":1}', '{ "foo" : 1 }', '{"foo":1,"bar":2}', '{"blockHash":1}', `{"blockHash":${HASH}}`, '{"blockNumber":"0x0"}'],
  ...[`{"blockHash":${HASH},"requireCanonical":true}`, `{"requireCanonical":true}`, '{"blockNumber":5}', '{"blockNumber":"5"}'],
  ...[
    '{"blockNumber":"0x"}',
    '{"blockNumber":"0xg"}',
    '{ "blockNumber" : "0xg" }',
    '{"blockNumber":"0xg","x":1}',
    '{"blockNumber":"0x1","x":1}',
  ],
  ...['{"blockNumber":"0x1" , "x":1}', `{"blockHash":${HASH},"requireCanonical":1}`, `{"blockHash":"0x1","requireCanonical":true}`],
  ...[`{"x":1,"blockHash":${HASH}}`, `{${ADDRESS}:{}}`, `{${ADDRESS}:5}`, `{${ADDRESS}:{"foo":1}}`, '{"0x12":{}}', '{"0x12" :{}}'],
  ...[' 5', '\\n5', '  "x"', ' {"foo":1}', '{\n "foo": 1}', '\n\n  "x"', '\t[ ]', '"x" ', '5 '],
].map((text) => text.replace(/^\\n/, '\n'));

/** Members of objects, and values for each. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  call: ['from', 'to', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'gas', 'value', 'data', 'input', 'nonce', 'type', 'accessList'],
  logs: ['address', 'blockHash', 'fromBlock', 'toBlock', 'topics'],
  trace: ['disableStorage', 'disableMemory', 'disableStack', 'tracer', 'timeout'],
  override: ['balance', 'nonce', 'code', 'state', 'stateDiff'],
};
const MEMBER_VALUES = VALUES.filter((_, i) => i % 2 === 0).concat(['null', '"0x5"', '"x"', '5', '[]', '{}', 'true', '["0x1"]']);
const LISTS: readonly string[] = [
  '[{}]',
  '[5]',
  '[[]]',
  `[{"address":${ADDRESS}}]`,
  `[{"address":${ADDRESS},"storageKeys":5}]`,
  `[{"address":${ADDRESS},"storageKeys":["0x1"]}]`,
  `[{"address":${ADDRESS},"storageKeys":[${HASH}]}]`,
  `[{"address":${ADDRESS},"storageKeys":[${HASH}],"foo":1}]`,
  `[{"address":${ADDRESS},"address":${ADDRESS}}]`,
  `[{"storageKeys":[]}, {}]`,
  `[[${ADDRESS},[]]]`,
  `[[${ADDRESS}]]`,
  `[[${ADDRESS},[],5]]`,
];
const TOPICS: readonly string[] = [
  `[${HASH}]`,
  `[null,${HASH}]`,
  `[[${HASH}]]`,
  `[[${HASH},null],[]]`,
  `[[],${HASH}]`,
  `[${HASH},[${HASH}]]`,
  `[null,[${HASH}]]`,
  `["0x1"]`,
  `[["0x1"]]`,
  `[[["0x1"]]]`,
  `[${Array.from({ length: 5 }, () => HASH).join()}]`,
];

/** Bodies of calls on the port of subscriptions. Those that succeed are left out, because ids are random. */
export function* subscriptionCases(): Generator<string> {
  const wrong = ['null', 'true', '5', '-1', '1.5', '[]', '[ ]', '{}', '{ }', '"x"', ' "x"', '{"x":5}', '{"newHeads":5}', '{"logs":[]}'];
  for (const kind of [...wrong, '{"logs":null,"x":1}', '{"logs":"x"}']) yield bodyOf('eth_subscribe', `[${kind}]`);
  for (const options of ['5', '{"foo":1}', '{"address":"0x1"}', '{"topics":["0x1"]}', '{"topics":5 }']) {
    yield bodyOf('eth_subscribe', `["logs",${options}]`);
    yield bodyOf('eth_subscribe', `["newHeads" , ${options}]`);
  }
  for (const params of ['[]', '{}', '{"subscription":"x"}', '5', 'null']) yield bodyOf('eth_subscribe', params);
  for (const params of ['[]', '[5]', '["x"]', '["x",5]', 'null', '{}', '"x"']) yield bodyOf('eth_unsubscribe', params);
}

/** Bodies of calls whose parameters are of every kind. */
export function* parameterCases(): Generator<string> {
  for (const method of WITHOUT_PARAMETERS)
    for (const params of ['5', '"x"', 'null', '[5]', '{}', '{"a":1}', '[ ]']) yield bodyOf(method, params);
  for (const sample of SAMPLES) yield* casesOf(sample);
  for (const method of ['eth_call', 'eth_signTransaction', 'debug_traceCall']) yield* objectCases(method, 'call', '"latest"');
  for (const method of ['eth_getLogs', 'eth_newFilter']) yield* objectCases(method, 'logs');
  for (const method of ['debug_traceTransaction', 'debug_traceBlockByHash']) {
    for (const object of objectsWith('trace')) yield bodyOf(method, `[${HASH},${object}]`);
  }
  for (const object of objectsWith('override')) yield bodyOf('eth_call', `[${CALL}, null, {${ADDRESS}: ${object}}]`);
  for (const list of LISTS) yield bodyOf('eth_call', `[{"to":${ADDRESS},"accessList":${list}}]`);
  for (const topics of TOPICS) for (const end of ['', ' ', ',"toBlock":"0x1"']) yield bodyOf('eth_getLogs', `[{"topics":${topics}${end}}]`);
  for (const address of [`[${ADDRESS}]`, '[]', '["0x1"]', '[null]', `[${ADDRESS},5]`, '"0x1"', '5', '{}', 'null', ADDRESS]) {
    for (const end of ['', ' ', ',"toBlock":"0x1"', ' ,"toBlock":"0x1"']) yield bodyOf('eth_getLogs', `[{"address":${address}${end}}]`);
  }
  for (const key of [ADDRESS, '"x"', HASH, '"0x1"']) {
    for (const value of [HASH, '"0x1"', '5', 'null']) {
      yield bodyOf('eth_call', `[${CALL},"latest",{${ADDRESS}:{"stateDiff":{${key}:${value}}}}]`);
      yield bodyOf('eth_call', `[${CALL},"latest",{${ADDRESS}:{"state":{${key} : ${value} } , "balance":"0x1"}}]`);
    }
  }
}

function bodyOf(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
}

function* casesOf({ method, params }: Sample): Generator<string> {
  const names = Object.keys(params);
  const values = Object.values(params);
  yield `{"jsonrpc":"2.0","id":1,"method":"${method}"}`;
  for (const whole of ['null', '[]', '[ ]', '[\n  ]', '{}', '5', '"x"', 'true', '"a\\"b"', ' [ ] ', '{"foo":1}'])
    yield bodyOf(method, whole);
  for (let count = 0; count <= values.length; count++) yield bodyOf(method, `[${values.slice(0, count).join(',')}]`);
  yield bodyOf(method, `[ ${values.join(' ,\n ')} ]`);
  yield bodyOf(method, `[${values.join()},5,"x"]`);
  for (const [i] of values.entries()) {
    for (const value of VALUES) yield bodyOf(method, `[${values.map((each, k) => (k === i ? value : each)).join()}]`);
  }
  yield* namedCases(method, names, values);
}

function* namedCases(method: string, names: readonly string[], values: readonly string[]): Generator<string> {
  const object = (list: readonly (readonly [string, string])[]) =>
    bodyOf(method, `{${list.map(([name, value]) => `"${name}":${value}`).join()}}`);
  const all = names.map((name, i) => [name, values[i] ?? ''] as const);
  const camel = all.map(([name, value]) => [name.replace(/_./g, (letter) => letter.charAt(1).toUpperCase()), value] as const);
  yield object(all);
  yield object(camel);
  yield object([...all].reverse());
  yield object([...all, ['foo', '1']]);
  for (const [i, [name, value]] of all.entries()) {
    yield object(all.filter((_, k) => k !== i));
    yield object([...all, [name, value]]);
    yield object([...all, [camel[i]?.[0] ?? '', value]]);
    for (const wrong of ['null', '5', '"x"', '{"foo":1}', ' [ ]', '1.5'])
      yield object(all.map((each, k) => (k === i ? [name, wrong] : each)));
  }
}

function* objectCases(method: string, kind: string, ...more: readonly string[]): Generator<string> {
  for (const object of objectsWith(kind)) yield bodyOf(method, `[${[object, ...more].join()}]`);
}

function* objectsWith(kind: string): Generator<string> {
  const members = MEMBERS[kind] ?? [];
  yield '[]';
  yield `[${members.map(() => 'null').join()}]`;
  yield `[${members.map(() => 'null').join()} , 5]`;
  for (const [i, name] of members.entries()) {
    yield `[${members
      .slice(0, i)
      .map(() => 'null')
      .join()}]`;
    yield `{"${name}":null,"${name}":null}`;
    yield `{"foo":1,"${name}":null}`;
    yield `{"${name}":null , "foo" : 1}`;
    for (const value of MEMBER_VALUES) yield `{"${name}":${value}}`;
    for (const value of ['"x"', '5', 'true', '[1]', '{"x":1}']) yield ` { "${name}" : ${value} , "${name === 'to' ? 'from' : 'to'}":null }`;
  }
}
