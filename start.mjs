#!/usr/bin/env node
// `npm start`: a funded regtest node for development, with all ports on loopback. Further arguments are passed to the node: `npm start -- -txindex=0`.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const main = join(root, 'dist', 'main.js');
const dataDir = join(root, '.dfi-dev');

// The first masternode of regtest's genesis block. Its keys are published, so anyone can spend these coins.
const ADDRESS = 'mwsZw8nF7pKxWH8eoKL9tPxTpaFkz7QeLU';
const OPERATOR = 'mswsMVsyGMj1FzDMbbxw2QW3KvQAv2FKiy';
const PRIVATE_KEY = 'cRiRQ9cHmy5evDqNDdEV8f6zfbK6epi9Fpz4CRZsmLEmkwy54dWz';
const BLOCKS = 110; // a coinbase matures after 100 blocks
const START_TIMEOUT_MS = 60_000;

buildIfNeeded();
mkdirSync(dataDir, { recursive: true });
const ownFlags = [
  '-regtest',
  `-datadir=${dataDir}`,
  `-masternode_operator=${OPERATOR}`,
  '-txindex',
  '-blockfilterindex',
  '-listenonion=0',
  '-printtoconsole=0',
];
const flags = [...ownFlags, ...process.argv.slice(2)];
const settings = settingsOf(flags);
const networkDir = join(settings.datadir, 'regtest');

const node = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
const ended = new Promise((resolve) => node.once('exit', (code) => resolve(code ?? 1)));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => node.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
ended.then((code) => {
  if (code === 0) console.log('The node has stopped.');
  process.exit(code);
});

try {
  await ready();
  await fund();
  introduce(await call('getblockcount'));
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

/** Waits until the node answers. */
async function ready() {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return await call('getblockcount');
    } catch (error) {
      if (node.exitCode !== null) return new Promise(() => {}); // The node has printed the reason; `ended` exits with its code.
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function fund() {
  if ((await call('getblockcount')) > 0) return;
  process.stdout.write(`Minting ${BLOCKS} blocks...`);
  if (settings.disablewallet !== '1') await call('importprivkey', [PRIVATE_KEY, 'development', false]);
  await call('generatetoaddress', [BLOCKS, ADDRESS]);
  process.stdout.write(' done\n');
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
  return join(networkDir, settings.rpccookiefile);
}

/** One JSON-RPC call. */
function call(method, params = []) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Basic ${Buffer.from(credentials()).toString('base64')}`, 'content-type': 'application/json' };
    const request = http.request({ host: '127.0.0.1', port: settings.rpcport, method: 'POST', headers }, (response) => {
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
    request.end(JSON.stringify({ method, params, id: 1 }));
  });
}

function introduce(height) {
  const { rpcport, grpcport, metricsport } = settings;
  const cookie = relative(process.cwd(), cookieFile());
  const cli = `node dist/cli.js -regtest -datadir=${relative(process.cwd(), settings.datadir)} -rpcport=${rpcport}`;
  const user = settings.rpcpassword ? `${settings.rpcuser}:<password>` : `$(cat ${cookie})`;
  console.log(`
A regtest node is running on 127.0.0.1 with ${height} blocks. Ctrl-C stops it.

  JSON-RPC and REST  port ${rpcport}      gRPC  port ${grpcport}      metrics  port ${metricsport}
  credentials        ${settings.rpcpassword ? 'as given' : cookie}
  log                ${relative(process.cwd(), join(networkDir, settings.debuglogfile))}

Its wallet has the rewards of these blocks, paid to ${ADDRESS}, a genesis masternode
whose key is published (${PRIVATE_KEY}): use it for development only.

Try next:
  ${cli} getbalance
  ${cli} sendtoaddress $(${cli} getnewaddress) 1
  ${cli} generatetoaddress 1 ${ADDRESS}
  curl -s --user "${user}" -d '{"method":"getblockcount","params":[]}' http://127.0.0.1:${rpcport}/
  curl -s --user "${user}" http://127.0.0.1:${rpcport}/v1/chain
  npx buf curl --http2-prior-knowledge --protocol grpc -H "authorization: Basic $(printf %s "${user}" | base64 -w0)" \\
    -d '{}' http://127.0.0.1:${grpcport}/dfi.blockchain.v1.BlockchainService/GetBlockchainInfo
  curl -s http://127.0.0.1:${metricsport}/metrics
`);
}
