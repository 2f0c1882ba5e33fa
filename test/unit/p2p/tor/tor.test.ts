import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { formatEndpoint, parseEndpoint, parseIp } from '../../../../src/p2p/addresses/ip.js';
import { LocalAddresses } from '../../../../src/p2p/addresses/local-addresses.js';
import { Networks } from '../../../../src/p2p/addresses/networks.js';
import { KeyFiles } from '../../../../src/p2p/tor/key-file.js';
import { OnionService } from '../../../../src/p2p/tor/onion-service.js';
import { parseArguments, quote, TorReplyParser, TorReplyTooLong } from '../../../../src/p2p/tor/reply.js';
import type { Endpoint } from '../../../../src/p2p/wire/net-address.js';
import type { Logger } from '../../../../src/util/logger.js';
import { until } from '../../../until.js';
import { params, startNode } from '../fixture.js';

const V2_ID = 'bitcoinostk4e4re';
const V3_ID = `${'a'.repeat(55)}d`;
const V2_KEY = 'RSA1024:MIICXAIBAAKBgQ+/=';
const V3_KEY = 'ED25519-V3:aBcD+/==';
const COOKIE = Buffer.alloc(32, 7);
const LOOPBACK = parseIp('127.0.0.1') as Uint8Array;

const directory = mkdtempSync(join(tmpdir(), 'dfi-tor-'));
const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing) await close();
  rmSync(directory, { recursive: true, force: true });
});
let folders = 0;
const newFolder = () => mkdtempSync(join(directory, `${folders++}-`));

test('replies: several lines, data, notifications, pieces', () => {
  const parse = (...chunks: readonly string[]) => {
    const parser = new TorReplyParser();
    return chunks.flatMap((chunk) => [...parser.push(Buffer.from(chunk))]);
  };
  assert.deepEqual(parse('250 OK\r\n'), [{ code: 250, lines: ['OK'] }]);
  assert.deepEqual(parse('250-a=1\r\n25', '0-b=2\r', '\n250 OK\r\n513 no\r\n'), [
    { code: 250, lines: ['a=1', 'b=2', 'OK'] },
    { code: 513, lines: ['no'] },
  ]);
  assert.deepEqual(parse('250+x=\r\n250 not the end\r\n.\r\n250 OK\r\n'), [{ code: 250, lines: ['x=', 'OK'] }]);
  assert.deepEqual(parse('650 CIRC 1\r\nnonsense\r\n\r\n250 OK\r\n'), [{ code: 250, lines: ['OK'] }]);
});

test('replies are bounded: an endless line, a long line, endless lines', () => {
  const feed = (chunk: string, times: number) => {
    const parser = new TorReplyParser();
    for (let i = 0; i < times; i++) parser.push(Buffer.from(chunk));
  };
  feed('x', 16_384);
  assert.throws(() => feed('x'.repeat(1000), 17), TorReplyTooLong);
  assert.throws(() => feed(`250 ${'x'.repeat(16_384)}\r\n`, 1), TorReplyTooLong);
  assert.throws(() => feed(`250-${'x'.repeat(1000)}\r\n`, 66), TorReplyTooLong);
  assert.throws(() => feed(`250+x\r\n${'y'.repeat(1000)}\r\n`, 66), TorReplyTooLong);
  feed('250 OK\r\n', 20_000);
});

test('property: TorReplyTooLong is the only error for arbitrary bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (chunks) => {
      const parser = new TorReplyParser();
      for (const chunk of chunks) for (const { lines } of parser.push(chunk)) for (const line of lines) parseArguments(line);
    }),
  );
});

test('arguments of replies', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    [
      'METHODS=COOKIE,SAFECOOKIE COOKIEFILE="/home/x/.tor/control_auth_cookie"',
      { METHODS: 'COOKIE,SAFECOOKIE', COOKIEFILE: '/home/x/.tor/control_auth_cookie' },
    ],
    ['Tor="0.4.8" more words=1', { Tor: '0.4.8' }],
    ['Foo=Bar=Baz Spam=Eggs', { Foo: 'Bar=Baz', Spam: 'Eggs' }],
    ['Foo=', { Foo: '' }],
    ['a="\\"\\\\\\n\\t\\r" b="\\101\\7x\\400"', { a: '"\\\n\t\r', b: 'A\x07x 0' }],
    ['A="no end', {}],
    ['A="no end\\"', {}],
    ['word', {}],
    ['', {}],
  ];
  for (const [text, expected] of cases) assert.deepEqual(Object.fromEntries(parseArguments(text)), expected, text);
  assert.equal(quote('a "quoted\\ pass'), '"a \\"quoted\\\\ pass"');
});

interface Control {
  readonly endpoint: Endpoint;
  readonly commands: string[];
  readonly sockets: Set<Socket>;
  readonly server: Server;
}

/** A control port that answers commands; those that a test does not override succeed. */
async function startControl(answer: (command: string, socket: Socket) => string | undefined): Promise<Control> {
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      const lines = (pending + bytes.toString()).split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) {
        commands.push(line);
        const reply = answer(line, socket) ?? usual(line);
        if (reply !== '') socket.write(reply);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { endpoint: { ip: LOOPBACK, port }, commands, sockets, server };
}

function usual(command: string): string {
  if (command.startsWith('PROTOCOLINFO')) return '250-PROTOCOLINFO 1\r\n250-AUTH METHODS=NULL\r\n250-VERSION Tor="0.4.8.1"\r\n250 OK\r\n';
  if (command.startsWith('GETINFO')) return '250-net/listeners/socks="unix:/run/tor" "10.0.0.1:9999" "127.0.0.1:9150"\r\n250 OK\r\n';
  if (command.startsWith('ADD_ONION NEW:RSA1024')) return `250-ServiceID=${V2_ID}\r\n250-PrivateKey=${V2_KEY}\r\n250 OK\r\n`;
  if (command.startsWith('ADD_ONION RSA1024:')) return `250-ServiceID=${V2_ID}\r\n250 OK\r\n`;
  if (command.startsWith('ADD_ONION NEW:ED25519-V3')) return `250-ServiceID=${V3_ID}\r\n250-PrivateKey=${V3_KEY}\r\n250 OK\r\n`;
  if (command.startsWith('ADD_ONION ED25519-V3:')) return `250-ServiceID=${V3_ID}\r\n250 OK\r\n`;
  return '250 OK\r\n';
}

/** Answers of a Tor daemon without v2 services. */
const withoutV2 = (command: string) => (/^ADD_ONION (NEW:)?RSA1024/.test(command) ? '513 Invalid key type\r\n' : undefined);

interface Run {
  readonly local: LocalAddresses;
  readonly networks: Networks;
  readonly warnings: string[];
  readonly logged: string[];
  readonly keys: string;
  readonly service: OnionService;
}

function serve(
  control: Endpoint,
  { password = '', keys = newFolder(), listenIp }: { password?: string; keys?: string; listenIp?: Uint8Array } = {},
): Run {
  const warnings: string[] = [];
  const logged: string[] = [];
  const note = (msg: string, fields?: object) => void logged.push(`${msg} ${JSON.stringify(fields ?? {})}`);
  const log: Logger = {
    debug: note,
    info: note,
    warn: (msg, fields) => {
      note(msg, fields);
      warnings.push(String((fields as { reason?: string }).reason));
    },
    error: note,
    child: () => log,
  };
  const networks = new Networks({ proxy: undefined, onionProxy: undefined, onlyNets: [] });
  const local = new LocalAddresses((ip) => networks.isReachable(ip));
  const config = { control, password, port: 8555, listenPort: 18_555, listenIp };
  const service = new OnionService(config, { keys: new KeyFiles(keys), local, networks, log, firstPauseMs: 5 });
  service.start();
  closing.push(() => service.stop());
  return { local, networks, warnings, logged, keys, service };
}

const addressOf = ({ local }: Run) => local.shown()[0]?.address;

test('a v2 service: advertised to peers, its key stored for the owner only and reused', async () => {
  const control = await startControl(() => undefined);
  const run = serve(control.endpoint);
  await until(() => addressOf(run) === `${V2_ID}.onion`, 'service');
  assert.deepEqual(control.commands, [
    'PROTOCOLINFO 1',
    'AUTHENTICATE',
    'GETINFO net/listeners/socks',
    'ADD_ONION NEW:RSA1024 Port=8555,127.0.0.1:18555',
  ]);
  assert.deepEqual(run.local.list().map(formatEndpoint), [`${V2_ID}.onion:8555`]);
  assert.equal(formatEndpoint(run.networks.proxyOf('onion')?.endpoint ?? control.endpoint), '127.0.0.1:9150');
  const file = join(run.keys, 'onion_private_key');
  assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], [V2_KEY, 0o600]);
  await run.service.stop();
  assert.deepEqual(run.local.shown(), []);
  await until(() => control.sockets.size === 0, 'end of the connection, and with it of the service');
  control.commands.length = 0;
  const again = serve(control.endpoint, { keys: run.keys, listenIp: parseIp('10.0.0.5') as Uint8Array });
  await until(() => addressOf(again) !== undefined, 'service');
  assert.equal(control.commands.at(-1), `ADD_ONION ${V2_KEY} Port=8555,10.0.0.5:18555`);
  assert.deepEqual(
    [...run.logged, ...again.logged].filter((line) => line.includes('MIIC')),
    [],
    'keys are not logged',
  );
});

test('a v3 service if Tor does not support v2: shown but not advertised, its key stored in a separate file', async () => {
  const control = await startControl(withoutV2);
  const run = serve(control.endpoint);
  await until(() => addressOf(run) === `${V3_ID}.onion`, 'service');
  assert.deepEqual(run.local.list(), [], 'its name does not fit into messages to peers');
  const file = join(run.keys, 'onion_v3_private_key');
  assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], [V3_KEY, 0o600]);
  assert.equal(existsSync(join(run.keys, 'onion_private_key')), false);
  await run.service.stop();
  control.commands.length = 0;
  const again = serve(control.endpoint, { keys: run.keys });
  await until(() => addressOf(again) !== undefined, 'service');
  assert.deepEqual(control.commands.slice(3), [`ADD_ONION ${V3_KEY} Port=8555,127.0.0.1:18555`], 'no second kind beside it');
});

test('an invalid key file is neither replaced nor ignored', async () => {
  const control = await startControl(() => undefined);
  const keys = newFolder();
  const file = join(keys, 'onion_private_key');
  writeFileSync(file, 'RSA1024:abc\r\nSIGNAL HALT');
  const run = serve(control.endpoint, { keys });
  await until(() => run.warnings.length === 1, 'warning');
  assert.deepEqual(run.warnings, [`${file} contains no RSA1024 key of a Tor service`]);
  await run.service.stop();
  assert.equal(readFileSync(file, 'utf8'), 'RSA1024:abc\r\nSIGNAL HALT');
  assert.ok(!control.commands.some((command) => command.startsWith('ADD_ONION') || command.startsWith('SIGNAL')));
});

test('a key that cannot be stored is reported, and used while the node runs', async () => {
  const control = await startControl(() => undefined);
  const run = serve(control.endpoint, { keys: join(directory, 'nonexistent') });
  await until(() => addressOf(run) !== undefined, 'service');
  assert.ok(run.logged.some((line) => line.startsWith('failed to store the key of the Tor service')));
  for (const socket of control.sockets) socket.destroy();
  await until(() => control.commands.filter((command) => command.startsWith('ADD_ONION')).length === 2, 'service again');
  assert.equal(control.commands.at(-1), `ADD_ONION ${V2_KEY} Port=8555,127.0.0.1:18555`);
});

test('authentication by password', async () => {
  const withPassword = (command: string) =>
    command.startsWith('PROTOCOLINFO')
      ? '250-AUTH METHODS=HASHEDPASSWORD\r\n250 OK\r\n'
      : command.startsWith('AUTHENTICATE') && !command.includes('right')
        ? '515 no\r\n'
        : undefined;
  const control = await startControl(withPassword);
  const right = serve(control.endpoint, { password: 'the "right" one' });
  await until(() => addressOf(right) !== undefined, 'service');
  assert.equal(control.commands[1], 'AUTHENTICATE "the \\"right\\" one"');
  const wrong = serve(control.endpoint, { password: 'hunter2' });
  const none = serve(control.endpoint);
  await until(() => wrong.warnings.length > 0 && none.warnings.length > 0, 'warnings');
  assert.deepEqual(
    [wrong.warnings, none.warnings],
    [['Tor refuses the authentication'], ['Tor wants a password, but -torpassword is not given']],
  );
  assert.ok(![...wrong.logged, ...right.logged].some((line) => line.includes('hunter2') || line.includes('right')));
  const open = await startControl(() => undefined);
  const unused = serve(open.endpoint, { password: 'hunter2' });
  await until(() => unused.warnings.length > 0, 'warning');
  assert.equal(unused.warnings[0], '-torpassword is given, but Tor does not offer HASHEDPASSWORD authentication');
  assert.ok(!open.commands.some((command) => command.includes('hunter2')), 'a password is not sent to who does not ask for it');
});

/** A control port that offers SAFECOOKIE authentication with a cookie file. */
function safeCookie(file: string, cookie: Uint8Array, serverNonce = Buffer.alloc(32, 9)) {
  let proof = '';
  return (command: string): string | undefined => {
    if (command.startsWith('PROTOCOLINFO')) return `250-AUTH METHODS=COOKIE,SAFECOOKIE COOKIEFILE="${file}"\r\n250 OK\r\n`;
    if (command.startsWith('AUTHCHALLENGE SAFECOOKIE ')) {
      const clientNonce = Buffer.from(command.split(' ')[2] ?? '', 'hex');
      const hash = (key: string) => createHmac('sha256', key).update(cookie).update(clientNonce).update(serverNonce).digest('hex');
      proof = hash('Tor safe cookie authentication controller-to-server hash');
      const serverHash = hash('Tor safe cookie authentication server-to-controller hash').toUpperCase();
      return `250 AUTHCHALLENGE SERVERHASH=${serverHash} SERVERNONCE=${serverNonce.toString('hex')}\r\n`;
    }
    if (command.startsWith('AUTHENTICATE')) return command === `AUTHENTICATE ${proof}` ? '250 OK\r\n' : '515 no\r\n';
    return undefined;
  };
}

test('authentication by cookie: both sides prove that they know it', async () => {
  const file = join(newFolder(), 'cookie');
  writeFileSync(file, COOKIE);
  const good = await startControl(safeCookie(file, COOKIE));
  const run = serve(good.endpoint);
  await until(() => addressOf(run) !== undefined, 'service');
  assert.ok(!good.commands.some((command) => command.includes(COOKIE.toString('hex'))), 'the cookie itself is not sent');
  const refusal = async (answer: (command: string) => string | undefined) => {
    const control = await startControl(answer);
    const { warnings } = serve(control.endpoint);
    await until(() => warnings.length > 0, 'warning');
    assert.ok(!control.commands.some((command) => command.startsWith('AUTHENTICATE')));
    return warnings[0];
  };
  assert.equal(await refusal(safeCookie(file, Buffer.alloc(32))), 'the Tor control port does not know the cookie');
  assert.equal(await refusal(safeCookie(file, COOKIE, Buffer.alloc(31))), 'nonce of the Tor control port is not 32 bytes');
  assert.match((await refusal(safeCookie('/nonexistent', COOKIE))) ?? '', /could not be read \(check permissions\)/);
  const long = join(newFolder(), 'cookie');
  writeFileSync(long, Buffer.alloc(33));
  assert.equal(await refusal(safeCookie(long, COOKIE)), `Tor authentication file ${long} is not exactly 32 bytes`);
  const other = (command: string) => (command.startsWith('PROTOCOLINFO') ? '250-AUTH METHODS=COOKIE\r\n250 OK\r\n' : undefined);
  assert.equal(await refusal(other), 'Tor offers no authentication method that is supported');
});

function hangUp(_: string, socket: Socket): string {
  socket.destroy();
  return '';
}

test('a control port that floods, sends wrong answers or closes affects only its connection, and is retried', async () => {
  const cases: readonly { answer: (command: string, socket: Socket) => string | undefined; warning: string }[] = [
    { answer: () => 'x'.repeat(20_000), warning: 'Tor control reply is too long' },
    { answer: hangUp, warning: 'Tor control connection ended' },
    { answer: () => '510 Unrecognized command\r\n', warning: 'Tor refuses PROTOCOLINFO: 510' },
    {
      answer: (c) => (c.startsWith('ADD_ONION') ? '510 Unrecognized command\r\n' : undefined),
      warning: 'Tor refuses ADD_ONION: 510 (Tor is too old)',
    },
    { answer: (c) => (c.startsWith('ADD_ONION') ? '550 collision\r\n' : undefined), warning: 'Tor refuses ADD_ONION: 550' },
    {
      answer: (c) => (c.startsWith('ADD_ONION') ? '250 OK\r\n' : undefined),
      warning: 'the answer of Tor to ADD_ONION has no name or no key',
    },
    {
      answer: (c) => (c.startsWith('ADD_ONION') ? `250-ServiceID=../../x\r\n250-PrivateKey=${V2_KEY}\r\n250 OK\r\n` : undefined),
      warning: 'the answer of Tor to ADD_ONION has no name or no key',
    },
  ];
  for (const { answer, warning } of cases) {
    const control = await startControl(answer);
    const run = serve(control.endpoint);
    await until(() => control.commands.filter((command) => command.startsWith('PROTOCOLINFO')).length >= 2, 'second attempt');
    assert.deepEqual(run.warnings, [warning], 'once, although it was tried again');
    assert.deepEqual(run.local.shown(), []);
    await run.service.stop();
  }
});

test('the service ends with the Tor daemon, and is added again when the daemon returns', async () => {
  const control = await startControl(() => undefined);
  const run = serve(control.endpoint);
  await until(() => addressOf(run) !== undefined, 'service');
  for (const socket of control.sockets) socket.destroy();
  await until(() => addressOf(run) === undefined, 'service gone');
  await until(() => addressOf(run) !== undefined, 'service again');
  assert.equal(control.commands.at(-1), `ADD_ONION ${V2_KEY} Port=8555,127.0.0.1:18555`);
});

test('a node with -listenonion: the service forwards to its port and ends with it', async () => {
  const control = await startControl(withoutV2);
  const node = await startNode({ onionService: { control: control.endpoint, password: '' }, directory: newFolder() });
  await until(() => node.peers.local.shown().length === 1, 'service');
  assert.equal(control.commands.at(-1), `ADD_ONION NEW:ED25519-V3 Port=${params.p2pPort},127.0.0.1:${node.port}`);
  assert.equal(node.peers.networks.reaches('onion'), true);
  await node.peers.stop();
  await until(() => control.sockets.size === 0, 'end of the connection');
  const nobody = parseEndpoint('127.0.0.1:1', 0) as Endpoint;
  const alone = await startNode({ onionService: { control: nobody, password: '' } });
  await alone.peers.stop();
});
