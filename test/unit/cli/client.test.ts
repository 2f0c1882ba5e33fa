import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Outcome, runClient } from '../../../src/cli/client.js';
import { splitHostPort } from '../../../src/cli/connection.js';
import { loadCatalogue } from '../../../src/rpc/catalogue.js';

const image = join(import.meta.dirname, '../../../gen/image.binpb');
const dir = mkdtempSync(join(tmpdir(), 'dfi-cli-'));
const requests: { url: string | undefined; auth: string; body: string }[] = [];
let lastHeaders: IncomingHttpHeaders = {};
let answers: { status: number; body: string }[] = [];
const printed: string[] = [];
let port = 0;

/** A server with prepared replies, which records the requests. */
const server = createServer((request: IncomingMessage, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const auth = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString();
    lastHeaders = request.headers;
    requests.push({ url: request.url, auth, body: Buffer.concat(chunks).toString() });
    const { status, body } = answers.shift() ?? { status: 200, body: '{"result":null,"error":null,"id":1}\n' };
    response.writeHead(status).end(body);
  });
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  mkdirSync(join(dir, 'regtest'));
  writeFileSync(join(dir, 'regtest', '.cookie'), '__cookie__:abc');
});
after(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

function run(
  args: readonly string[],
  input = '',
  flags: readonly string[] = [`-datadir=${dir}`, '-regtest', `-rpcport=${port}`],
): Promise<Outcome> {
  requests.length = 0;
  const deps = {
    version: '1.2.3',
    catalogue: () => loadCatalogue(readFileSync(image)),
    readInput: () => input,
    print: (text: string) => void printed.push(text),
  };
  return runClient({ argv: [...flags, ...args], env: {} }, deps);
}

function reply(result: string, error = 'null', status = 200): void {
  answers = [{ status, body: `{"result":${result},"error":${error},"id":1}\n` }];
}

test('results: text without quotes, numbers as sent, objects indented, null as empty text', async () => {
  const cases: [string, string][] = [
    ['"abc"', 'abc\n'],
    ['0.10000000', '0.10000000\n'],
    ['true', 'true\n'],
    ['null', ''],
    ['[]', '[\n]\n'],
    ['{"a":[1,{"b":{}}],"c":"\\n"}', '{\n  "a": [\n    1,\n    {\n      "b": {\n      }\n    }\n  ],\n  "c": "\\n"\n}\n'],
  ];
  for (const [result, stdout] of cases) {
    reply(result);
    assert.deepEqual(await run(['getblockcount']), { stdout, stderr: '', exitCode: 0 });
  }
});

test('the request: cookie, path and envelope', async () => {
  await run(['getblock', 'ab', '1']);
  assert.deepEqual(requests, [{ url: '/', auth: '__cookie__:abc', body: '{"method":"getblock","params":["ab",1],"id":1}\n' }]);
  await run(['-rpcuser=me', '-rpcpassword=pw', '-rpcwallet=a b/c', '-named', 'getblockhash', 'height=1']);
  assert.deepEqual(requests, [
    { url: '/wallet/a%20b%2Fc', auth: 'me:pw', body: '{"method":"getblockhash","params":{"height":1},"id":1}\n' },
  ]);
});

test('settings of the call are sent as headers; the node decides about those that are not set', async () => {
  const sent = () => Object.entries(lastHeaders).filter(([name]) => name.startsWith('x-'));
  await run(['getblockcount']);
  assert.deepEqual(sent(), []);
  await run(['-walletfastselect', '-nowalletcoinopteagerselect', 'getblockcount']);
  assert.deepEqual(sent(), [
    ['x-walletfastselect', '1'],
    ['x-walletcoinopteagerselect', '0'],
  ]);
});

test('an error of the node: text on standard error, its code as exit code', async () => {
  reply('null', '{"code":-8,"message":"Block height out of range"}', 500);
  const stderr = 'error code: -8\nerror message:\nBlock height out of range\n';
  assert.deepEqual(await run(['getblockhash', '9']), { stdout: '', stderr, exitCode: 8 });
});

test('a missing wallet name', async () => {
  reply('null', '{"code":-19,"message":"Wallet file not specified"}', 500);
  const { stderr, exitCode } = await run(['getbalance']);
  assert.equal(
    stderr,
    'error code: -19\nerror message:\nWallet file not specified\nTry adding "-rpcwallet=<filename>" option to defi-cli command line.\n',
  );
  assert.equal(exitCode, 19);
});

test('answers that are not a reply', async () => {
  const cases: [number, string, string][] = [
    [401, '', 'Authorization failed: Incorrect rpcuser or rpcpassword'],
    [403, '', 'server returned HTTP error 403'],
    [503, '', 'server returned HTTP error 503'],
    [200, '', 'no response from server'],
    [200, 'hello', "couldn't parse reply from server"],
    [200, '[]', 'expected reply to have result, error and id properties'],
  ];
  for (const [status, body, text] of cases) {
    answers = [{ status, body }];
    assert.deepEqual(await run(['getblockcount']), { stdout: '', stderr: `error: ${text}\n`, exitCode: 1 });
  }
});

test('no credentials at all', async () => {
  answers = [{ status: 401, body: '' }];
  const { stderr } = await run(['-rpccookiefile=/nonexistent', 'getblockcount']);
  assert.equal(
    stderr,
    'error: Could not locate RPC credentials. No authentication cookie could be found, and RPC password is not set.  ' +
      `See -rpcpassword and -stdinrpcpass.  Configuration file: (${join(dir, 'defi.conf')})\n`,
  );
});

test('connection refused', async () => {
  const free = createTcpServer();
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
  const closed = (free.address() as AddressInfo).port;
  await new Promise((resolve) => free.close(resolve));
  const { stderr, exitCode } = await run(['getblockcount'], '', [`-datadir=${dir}`, `-rpcport=${closed}`]);
  assert.equal(
    stderr,
    `error: Could not connect to the server 127.0.0.1:${closed}\n\n` +
      'Make sure the defid server is running and that you are connecting to the correct RPC port.\n',
  );
  assert.equal(exitCode, 1);
});

test('a port that does not exist is one that nothing listens on', async () => {
  const { stderr, exitCode } = await run(['getblockcount'], '', [`-datadir=${dir}`, '-rpcport=70000']);
  assert.equal(
    stderr,
    'error: Could not connect to the server 127.0.0.1:70000\n\n' +
      'Make sure the defid server is running and that you are connecting to the correct RPC port.\n',
  );
  assert.equal(exitCode, 1);
});

test('-rpcwait retries during warm-up', async () => {
  const warm = '{"result":null,"error":{"code":-28,"message":"Loading block index..."},"id":1}';
  answers = [
    { status: 500, body: warm },
    { status: 200, body: '{"result":7,"error":null,"id":1}' },
  ];
  assert.deepEqual(await run(['-rpcwait', 'getblockcount']), { stdout: '7\n', stderr: '', exitCode: 0 });
});

test('-stdin and -stdinrpcpass', async () => {
  await run(['-rpcuser=me', '-stdin', '-stdinrpcpass', 'echo'], 'secret\nfoo\n\nbar\n');
  assert.deepEqual(requests, [{ url: '/', auth: 'me:secret', body: '{"method":"echo","params":["foo","","bar"],"id":1}\n' }]);
  const { stderr } = await run(['-stdinrpcpass', 'echo'], '');
  assert.equal(stderr, 'error: -stdinrpcpass specified but failed to read from standard input\n');
});

test('-getinfo sends a batch of three calls', async () => {
  const network =
    '{"version":4,"protocolversion":70,"timeoffset":0,"connections":2,"networks":[{"proxy":"p"}],"relayfee":0.00001000,"warnings":""}';
  const chain = '{"blocks":9,"difficulty":1e-9,"chain":"regtest"}';
  const missing = '{"code":-32601,"message":"Method not found"}';
  const body = `[{"result":${network},"error":null,"id":0},{"result":${chain},"error":null,"id":1},{"result":null,"error":${missing},"id":2}]`;
  answers = [{ status: 200, body }];
  const { stdout } = await run(['-getinfo']);
  assert.equal(
    stdout,
    '{\n  "version": 4,\n  "protocolversion": 70,\n  "blocks": 9,\n  "timeoffset": 0,\n  "connections": 2,\n  "proxy": "p",\n' +
      '  "difficulty": 1e-9,\n  "chain": "regtest",\n  "relayfee": 0.00001000,\n  "warnings": ""\n}\n',
  );
  assert.equal((await run(['-getinfo', 'x'])).stderr, 'error: -getinfo takes no arguments\n');
});

test('errors before any call', async () => {
  const faults: [string[], string][] = [
    [['-nonsense'], 'Error parsing command line arguments: Invalid parameter -nonsense\n'],
    [['-datadir=/nonexistent'], 'Error: Specified data directory "/nonexistent" does not exist.\n'],
    [['-regtest', '-testnet', `-datadir=${dir}`], 'Error: Invalid combination of -regtest and -testnet.\n'],
    [[`-datadir=${dir}`], 'error: too few parameters (need at least command)\n'],
  ];
  for (const [flags, stderr] of faults) assert.deepEqual(await run([], '', flags), { stdout: '', stderr, exitCode: 1 });
  const empty = await run([], '', []);
  assert.deepEqual([empty.stderr, empty.exitCode], ['Error: too few parameters\n', 1]);
  assert.deepEqual(await run([], '', ['-version']), { stdout: 'DeFi Blockchain RPC client version v1.2.3\n', stderr: '', exitCode: 0 });
  assert.match((await run([], '', ['-help'])).stdout, /Usage: {2}dfi-cli[\s\S]*-rpcclienttimeout=<n>/);
});

test('hosts with and without port', () => {
  assert.deepEqual(['a', 'a:1', '[::1]:2', '::1'].map(splitHostPort), [
    { host: 'a', port: undefined },
    { host: 'a', port: 1 },
    { host: '::1', port: 2 },
    { host: '::1', port: undefined },
  ]);
});

test('watch prints each event as a line, and continues at the cursor until the node refuses it', async () => {
  const page = (events: string, cursor: string) => ({
    status: 200,
    body: `{"result":{"events":[${events}],"cursor":"${cursor}"},"error":null,"id":1}\n`,
  });
  const refused = { status: 500, body: '{"result":null,"error":{"code":-8,"message":"too old"},"id":1}\n' };
  answers = [page('', 'a'), page('{"n":1},{"n":2}', 'b'), page('{"n":3}', 'c'), refused];
  printed.length = 0;
  const { stderr, exitCode } = await run(['watch', 'block,price']);
  assert.deepEqual(printed, ['{"n":1}\n', '{"n":2}\n', '{"n":3}\n']);
  assert.deepEqual([stderr, exitCode], ['error: too old\n', 1]);
  const cursors = requests.map(({ body }) => (JSON.parse(body) as { params: readonly unknown[] }).params);
  assert.deepEqual(
    cursors,
    ['', 'a', 'b', 'c'].map((cursor) => [cursor, 100, 25_000, 'block,price']),
  );
});

test('watch continues when the node is started again', async () => {
  const failure = (code: number, status = 500) => ({ status, body: `{"result":null,"error":{"code":${code},"message":"x"},"id":1}\n` });
  answers = [failure(-9), failure(-28), { status: 503, body: '' }, failure(-8)];
  assert.deepEqual(await run(['watch', '', 'c']), { stdout: '', stderr: 'error: x\n', exitCode: 1 });
  assert.equal(requests.length, 4);
});
