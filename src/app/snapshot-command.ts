import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { post, type Target } from '../cli/connection.js';
import { buildConfig } from '../config/build.js';
import type { Config } from '../config/config.js';
import { prepareDirectories } from '../config/data-dir.js';
import { ConfigError } from '../config/errors.js';
import { EXIT } from '../config/exit-code.js';
import { OPTIONS } from '../config/options.js';
import { readSources } from '../config/sources.js';
import { networkParams } from '../params/index.js';
import { KNOWN_SNAPSHOTS } from '../params/snapshots.js';
import { formatHash } from '../primitives/hash.js';
import { formatDigest, parseDigest, type SnapshotDigest } from '../snapshot/digest.js';
import { download } from '../snapshot/download.js';
import { SnapshotError } from '../snapshot/errors.js';
import { exportSnapshot, type SnapshotProgress } from '../snapshot/export.js';
import type { SnapshotHeader } from '../snapshot/format.js';
import { type ImportRequest, importSnapshot } from '../snapshot/import.js';
import { completeImport, databaseOf, installImported, removeUnfinished, unfinishedOf } from '../snapshot/install.js';
import { closingAfter } from '../storage/closing.js';
import { DirectoryLock, DirectoryLocked } from '../storage/directory-lock.js';
import { JsonNumber, JsonObject, type JsonValue, writeJson } from '../util/json.js';
import { silentLogger } from '../util/logger.js';
import { openDatabase } from './chain.js';
import { refuseForeignData } from './foreign-data.js';
import { stateColumns, stateOptions } from './snapshot.js';

const USAGE =
  'Usage: dfid snapshot export <file> [-height=<n>] [options], or dfid snapshot import <file or URL> [-digest=<digest>] [-force] [options]';
/** Interval at which a running node is asked for its progress, and of the lines about it. */
const POLL_MS = 500;
const LINE_MS = 5_000;
/** Digits of the hash of an address in the name of its download. */
const NAME_DIGITS = 16;
const DOWNLOAD = '.download';

/** Arguments of the command itself; all others are options of the daemon. */
interface Arguments {
  readonly file: string;
  readonly flags: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
}

/** Flags of the commands, which the daemon does not have. */
const FLAGS = ['height', 'digest', 'force'];

/** `dfid snapshot export` and `dfid snapshot import`. @returns exit code */
export async function snapshotCommand(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [command, ...words] = argv;
  const { file, flags, rest } = readArguments(words);
  if ((command !== 'export' && command !== 'import') || file === '') throw new ConfigError(USAGE);
  const { config } = buildConfig(readSources({ argv: rest, env }, OPTIONS).read());
  const lines =
    command === 'export'
      ? await exportTo(resolve(file), heightOf(flags.get('height')), config)
      : await importFrom(file, config, { digest: digestOf(flags.get('digest')), force: flags.get('force') === '1' });
  for (const line of lines) process.stdout.write(`${line}\n`);
  return EXIT.clean;
}

function readArguments(words: readonly string[]): Arguments {
  const flags = new Map<string, string>();
  const rest: string[] = [];
  let file = '';
  for (const word of words) {
    const [, name = '', value = '1'] = /^--?([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    if (FLAGS.includes(name)) flags.set(name, value);
    else if (word.startsWith('-')) rest.push(word);
    else if (file === '') file = word;
    else throw new ConfigError(USAGE);
  }
  return { file, flags, rest };
}

function heightOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new ConfigError(`Invalid height '${text}'`);
  return Number(text);
}

function digestOf(text: string | undefined): SnapshotDigest | undefined {
  if (text === undefined) return undefined;
  const digest = parseDigest(text);
  if (!digest) throw new ConfigError(`Invalid digest '${text}'`);
  return digest;
}

/** File to import: one that is given, or the download of an address, which the next call continues if this one is interrupted. */
async function fileOf(source: string, { networkDir }: Config['paths']): Promise<string> {
  if (!/^https?:\/\//i.test(source)) return resolve(source);
  const name = createHash('sha256').update(source).digest('hex').slice(0, NAME_DIGITS);
  const path = join(networkDir, `snapshot-${name}${DOWNLOAD}`);
  const note = progressLines();
  await download({ url: source, path, onProgress: (bytes) => note({ column: 'download', rows: 0, bytes }) });
  return path;
}

/**
 * Fills a new database from a snapshot, and puts it in place of the old one once its digest is as expected.
 * @returns lines about the result
 */
async function importFrom(
  source: string,
  config: Config,
  { digest, force }: { readonly digest: SnapshotDigest | undefined; readonly force: boolean },
): Promise<readonly string[]> {
  refuseForeignData(config.paths);
  prepareDirectories(config.paths);
  const params = networkParams(config.network);
  const lock = await DirectoryLock.acquireData(config.paths);
  try {
    completeImport(config.paths);
    if (existsSync(databaseOf(config.paths)) && !force) {
      throw new SnapshotError(`there is a chain in ${config.paths.networkDir}: start again with -force to replace it and its blocks`);
    }
    removeUnfinished(config.paths);
    if (!digest && KNOWN_SNAPSHOTS[params.name].length === 0) {
      throw new SnapshotError('no digest is known for this network: give it with -digest=<digest>');
    }
    const path = await fileOf(source, config.paths);
    const known = ({ height }: SnapshotHeader) => KNOWN_SNAPSHOTS[params.name].find((each) => each.height === height);
    const header = await fill(path, config, {
      genesis: params.genesis.hash,
      columns: stateColumns,
      expected: (header) => digest ?? parseDigest(known(header)?.digest ?? ''),
      options: stateOptions(config),
      onProgress: progressLines(),
    });
    installImported(config.paths);
    if (path.endsWith(DOWNLOAD)) rmSync(path);
    return [`height ${header.height}`, `block ${formatHash(header.hash)}`];
  } finally {
    await lock.release();
  }
}

/** Fills the database of an import, which is removed if that fails. */
async function fill(path: string, { paths, chain }: Config, request: ImportRequest): Promise<SnapshotHeader> {
  const file = await open(path);
  try {
    const store = await openDatabase(unfinishedOf(paths), chain.cacheBytes, silentLogger);
    return await closingAfter(store, () => importSnapshot(file, store, request));
  } catch (error) {
    removeUnfinished(paths);
    // A download that is damaged or of another state would be found again.
    if (error instanceof SnapshotError && path.endsWith(DOWNLOAD)) rmSync(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Writes a snapshot of the database, or asks the node that has it open to do so. @returns lines about the result */
async function exportTo(path: string, height: number | undefined, config: Config): Promise<readonly string[]> {
  refuseForeignData(config.paths);
  const { networkDir } = config.paths;
  const database = databaseOf(config.paths);
  if (!existsSync(database)) throw new SnapshotError(`there is no chain in ${networkDir}`);
  let lock: DirectoryLock;
  try {
    lock = await DirectoryLock.acquire(networkDir);
  } catch (error) {
    if (!(error instanceof DirectoryLocked)) throw error;
    return exportByNode(path, height, config);
  }
  completeImport(config.paths);
  const store = await openDatabase(database, config.chain.cacheBytes, silentLogger);
  const view = store.snapshot();
  try {
    const { header, digest } = await exportSnapshot(path, view, stateColumns, {
      height,
      options: stateOptions(config),
      onProgress: progressLines(),
    });
    return resultLines(header.height, formatHash(header.hash), formatDigest(digest));
  } finally {
    view.close();
    await store.close();
    await lock.release();
  }
}

async function exportByNode(path: string, height: number | undefined, config: Config): Promise<readonly string[]> {
  const note = progressLines();
  const params = height === undefined ? [path] : [path, new JsonNumber(String(height))];
  for (;;) {
    const result = await callNode(config, 'exportsnapshot', params);
    const number = (key: string) => Number((result.get(key) as JsonNumber | undefined)?.text ?? 0);
    const text = (key: string) => String(result.get(key) ?? '');
    if (text('status') === 'done') return resultLines(number('height'), text('blockhash'), text('digest'));
    note({ column: text('column'), rows: number('rows'), bytes: number('bytes') });
    await sleep(POLL_MS);
  }
}

/** Calls an operation of the node that runs on this data directory. */
async function callNode({ rpc, paths }: Config, method: string, params: readonly JsonValue[]): Promise<JsonObject> {
  const credentials = () => (rpc.password === '' ? readFileSync(paths.cookieFile, 'utf8').trim() : `${rpc.user}:${rpc.password}`);
  const target: Target = { host: '127.0.0.1', port: rpc.port, path: '/', timeoutMs: 0, credentials, confFile: '', headers: {} };
  const request = new JsonObject([
    ['id', new JsonNumber('1')],
    ['method', method],
    ['params', params],
  ]);
  const reply = await post(target, `${writeJson(request)}\n`);
  const error = reply instanceof JsonObject ? reply.get('error') : undefined;
  if (error instanceof JsonObject) throw new SnapshotError(String(error.get('message')));
  const result = reply instanceof JsonObject ? reply.get('result') : undefined;
  if (!(result instanceof JsonObject)) throw new SnapshotError('the node gave no answer');
  return result;
}

/** Prints the progress on standard error, now and then. */
function progressLines(): (progress: SnapshotProgress) => void {
  let next = performance.now() + LINE_MS;
  return ({ column, rows, bytes }) => {
    if (performance.now() < next) return;
    next = performance.now() + LINE_MS;
    process.stderr.write(`${column}: ${rows} rows, ${Math.ceil(bytes / 2 ** 20)} MiB\n`);
  };
}

function resultLines(height: number, hash: string, digest: string): readonly string[] {
  return [`height ${height}`, `block ${hash}`, `digest ${digest}`];
}
