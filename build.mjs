#!/usr/bin/env node
// Bundles the programs into dist/, and compiles the daemon in advance.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const FIRST_START_TIMEOUT_MS = 120_000;

const usual = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
};

// The daemon is one script with its packages, so that it is read and checked once and its compiled code can be kept (src/launch.ts).
const daemon = await build({
  ...usual,
  entryPoints: [{ in: 'src/main.ts', out: 'daemon' }],
  entryNames: '[name]-[hash]',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  // These stay packages: the first because of its binary (that of secp256k1 is found by `createRequire` at run time), the others because
  // they are loaded when they are needed.
  external: ['rocksdb', 'mcl-wasm', 'hash-wasm', 'zeromq'],
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__bundleUrl' },
  banner: {
    js: '(function (require, __filename, __dirname) {\nconst __bundleUrl = require("node:url").pathToFileURL(__filename).href, module = {};',
  },
  footer: { js: '})' },
  minifyWhitespace: true, // the text stays in memory
  logOverride: { 'empty-import-meta': 'silent' },
});
const script = Object.keys(daemon.metafile.outputs).find((file) => file.endsWith('.cjs'));

/** Other programs, and the scripts of worker threads: `*-worker.ts` anywhere in src. Their packages are not bundled. */
const programs = ['cli', 'wallet-tool'];
const workers = readdirSync(join(root, 'src'), { recursive: true }).filter((file) => file.endsWith('-worker.ts'));
const others = await build({
  ...usual,
  entryPoints: [
    { in: 'src/launch.ts', out: 'main' },
    { in: 'src/devnet/dfi-devnet.ts', out: 'devnet' },
    ...programs.map((name) => ({ in: `src/${name}.ts`, out: name })),
    // in the folder of the programs, where `new URL('./<name>.js', import.meta.url)` finds them
    ...workers.map((file) => ({ in: `src/${file}`, out: basename(file, '.ts') })),
  ],
  splitting: true, // keeps dynamic imports in chunks that are loaded on demand
  format: 'esm',
  packages: 'external',
  define: { DAEMON: JSON.stringify(`./${basename(script)}`) },
});

/** The explorer, which runs in browsers. */
const explorer = await build({
  ...usual,
  entryPoints: [
    { in: 'src/explorer/main.ts', out: 'explorer' },
    { in: 'src/explorer/explorer.css', out: 'explorer' },
    { in: 'src/explorer/explorer.html', out: 'explorer' },
  ],
  sourcemap: false,
  loader: { '.html': 'copy' },
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  minify: true,
});

const outputs = [daemon, others, explorer].flatMap(({ metafile }) => Object.keys(metafile.outputs));
const made = new Set(['dfi-devnet.d.ts', ...outputs.map((file) => basename(file))]);
// The one module that other projects import.
const declarations = ['--declaration', '--emitDeclarationOnly', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
execFileSync('npx', ['tsc', '--ignoreConfig', ...declarations, '--types', 'node', '--outDir', 'dist', 'src/devnet/dfi-devnet.ts'], {
  cwd: root,
  stdio: 'inherit',
});
for (const file of readdirSync(dist)) if (!made.has(file)) rmSync(join(dist, file), { recursive: true, force: true });
for (const name of ['main', ...programs]) if (existsSync(join(dist, `${name}.js`))) chmodSync(join(dist, `${name}.js`), 0o755);
const warnings = [daemon, others, explorer].flatMap((each) => each.warnings);
if (warnings.length > 0) process.exitCode = 1;
await writeCode(join(root, `${script}.code`));

/** Starts the daemon once on an empty chain, which writes the code compiled until then when it exits. Without it starts are slower. */
async function writeCode(target) {
  const directory = mkdtempSync(join(tmpdir(), 'dfid-build-'));
  try {
    const [rpc, grpc, metrics] = await freePorts(3);
    const flags = ['-regtest', `-datadir=${directory}`, '-listen=0', '-printtoconsole=0', '-keypool=20', '-txindex', '-blockfilterindex'];
    const ports = [`-rpcport=${rpc}`, `-grpcport=${grpc}`, `-metricsport=${metrics}`, '-rpcuser=build', '-rpcpassword=build'];
    const env = { ...process.env, DFI_WRITE_CODE: target };
    const child = spawn(process.execPath, [join(dist, 'main.js'), ...flags, ...ports], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await untilAnswered(rpc, child);
    child.kill('SIGTERM');
    await ended;
  } catch (error) {
    console.warn(`The daemon was not compiled in advance: ${error.message}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  if (existsSync(target)) chmodSync(target, 0o644); // the daemon restricts its files to its user
}

async function untilAnswered(port, child) {
  const deadline = Date.now() + FIRST_START_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error('it does not answer');
    }
    try {
      const headers = { authorization: `Basic ${Buffer.from('build:build').toString('base64')}` };
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers,
        body: '{"method":"getwalletinfo","params":[]}',
      });
      if (response.ok) return;
    } catch {
      // not listening yet
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
