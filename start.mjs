#!/usr/bin/env node
// `npm start`: a development network (`dfid -dev`), with all ports on loopback. Further arguments are passed to the node: `npm start -- -devmine=5`.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
import { dirname, join, relative, resolve as resolvePath } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const main = join(root, 'dist', 'main.js');
const dataDir = join(root, '.dfi-dev');

/** Number of funded accounts, and their published words. */
const ACCOUNTS = 10;
const WORDS = 'test test test test test test test test test test test junk';
// The first start makes the world, which takes some seconds on an idle machine.
const START_TIMEOUT_MS = 300_000;
const CALL_TIMEOUT_MS = 60_000;

buildIfNeeded();
mkdirSync(dataDir, { recursive: true });
const ownFlags = [
  '-dev',
  `-datadir=${dataDir}`,
  '-vaultindex',
  '-blockfilterindex',
  '-oceanarchive',
  '-oceanarchiveserver',
  '-printtoconsole=0',
];
const flags = [...ownFlags, ...process.argv.slice(2)];
const settings = settingsOf(flags);
const networkDir = join(settings.datadir, 'dev');
const offered = ports();
await requireFree(offered);

const node = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
const ended = new Promise((resolve) => node.once('exit', (code) => resolve(code ?? 1)));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => node.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
ended.then((code) => {
  if (code === 0) console.log('The node has stopped.');
  process.exit(code);
});

try {
  await ready();
  introduce(await lookAround());
} catch (error) {
  console.error(`Error: ${error.message}`);
  node.kill('SIGTERM');
  await ended;
  process.exit(1);
}

/** Builds if a source is newer than the bundle. */
function buildIfNeeded() {
  if (!existsSync(join(root, 'node_modules', 'esbuild'))) {
    console.error('Error: packages are missing: run `npm ci` first');
    process.exit(1);
  }
  const built = existsSync(main) ? statSync(main).mtimeMs : 0;
  const sources = ['src', 'gen'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((file) => join(root, folder, file)),
  );
  const youngest = Math.max(...[...sources, join(root, 'build.mjs')].map((file) => statSync(file).mtimeMs));
  if (youngest > built) execFileSync(process.execPath, [join(root, 'build.mjs')], { stdio: 'inherit' });
}

/** Effective options by name, as `config show` prints them. */
function settingsOf(args) {
  const { status, stdout, stderr } = runNow([main, 'config', 'show', ...args]);
  if (status !== 0) {
    process.stderr.write(stderr);
    process.exit(status);
  }
  return Object.fromEntries([...stdout.matchAll(/^([^=\n]+)=(.*?) {2}\(.*\)$/gm)].map(([, key, value]) => [key, value]));
}

function runNow(args) {
  try {
    return { status: 0, stdout: execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }), stderr: '' };
  } catch ({ status, stdout, stderr }) {
    return { status: status ?? 1, stdout, stderr };
  }
}

/** Ports that the node is going to open, by option. */
function ports() {
  const used = ['rpcport'];
  if (settings.grpc !== '0') used.push('grpcport');
  if (settings.metrics !== '0') used.push('metricsport');
  used.push(...['ethrpcport', 'wsport'].filter((option) => settings[option] !== '-1'));
  if (settings.oceanarchiveserver !== '0' && settings.oceanarchiveport !== '-1') used.push('oceanarchiveport');
  return Object.fromEntries(used.map((option) => [option, portOf(option)]));
}

function portOf(option) {
  const port = Number(settings[option]);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  console.error(`Error: -${option}=${settings[option]}: a number from 1 to 65535 is needed`);
  process.exit(1);
}

/**
 * Ends with an error if other programs have some of the ports: the node would serve IPv6 alone or run without the server, while the
 * examples would call a stranger, with the credentials.
 */
async function requireFree(portByOption) {
  const taken = [];
  for (const [option, port] of Object.entries(portByOption)) {
    const code = await errorOf(port);
    if (code) taken.push(`${port} (${code}, choose another with -${option})`);
  }
  if (taken.length === 0) return;
  console.error(
    `Error: ports of 127.0.0.1 that cannot be used: ${taken.join(', ')}. Does a development network or another node run already?`,
  );
  process.exit(2);
}

/** Code of the error if the port cannot be listened on. */
function errorOf(port) {
  return new Promise((resolve) => {
    const probe = createServer().once('error', ({ code }) => resolve(code));
    probe.listen({ host: '127.0.0.1', port }, () => probe.close(() => resolve(undefined)));
  });
}

/** Waits until the node answers. */
async function ready() {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let announced = false;
  for (;;) {
    try {
      return await call('getblockcount');
    } catch (error) {
      if (error.message.includes('Making the world') && !announced) {
        announced = true;
        console.log('The first start makes the world of the development network...');
      }
      if (node.exitCode !== null) return new Promise(() => {}); // The node has printed the reason; `ended` exits with its code.
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** The world as it is now, for the examples. */
async function lookAround() {
  const accounts = [];
  for (let index = 0; index < ACCOUNTS; index++) {
    const known = await call('getaddressesbylabel', [`account ${index}`]);
    const address = Object.keys(known).find((each) => each.startsWith('bcrt1'));
    const { format } = await call('addressmap', [address, 1]);
    accounts.push({ address, evmAddress: format.erc55 });
  }
  const [oracle] = await call('listoracles');
  const vaults = await call('listvaults', [{ ownerAddress: accounts[0].address }]);
  const [auction] = await call('listauctions');
  const { cursor } = await call('getevents');
  const snapshot = await call('dev_snapshot');
  return { accounts, oracle, vault: vaults[0]?.vaultId, auction, cursor, snapshot, height: await call('getblockcount') };
}

function credentials() {
  if (settings.rpcpassword) return `${settings.rpcuser}:${given('rpcpassword')}`;
  return readFileSync(cookieFile(), 'utf8');
}

/** A password from the command line; `config show` masks it. */
function given(key) {
  const flag = flags.findLast((each) => each.replace(/^--?/, '').startsWith(`${key}=`));
  return flag?.slice(flag.indexOf('=') + 1) ?? '';
}

function cookieFile() {
  return resolvePath(networkDir, settings.rpccookiefile);
}

/** One JSON-RPC call. */
function call(method, params = []) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Basic ${Buffer.from(credentials()).toString('base64')}`, 'content-type': 'application/json' };
    const options = { host: '127.0.0.1', port: settings.rpcport, method: 'POST', headers, timeout: CALL_TIMEOUT_MS };
    const request = http.request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        try {
          const { result, error } = JSON.parse(text);
          if (error) reject(new Error(`${method}: ${error.message}`));
          else resolve(result);
        } catch (error) {
          reject(error);
        }
      });
    });
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error(`${method}: no answer`)));
    request.end(JSON.stringify({ method, params, id: 1 }));
  });
}

function introduce({ accounts, oracle, vault, auction, cursor, snapshot, height }) {
  const { rpcport, ethrpcport, oceanarchiveport } = offered;
  const cookie = shellWord(pathFromHere(cookieFile()));
  const cli = `node ${shellWord(pathFromHere(join(root, 'dist', 'cli.js')))} -dev ${shellWord(`-datadir=${pathFromHere(settings.datadir)}`)} -rpcport=${rpcport}`;
  const login = settings.rpcpassword ? ` -rpcuser=${settings.rpcuser} -rpcpassword=<password>` : '';
  const user = settings.rpcpassword ? `${settings.rpcuser}:<password>` : `$(cat ${cookie})`;
  const rpc = (method, ...params) => `curl -s --user "${user}" -d '${JSON.stringify({ method, params })}' http://127.0.0.1:${rpcport}/`;
  const rest = (path) => `curl -s --user "${user}" 'http://127.0.0.1:${rpcport}/v1/${path}'`;
  const [{ address, evmAddress }] = accounts;
  const examples = [
    [
      'An account, and a swap in a pool',
      [
        rpc('getaccount', address),
        rpc('poolswap', { from: address, tokenFrom: 'DUSD', amountFrom: 100, to: address, tokenTo: 'TSLA' }),
        rest('pools/TSLA-DUSD'),
      ],
    ],
    vault && ['A vault, and a loan on it', [rpc('getvault', vault), rpc('takeloan', { vaultId: vault, to: address, amounts: '1@TSLA' })]],
    auction && [
      'The auction of a liquidated vault, and a bid for it',
      [rest('auctions'), rpc('placeauctionbid', auction.vaultId, 0, address, '10@TSLA')],
    ],
    oracle && [
      'A price report, and its event',
      [
        `${cli}${login} setoracledata ${oracle} $(date +%s) '[{"currency":"USD","tokenAmount":"210@TSLA"}]'`,
        rest('prices/TSLA/USD'),
        rest(`events?kinds=oracle&cursor=${cursor}&timeout=5000`),
      ],
    ],
    [
      'Both sides of a key: DFI moves to its EVM address',
      [
        rpc('transferdomain', [{ src: { address, amount: '1@DFI', domain: 2 }, dst: { address: evmAddress, amount: '1@DFI', domain: 3 } }]),
        ethrpcport &&
          `curl -s -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${evmAddress}","latest"]}' http://127.0.0.1:${ethrpcport}/`,
      ].filter(Boolean),
    ],
    oceanarchiveport && ['What a light wallet asks', [`curl -s http://127.0.0.1:${oceanarchiveport}/v0/regtest/address/${address}/tokens`]],
    ['Everything back as it is now', [rpc('dev_revert', snapshot)]],
    ['Blocks on request', [`${cli}${login} generatetoaddress 1 ${address}`, rest('chain')]],
  ].filter(Boolean);
  console.log(`
A development network is running on 127.0.0.1 with ${height} blocks. Ctrl-C stops it.

  explorer           http://127.0.0.1:${rpcport}/explorer/${settings.rpcpassword ? '' : `#login=${credentials()}`}
  JSON-RPC and REST  port ${rpcport}      gRPC  ${portText('grpcport')}      metrics  ${portText('metricsport')}
  Ethereum JSON-RPC  ${portText('ethrpcport')}      its WebSocket  ${portText('wsport')}
  Ocean              ${oceanarchiveport ? `http://127.0.0.1:${oceanarchiveport}/v0/regtest/` : 'off'}
  credentials        ${settings.rpcpassword ? 'as given' : pathFromHere(cookieFile())}
  log                ${pathFromHere(resolvePath(networkDir, settings.debuglogfile))}
  minting            ${mintingText(settings.devmine)}

Funded accounts, with their keys in the wallet. The words are published: use them for development only.
  ${WORDS}    m/44'/60'/0'/0/i
${accounts.map((each, index) => `  ${index}  ${each.address}  ${each.evmAddress}`).join('\n')}
${examples.map(([title, lines]) => `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`).join('\n')}
`);
}

function portText(option) {
  return offered[option] ? `port ${offered[option]}` : 'off';
}

/** A path as commands in the current directory name it. */
function pathFromHere(path) {
  return relative(process.cwd(), path) || '.';
}

/** A text as one word of a shell, quoted if it needs that. */
function shellWord(text) {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function mintingText(mode) {
  if (mode === 'tx') return 'a block for each transaction (-devmine=tx)';
  return Number(mode) > 0 ? `a block every ${mode} s (-devmine)` : 'on request only (-devmine=off)';
}
