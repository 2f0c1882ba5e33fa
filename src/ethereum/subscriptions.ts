import { randomBytes } from 'node:crypto';
import type { ChainEvent } from '../chain/events.js';
import type { StoredReceipt } from '../dfi/evm/block-columns.js';
import { evmBlock, evmBlockNumberAt, evmReceipts, type StoredBlock } from '../dfi/evm/blocks.js';
import { type LogFilter, logsOfBlock } from '../dfi/evm/log-index.js';
import { WordSet } from '../evm/word-map.js';
import type { MempoolEntry } from '../mempool/entry.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { errorText } from '../util/errors.js';
import { JsonObject, type JsonValue } from '../util/json.js';
import type { Logger } from '../util/logger.js';
import { finish, inSlices, type MaybePromise, Slicer, type Steps } from '../util/slicer.js';
import { EthereumError } from './errors.js';
import { weightOfLogs } from './filters.js';
import { headerForm } from './forms/block.js';
import { type EthereumJson, writeAnswer } from './json.js';
import { objectsOf } from './log-filter.js';
import { logFilterReader } from './log-request.js';
import { readAt } from './members.js';
import type { EthereumCall } from './method.js';
import type { EthereumModules } from './modules.js';
import { optional, type Params, readParams, required, type Values } from './params.js';
import { type Point, shown, Unreadable, wrongType } from './unreadable.js';
import { formatBytes, formatQuantity } from './values.js';

/** Receiver of the notifications of a connection. */
export type Notify = (text: string) => void;

type Kind = (typeof KINDS)[number];

interface Subscription {
  readonly id: string;
  readonly kind: Kind;
  /** Filter of a subscription to `logs`. */
  readonly filter: LogFilter | undefined;
  readonly notify: Notify;
  /** EVM block of the last status of a subscription to `syncing`; undefined before the first status. */
  shownBlock: number | undefined;
}

/** Connected block whose notifications are due. */
interface Due {
  readonly number: number;
  readonly dvmHash: Uint8Array;
}

const KINDS = ['newHeads', 'logs', 'newPendingTransactions', 'syncing'] as const;
const PARAMS = [required('subscription', parseKind), optional('params', logFilterReader, undefined)] as const;
/** Kind of a subscription and its filter. */
export type Wanted = Values<typeof PARAMS>;
const ID_BYTES = 16;
/** Maximum number of addresses and topics of all subscriptions together. */
const MAX_VALUES = 200_000;
/** Blocks whose notifications may be due; beyond it, those of the oldest are dropped. */
const MAX_DUE = 10_000;
const TOO_MANY = -32006;
const NO_FILTER: LogFilter = { addresses: new WordSet(), topics: [] };

/** Subscriptions of all connections. @see docs/protocol/evm-engine.md 10.8 */
export class Subscriptions {
  readonly #subscriptions = new Map<string, Subscription>();
  #values = 0;
  #due: Due[] = [];
  #isSending = false;

  constructor(
    private readonly modules: Pick<EthereumModules, 'chain' | 'mempool' | 'sync' | 'isStrict'>,
    private readonly log: Logger,
  ) {
    modules.chain.on('connected', (event) => this.#onConnected(event));
    modules.mempool.pool.on('added', (entry) => this.#onPooled(entry));
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  /** Reads kind and filter of a subscription, in slices if they are long. @throws {EthereumError} */
  read(params: Params, call: EthereumCall): MaybePromise<Wanted> {
    return inSlices(readParams(PARAMS, params, this.modules.isStrict), call);
  }

  /** @returns id of the subscription @throws {EthereumError} */
  add([kind, options]: Wanted, notify: Notify): string {
    const filter = kind === 'logs' ? (options ?? NO_FILTER) : undefined;
    this.#values += weightOfLogs(filter ?? NO_FILTER);
    if (this.#values > MAX_VALUES) {
      this.#values -= weightOfLogs(filter ?? NO_FILTER);
      throw new EthereumError(TOO_MANY, 'Too many addresses and topics in subscriptions');
    }
    const id = `0x${toHex(randomBytes(ID_BYTES))}`;
    const added: Subscription = { id, kind, filter, notify, shownBlock: undefined };
    this.#subscriptions.set(id, added);
    // The client must know the id before the first status arrives.
    if (kind === 'syncing') setImmediate(() => this.has(id) && this.#sendSync(added));
    return id;
  }

  /** False after the end of a subscription, which `syncing` reaches on its own. */
  has(id: string): boolean {
    return this.#subscriptions.has(id);
  }

  /** @returns false if there is no such subscription */
  remove(id: string): boolean {
    const known = this.#subscriptions.get(id);
    if (!known) return false;
    this.#values -= weightOfLogs(known.filter ?? NO_FILTER);
    return this.#subscriptions.delete(id);
  }

  #onPooled({ evm }: MempoolEntry): void {
    if (this.#subscriptions.size === 0 || !evm) return;
    const hash = quoted(formatBytes(evm.signed.hash));
    for (const each of this.#of('newPendingTransactions')) send(each, hash);
  }

  #onConnected({ entry }: ChainEvent): void {
    if (this.#subscriptions.size === 0) return;
    const number = evmBlockNumberAt(this.modules.chain.state, entry.height);
    if (number === undefined) return;
    this.#notifySync();
    if (this.#due.push({ number, dvmHash: entry.hash }) > MAX_DUE) this.#due.shift();
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#sendDue()
      .catch((error: unknown) => this.log.error('failed to notify subscribers of a block', { error: errorText(error) }))
      .finally(() => {
        this.#isSending = false;
      });
  }

  /** In slices, because many subscriptions may look at many logs. */
  async #sendDue(): Promise<void> {
    const slicer = new Slicer();
    // Calls that the block answers are served first.
    await new Promise((resolve) => setImmediate(resolve));
    for (let due = this.#due.shift(); due; due = this.#due.shift()) {
      const block = evmBlock(this.modules.chain.state, due.number);
      // A block that was disconnected meanwhile is not announced.
      if (!block || !equalBytes(block.dvmHash, due.dvmHash)) continue;
      const receipts = evmReceipts(this.modules.chain.state, due.number);
      await slicer.run(this.#deliver(block, receipts));
    }
  }

  /** A subscription that ends meanwhile receives nothing more. */
  *#deliver(block: StoredBlock, receipts: readonly StoredReceipt[]): Steps<void> {
    const head = written({ ...headerForm(block) });
    for (const each of this.#of('newHeads')) {
      if (this.has(each.id)) send(each, head);
      yield;
    }
    if (receipts.every(({ logs }) => logs.length === 0)) return;
    const number = Number(block.header.number);
    for (const each of this.#of('logs')) {
      const found = this.has(each.id) ? logsOfBlock(receipts, number, each.filter ?? NO_FILTER) : [];
      yield;
      for (const log of yield* objectsOf(block, found)) {
        if (!this.has(each.id)) break;
        send(each, written(log));
        yield;
      }
    }
  }

  #notifySync(): void {
    const current = this.modules.sync.progress()?.current;
    for (const each of this.#of('syncing')) if (each.shownBlock !== undefined && each.shownBlock !== current) this.#sendSync(each);
  }

  /** Sends the status; at the tip it is the last one. Before the first EVM block the subscription ends silently, as in `defid`. */
  #sendSync(each: Subscription): void {
    const { sync } = this.modules;
    const progress = sync.progress();
    if (progress && sync.isBehind) {
      const { starting, current, highest } = progress;
      const numbers = {
        startingBlock: formatQuantity(starting),
        currentBlock: formatQuantity(current),
        highestBlock: formatQuantity(highest),
      };
      send(each, written({ syncing: true, ...numbers }));
      each.shownBlock = current;
      return;
    }
    if (progress) send(each, written(false));
    this.remove(each.id);
  }

  #of(kind: Subscription['kind']): Subscription[] {
    return [...this.#subscriptions.values()].filter((each) => each.kind === kind);
  }
}

/** Reads a kind by its name, or as in `defid` from an object with one member of that name, which is null. @throws {Unreadable} */
function parseKind(value: JsonValue): Kind {
  if (typeof value === 'string') return kindNamed(value);
  if (!(value instanceof JsonObject)) throw new Unreadable('expected value', 'start', 1);
  const [first, ...more] = value.entries;
  if (!first) throw new Unreadable('expected value', 'opened');
  return readAt(0, () => {
    const kind = kindNamed(first[0], 'name');
    if (first[1] !== null) throw wrongType(first[1], 'unit');
    if (more.length > 0) throw new Unreadable('expected value', 'followed');
    return kind;
  });
}

function kindNamed(value: string, point: Point = 'end'): Kind {
  const known = KINDS.find((kind) => kind === value);
  if (!known)
    throw new Unreadable(`unknown variant \`${shown(value)}\`, expected one of ${KINDS.map((kind) => `\`${kind}\``).join(', ')}`, point);
  return known;
}

/** @param result as JSON text */
function send({ id, notify }: Subscription, result: string): void {
  notify(`{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`);
}

function written(value: EthereumJson): string {
  return finish(writeAnswer(value, Number.POSITIVE_INFINITY));
}

function quoted(text: string): string {
  return `"${text}"`;
}
