import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { filesBelow, projectRoot } from './shared.js';

/** Imports permitted to each part of `src/`: the parts named here, those that these may import in turn, itself, util and metrics. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  util: [],
  metrics: [],
  gen: [],
  crypto: [],
  primitives: ['crypto'],
  script: ['primitives'],
  psbt: ['script'],
  params: ['script'],
  consensus: ['params'],
  storage: ['primitives'],
  evm: ['primitives'],
  dfi: ['consensus', 'storage', 'evm'],
  chain: ['dfi'],
  mempool: ['chain'],
  events: ['chain'],
  zmq: ['chain'],
  indexes: ['chain'],
  snapshot: ['chain'],
  bitcoin: ['params'],
  anchors: ['chain', 'bitcoin'],
  minting: ['mempool'],
  wallet: ['mempool', 'psbt'],
  p2p: ['mempool', 'anchors'],
  devnet: ['mempool', 'minting', 'wallet'],
  ethereum: ['mempool', 'minting', 'wallet', 'devnet'],
  rpc: ['gen', 'params'],
  grpc: ['rpc'],
  services: ['rpc', 'indexes', 'snapshot', 'events', 'zmq', 'ethereum', 'p2p'],
  sinks: ['services'],
  gateway: ['rpc', 'grpc'],
  ocean: ['indexes'],
  config: ['params', 'rpc'],
  cli: ['rpc', 'config'],
  'wallet-tool': ['wallet', 'config'],
  explorer: [],
};

/** Parts of which only types may be imported: a module declares the type of its options, and `config` composes them. */
const TYPE_ARROWS: Readonly<Record<string, readonly string[]>> = {
  config: ['devnet', 'mempool', 'minting', 'p2p', 'wallet', 'gateway', 'grpc', 'sinks', 'zmq'],
};

/** These may import everything; so may `app/`, which builds the node of its parts. */
const ROOTS = new Set(['launch.ts', 'main.ts', 'cli.ts', 'wallet-tool.ts', 'version.ts', 'images.ts']);
const ROOT_FOLDER = 'app';
const EVERYWHERE = ['util', 'metrics'];
/** Programs of their own, of which the node imports nothing. */
const PROGRAMS = ['wallet-tool', 'explorer'];
/** Packages that only one place may touch. */
const SOLE_IMPORTERS: Readonly<Record<string, string>> = { rocksdb: 'storage/rocks', express: 'gateway/', pino: 'util/' };

/**
 * Rooms inside a folder, in order: a room may import those before it. Files of the folder itself are the room `.`. In `dfi` the files
 * `columns.ts` and `*-columns.ts` of all features come before every rule: a feature may read the state of any other. A file
 * `modules.ts`, with the parts of the node that a group of operations needs, is a room of its own.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  dfi: [
    'kernel',
    'attributes',
    'columns',
    'context',
    'anchors',
    'oracles',
    'rewards',
    'accounts',
    'tokens',
    'pools',
    'loans',
    'auctions',
    'futures',
    'governance',
    'splits',
    'restart',
    'evm',
    'vaults',
    'icx',
    'loan-tokens',
    'masternodes',
    'proposals',
    'development',
    'execution',
  ],
  services: [
    'format',
    'rawtransactions',
    'wallet',
    'accounts',
    'blockchain',
    'icx',
    'anchors',
    'bitcoin',
    'vaults',
    'oracles',
    'loans',
    'mining',
    'node',
    'pools',
    'proposals',
    'events',
    'evm',
    'dev',
    'snapshot',
  ],
  'services/accounts': ['evm', 'modules', 'balances', 'history', 'transfers', '.'],
  'services/rawtransactions': ['modules', 'format', 'transactions', 'signing', 'psbt', '.'],
  'services/wallet': ['modules', 'format', 'addresses', 'balances', 'transactions', 'spend', 'keys', 'wallets', '.'],
  'services/blockchain': ['modules', 'blocks', 'chain', 'stats', 'utxos', 'governance', '.'],
  'services/node': ['modules', 'control', 'network', 'masternodes', 'tokens', 'utilities', 'chain', 'evm', '.'],
  wallet: ['store', 'keys', 'txs', '.', 'coins', 'spend', 'custom-tx', 'import-export', 'wallets'],
  ocean: ['index', 'node', 'modules', 'api', 'shapes', 'pools', 'routes'],
  p2p: ['wire', 'addresses', 'dial', 'tor', 'net', 'sync', 'relay', '.'],
};

function reach(part: string, seen = new Set<string>()): Set<string> {
  for (const next of ARROWS[part] ?? []) {
    if (seen.has(next)) continue;
    seen.add(next);
    reach(next, seen);
  }
  return seen;
}

const source = join(projectRoot, 'src');
const files = filesBelow(source, '.ts');

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string);
}

/** Specifiers of `import type { ... } from '...'`. */
function typeImportsOf(path: string): ReadonlySet<string> {
  const text = readFileSync(path, 'utf8');
  return new Set([...text.matchAll(/^import type \{[^}]*\} from '([^']+)'/gm)].map((match) => match[1] as string));
}

/** `primitives` of `src/primitives/hash.ts`, `gen` of anything below gen/; undefined for a package. */
function partOf(importer: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const target = resolve(dirname(importer), specifier);
  const inside = relative(source, target);
  if (inside.startsWith('..')) return relative(projectRoot, target).split('/')[0];
  return inside.split('/')[0];
}

test('every folder of src/ is in the table of arrows', () => {
  const folders = readdirSync(source).filter((name) => statSync(join(source, name)).isDirectory());
  assert.deepEqual(
    folders.filter((name) => !(name in ARROWS) && name !== ROOT_FOLDER),
    [],
  );
});

/** Section of the page about the architecture, from its heading to the next one. */
function pageSection(title: string): string {
  const page = readFileSync(join(projectRoot, 'docs/ARCHITECTURE.md'), 'utf8');
  return page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? assert.fail(`no section ${title}`);
}

test('the diagram of docs/ARCHITECTURE.md permits what the arrows permit', () => {
  const drawn = new Map<string, string[]>();
  for (const [, from = '', to = ''] of pageSection('Layers').matchAll(/^ +([\w-]+) --> ([\w-]+)$/gm)) {
    drawn.set(from, [...(drawn.get(from) ?? []), to]);
  }
  const reachDrawn = (part: string): string[] => (drawn.get(part) ?? []).flatMap((next) => [next, ...reachDrawn(next)]);
  for (const part of Object.keys(ARROWS)) assert.deepEqual([...new Set(reachDrawn(part))].sort(), [...reach(part)].sort(), part);
  const parts = Object.keys(ARROWS).filter((part) => !EVERYWHERE.includes(part) && !PROGRAMS.includes(part));
  assert.deepEqual([...new Set(reachDrawn(ROOT_FOLDER))].sort(), parts.sort(), ROOT_FOLDER);
});

test('the table of docs/ARCHITECTURE.md has every folder of src/', () => {
  const cells = [...pageSection('Layers').matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell);
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name as string));
  const folders = readdirSync(source).filter((name) => statSync(join(source, name)).isDirectory());
  assert.deepEqual(listed.sort(), folders.sort());
});

test('every thread is in the table of processes and threads', () => {
  const section = pageSection('Processes and threads');
  const programs = files.map((path) => relative(projectRoot, path)).filter((path) => path.endsWith('-worker.ts'));
  assert.ok(programs.length > 1);
  for (const program of programs) assert.ok(section.includes(`\`${program}\``), program);
});

test('the arrows have no cycle', () => {
  for (const part of Object.keys(ARROWS)) assert.ok(!reach(part).has(part), `${part} reaches itself`);
});

test('every import follows the arrows', () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const path of files) {
    const name = relative(source, path);
    const part = name.split('/')[0] as string;
    if (ROOTS.has(name) || part === ROOT_FOLDER) continue;
    const allowed = new Set([part, ...EVERYWHERE, ...reach(part)]);
    const typesAllowed = new Set(TYPE_ARROWS[part]);
    const types = typeImportsOf(path);
    for (const specifier of importsOf(path)) {
      const target = partOf(path, specifier);
      if (target === undefined) continue;
      checked += 1;
      const isAllowed = allowed.has(target) || (typesAllowed.has(target) && types.has(specifier));
      if (!isAllowed) wrong.push(`${name} imports ${specifier}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(checked > 100, `only ${checked} imports were found`);
});

/** Room of a file below `folder`; its path is relative to that folder. */
function roomOf(folder: string, path: string): string {
  const parts = path.split('/');
  if (folder === 'dfi' && parts[0] !== 'execution' && /(^|-)columns\.ts$/.test(path.split('/').at(-1) ?? '')) return 'columns';
  if (path === 'modules.ts') return 'modules';
  return parts.length > 1 ? (parts[0] as string) : '.';
}

for (const [folder, rooms] of Object.entries(ROOMS)) {
  test(`inside ${folder}, every import follows the order of rooms`, () => {
    const root = join(source, folder);
    const wrong: string[] = [];
    let checked = 0;
    for (const path of files.filter((each) => each.startsWith(`${root}/`))) {
      const room = roomOf(folder, relative(root, path));
      assert.ok(rooms.includes(room), `${room} is not in the table`);
      for (const specifier of importsOf(path)) {
        const target = specifier.startsWith('.') ? resolve(dirname(path), specifier).replace(/\.js$/, '.ts') : '';
        if (!target.startsWith(`${root}/`)) continue;
        checked += 1;
        if (rooms.indexOf(roomOf(folder, relative(root, target))) > rooms.indexOf(room))
          wrong.push(`${relative(source, path)} imports ${specifier}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(checked > 10, `only ${checked} imports were found`);
  });
}

test('a package with one importer has no other', () => {
  const wrong: string[] = [];
  for (const path of files) {
    const name = relative(source, path);
    for (const specifier of importsOf(path)) {
      const sole = SOLE_IMPORTERS[specifier];
      if (sole !== undefined && !name.startsWith(sole)) wrong.push(`${name} imports ${specifier}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('random numbers come from the system: the output of Math.random is predictable', () => {
  const calls = files.filter((path) =>
    /\bMath\s*(\?\.|\.)\s*random\b(?!`)|\{[^}]*\brandom\b[^}]*\}\s*=\s*Math\b/.test(readFileSync(path, 'utf8')),
  );
  assert.deepEqual(
    calls.map((path) => relative(source, path)),
    [],
  );
});

test('sockets and DNS of the peer module: one file each, so that no connection bypasses the proxy', () => {
  const importers = (wanted: (specifier: string, clause: string) => boolean) =>
    files
      .filter((path) => relative(source, path).startsWith('p2p/'))
      .filter((path) =>
        [...readFileSync(path, 'utf8').matchAll(/(?:import|export)\s+([^;]*?)\s*from\s*'([^']+)'|import\(\s*'([^']+)'/g)].some(
          ([, clause = '', specifier = '', dynamic]) => wanted(specifier, clause) || (dynamic !== undefined && wanted(dynamic, 'connect')),
        ),
      )
      .map((path) => relative(source, path))
      .sort();
  const opens = (clause: string) =>
    !clause.startsWith('type ') && /\*|\b(connect|createConnection|net|tls)\b|(?<!type )\bSocket\b/.test(clause);
  assert.deepEqual(
    importers((specifier, clause) => /^(node:)?(net|tls)$/.test(specifier) && opens(clause)),
    ['p2p/dial/tcp.ts'],
  );
  assert.deepEqual(
    importers((specifier) => /^(node:)?(https?|http2|dgram|undici)$/.test(specifier)),
    [],
  );
  assert.deepEqual(
    importers((specifier) => /^(node:)?dns(\/promises)?$/.test(specifier)),
    ['p2p/addresses/dns.ts'],
  );
  assert.deepEqual(
    importers((specifier) => specifier.endsWith('/tcp.js')),
    ['p2p/dial/dial.ts', 'p2p/tor/control.ts'],
  );
  assert.deepEqual(
    importers((specifier) => specifier.endsWith('/dial.js')),
    ['p2p/net/connector.ts'],
  );
});
