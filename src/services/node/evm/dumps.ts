import type {
  DumpEvmDbRequest,
  DumpEvmDbResponse,
  LogEvmAccountStatesRequest,
  LogEvmAccountStatesResponse,
} from '../../../../gen/ts/dfi/node/v1/evm.js';
import { evmHeaders, evmNumbers, evmPlaces, evmReceiptLists } from '../../../dfi/evm/block-columns.js';
import { withStorageRoot } from '../../../dfi/evm/counter-storage.js';
import { evmStateAccounts, type StoredAccount } from '../../../dfi/evm/state-columns.js';
import { isActive } from '../../../params/network.js';
import { requestJsonObject } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { asObject } from '../../../rpc/scalars.js';
import type { StateView } from '../../../storage/view.js';
import { fromHex, toHex } from '../../../util/bytes.js';
import { NodeError } from '../../../util/errors.js';
import { firstOf } from '../../../util/first-of.js';
import { Slicer } from '../../../util/slicer.js';
import { checkKinds } from '../../format/options-object.js';
import type { EvmDumpModules } from '../modules.js';

const DEFAULT_LIMIT = 100;
const LIMIT = /^\+?\d+$/;
const HASH = /^(?:0x)?([0-9a-fA-F]{64})$/;

type Row = readonly [key: Uint8Array | number, value: unknown];
/** Rows of a table, from a key downwards or all of them. */
type Table = (view: StateView, from: string | undefined) => Iterable<Row>;

/** Tables by the name of the argument, in the order of `all`. */
const TABLES: ReadonlyMap<string, Table> = new Map<string, Table>([
  ['blocks', (view, from) => view.entries(evmHeaders, downFrom(from, parseNumber))],
  ['txs', (view, from) => view.entries(evmPlaces, downFrom(from, parseHash))],
  ['receipts', (view, from) => view.entries(evmReceiptLists, downFrom(from, parseNumber))],
  ['blockmap', (view, from) => view.entries(evmNumbers, downFrom(from, parseHash))],
  ['logs', logs],
]);

/** Prints rows in a form of its own; that of `defid` shows its internal structures. @see docs/protocol/evm-engine.md 9.2 */
export const dumpEvmDb: Handler<EvmDumpModules, DumpEvmDbRequest, DumpEvmDbResponse> = async (modules, request, { signal }) => {
  const options = requestJsonObject(request);
  if (options !== undefined) checkKinds(asObject(options), { dumparg: 'string', from: 'string', limit: 'string' });
  const dump = new Dump(modules, 'Failed to get dumpdb logs');
  const { dumparg = '', from, limit = '' } = request;
  const chosen = dumparg === '' || dumparg === 'all' ? [...TABLES.keys()] : [dumparg];
  if (!chosen.every((name) => TABLES.has(name))) throw dump.failure('Invalid dump arg');
  if (limit !== '' && !LIMIT.test(limit)) throw dump.failure('Invalid limit');
  const most = limit === '' ? DEFAULT_LIMIT : Number(limit);
  const start = chosen.length > 1 || from === '' ? undefined : from;
  await dump.print(signal, function* (view) {
    for (const name of chosen) {
      yield name;
      for (const [key, value] of firstOf(TABLES.get(name)?.(view, start) ?? [], most)) yield `${textOf(key)}: ${textOf(value)}`;
    }
  });
  return { dump: dump.text };
};

/** @see docs/protocol/evm-engine.md 9.2 */
export const logEvmAccountStates: Handler<EvmDumpModules, LogEvmAccountStatesRequest, LogEvmAccountStatesResponse> = async (
  modules,
  _request,
  { signal },
) => {
  const { params, tip } = modules.chain;
  if (!isActive(params, 'metachain', tip.height)) return { accounts: '' };
  const dump = new Dump(modules, 'Failed to log evm account states');
  await dump.print(signal, function* (view) {
    for (const [address, account] of view.entries(evmStateAccounts))
      yield `Account ${accountText(withStorageRoot(view, address, account))}:`;
  });
  return { accounts: dump.text };
};

/** Account as one line. */
function accountText({ nonce, balance, storageRoot, codeHash }: StoredAccount): string {
  return `Account { nonce: ${nonce}, balance: ${balance}, code_hash: 0x${toHex(codeHash)}, storage_root: 0x${toHex(storageRoot)} }`;
}

/** Text of many lines, of limited size, made in slices. */
class Dump {
  #lines: string[] = [];
  #size = 0;

  /** @throws {NodeError} `misc` without -ethdebug @param failed begin of error texts */
  constructor(
    private readonly modules: EvmDumpModules,
    private readonly failed: string,
  ) {
    if (!modules.evmDumps.enabled) throw this.failure('debug_* RPCs have not been enabled');
  }

  get text(): string {
    return this.#lines.join('');
  }

  failure(reason: string): NodeError {
    return new NodeError('misc', `${this.failed}: ${reason}`);
  }

  /** @throws {NodeError} `misc` above the maximum size */
  async print(signal: AbortSignal, lines: (view: StateView) => Iterable<string>): Promise<void> {
    const slicer = new Slicer(signal);
    const snapshot = this.modules.chain.snapshot();
    try {
      for (const line of lines(snapshot)) {
        const paused = slicer.pause();
        if (paused) await paused;
        if (this.#size > this.modules.evmDumps.maxBytes) throw this.failure('exceed response max size limit');
        this.#lines.push(`${line}\n`);
        this.#size += line.length + 1;
      }
    } finally {
      snapshot.close();
    }
  }
}

function* logs(view: StateView, from: string | undefined): Iterable<Row> {
  for (const [number, receipts] of view.entries(evmReceiptLists, downFrom(from, parseNumber))) {
    const found = receipts.flatMap((receipt) => receipt.logs);
    if (found.length > 0) yield [number, found];
  }
}

function downFrom<Key>(from: string | undefined, parse: (text: string) => Key) {
  return from === undefined ? { reverse: true } : { from: parse(from), reverse: true };
}

/** Number of a block: decimal, or else hex; 0 for any other text. */
function parseNumber(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : /^(?:0x)?[0-9a-fA-F]+$/.test(text) ? Number.parseInt(text, 16) : 0;
  return Math.min(number, 2 ** 32 - 1);
}

/** Hash; zero for any other text. */
function parseHash(text: string): Uint8Array {
  return fromHex(HASH.exec(text)?.[1] ?? '0'.repeat(64));
}

/** JSON, with bytes as hex and large numbers in decimal. */
function textOf(value: unknown): string {
  return value instanceof Uint8Array || typeof value === 'bigint' ? String(plain(value)) : JSON.stringify(plain(value));
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `0x${toHex(value)}`;
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}
