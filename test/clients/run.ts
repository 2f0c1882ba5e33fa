/**
 * Runs clients in other languages, made with stubs from the descriptors, against a node: each reads events, leaves, and continues from its
 * last cursor. Not part of the tests, because the tools are downloaded; without a tool its client is skipped.
 *   node --import tsx test/clients/run.ts
 * Python needs grpcio, grpcio-tools and googleapis-common-protos (PYTHON names the interpreter), Go a toolchain and the module proxy.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Daemon } from '../daemon.js';
import { projectRoot } from '../shared.js';

const IMAGE = join(projectRoot, 'gen', 'image.binpb');
const SOURCES = join(projectRoot, 'test', 'clients');
/** Operator of a genesis masternode of regtest, whose key is published. */
const ADDRESS = 'mps7BdmwEF2vQ9DREDyNPibqsuSRZ8LuwQ';
const PRIVATE_KEY = 'cPGEaz8AGiM71NGMRybbCqFNRcuUhg3uGvyY4TFE1BZC26EW2PkC';
const run = promisify(execFile);

interface Client {
  readonly name: string;
  /** Prepares the stubs. @returns the command; undefined if the tools are missing */
  prepare(folder: string): readonly [string, ...string[]] | undefined;
  readonly env?: (folder: string) => Record<string, string>;
  /** Folder in which the command runs, below the temporary one. */
  readonly cwd?: string;
}

const python = process.env.PYTHON ?? 'python3';

const clients: readonly Client[] = [
  {
    name: 'TypeScript',
    prepare: () => [process.execPath, '--import', 'tsx', join(SOURCES, 'events.ts')],
  },
  {
    name: 'Python',
    prepare(folder) {
      const protos = readdirSync(join(projectRoot, 'proto', 'dfi'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.proto'))
        .map((name) => `dfi/${name}`);
      const outputs = [`--python_out=${folder}`, `--grpc_python_out=${folder}`];
      return works(python, ['-m', 'grpc_tools.protoc', `--descriptor_set_in=${IMAGE}`, ...outputs, ...protos], folder)
        ? [python, join(SOURCES, 'events.py')]
        : undefined;
    },
    env: (folder) => ({ PYTHONPATH: folder }),
  },
  {
    name: 'Go',
    cwd: 'go',
    prepare(folder) {
      const go = join(folder, 'go');
      cpSync(join(SOURCES, 'go'), go, { recursive: true });
      const buf = join(projectRoot, 'node_modules', '.bin', 'buf');
      const steps: readonly (readonly [string, readonly string[]])[] = [
        [buf, ['generate', IMAGE, '--template', 'buf.gen.yaml', '--path', 'dfi/events/v1', '--path', 'dfi/rpc/v1']],
        ['go', ['mod', 'init', 'dfi.example/clients']],
        ['go', ['mod', 'tidy']],
        ['go', ['build', '-o', 'events', '.']],
      ];
      return steps.every(([command, args]) => works(command, args, go)) ? [join(go, 'events')] : undefined;
    },
  },
];

function works(command: string, args: readonly string[], cwd: string): boolean {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) console.log(`  ${command} ${args[0]}: ${error?.message ?? stderr.slice(0, 500)}`);
  return status === 0;
}

/** Reads blocks with a client. @returns their heights, and the last cursor */
async function read(client: Client, command: readonly [string, ...string[]], node: Daemon, folder: string, cursor: string, blocks: number) {
  const [program, ...args] = command;
  const { stdout } = await run(program, [...args, `127.0.0.1:${node.grpcPort}`, 'user:password', cursor, String(blocks)], {
    cwd: client.cwd === undefined ? projectRoot : join(folder, client.cwd),
    env: { ...process.env, ...client.env?.(folder) },
  });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  return { heights: lines.filter(([, , kind]) => kind === 'block').map(([, height]) => Number(height)), cursor: lines.at(-1)?.[0] ?? '' };
}

async function check(client: Client, node: Daemon): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dfi-clients-'));
  try {
    const command = client.prepare(folder);
    if (!command) {
      console.log(`${client.name}: skipped, its tools are missing`);
      return;
    }
    const height = Number(await node.ask('getblockcount'));
    const { cursor } = (await node.ask('getevents')) as { cursor: string };
    await node.ask('generatetoaddress', 3, ADDRESS);
    const first = await read(client, command, node, folder, cursor, 2);
    assert.deepEqual(first.heights, [height + 1, height + 2]);
    await node.ask('generatetoaddress', 2, ADDRESS);
    const second = await read(client, command, node, folder, first.cursor, 3);
    assert.deepEqual(second.heights, [height + 3, height + 4, height + 5]);
    console.log(`${client.name}: read and resumed events of blocks ${first.heights.concat(second.heights).join(', ')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const node = new Daemon(['-dummypos=1', `-masternode_operator=${ADDRESS}`]);
await node.start();
try {
  await node.ask('importprivkey', PRIVATE_KEY, '', false);
  for (const client of clients) await check(client, node);
} finally {
  await node.destroy();
}
