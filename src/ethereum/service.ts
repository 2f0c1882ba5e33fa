import { evmTip } from '../dfi/evm/blocks.js';
import { NodeError } from '../util/errors.js';
import { type MaybePromise, withValue } from '../util/slicer.js';
import { EthereumError } from './errors.js';
import type { EthereumCall } from './method.js';
import { MethodTable, type MethodTableParts, type Outcome } from './method-table.js';
import type { Params } from './params.js';
import { type Notify, Subscriptions } from './subscriptions.js';

/** Calls of one connection. */
export interface Session {
  call(name: string, params: Params, call: EthereumCall): MaybePromise<Outcome>;
  /** Ends its subscriptions. */
  close(): void;
}

/** Methods, what they run with, and limits of connections. */
export interface EthereumRpcParts extends MethodTableParts {
  /** Maximum number of subscriptions of a connection. */
  readonly maxSubscriptions: number;
}

/** A connection and its subscriptions. */
interface Connection {
  readonly ids: Set<string>;
  readonly notify: Notify;
  isOpen: boolean;
}

const TOO_MANY_SUBSCRIPTIONS = -32006;

/** Ethereum's JSON-RPC as servers use it. */
export class EthereumRpc {
  readonly #table: MethodTable;
  readonly #subscriptions: Subscriptions;

  constructor(private readonly parts: EthereumRpcParts) {
    this.#table = new MethodTable(parts);
    this.#subscriptions = new Subscriptions(parts.modules, parts.log);
    const { chain, filters, isStrict } = parts.modules;
    // The state is that of the block before. Filters of `defid` do not notice that blocks are replaced.
    if (!isStrict) chain.on('disconnected', () => filters.noteDisconnected((evmTip(chain.state)?.number ?? -1) + 1));
  }

  /** Number of subscriptions of all connections. */
  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /** Runs a method. Failures are outcomes; the promise never rejects. */
  call(name: string, params: Params, call: EthereumCall): MaybePromise<Outcome> {
    return this.#table.call(name, params, call);
  }

  /** Opens the session of a connection, which has the methods about subscriptions too. */
  open(notify: Notify): Session {
    const connection: Connection = { ids: new Set(), notify, isOpen: true };
    return {
      call: (name, params, call) => {
        if (name === 'eth_subscribe') return this.#table.answer(name, () => this.#subscribe(params, connection, call), call);
        if (name === 'eth_unsubscribe') return this.#table.answer(name, () => this.#unsubscribe(params, connection), call);
        return this.call(name, params, call);
      },
      close: () => {
        connection.isOpen = false;
        for (const id of connection.ids) this.#subscriptions.remove(id);
      },
    };
  }

  #subscribe(params: Params, connection: Connection, call: EthereumCall): MaybePromise<string> {
    this.#checkCount(connection);
    return withValue(this.#subscriptions.read(params, call), (wanted) => {
      if (!connection.isOpen) throw new NodeError('cancelled', 'Client disconnected');
      // Others may have been added while long parameters were read.
      this.#checkCount(connection);
      const id = this.#subscriptions.add(wanted, connection.notify);
      connection.ids.add(id);
      return id;
    });
  }

  /** @throws {EthereumError} if no further subscription may be added */
  #checkCount({ ids }: Connection): void {
    const { maxSubscriptions } = this.parts;
    if (ids.size >= maxSubscriptions) for (const id of ids) if (!this.#subscriptions.has(id)) ids.delete(id);
    if (ids.size < maxSubscriptions) return;
    const limit = `Exceeded max limit of ${maxSubscriptions}`;
    throw new EthereumError(TOO_MANY_SUBSCRIPTIONS, 'Too many subscriptions on the connection', limit);
  }

  /** False for parameters that are no id, as in `defid`. */
  #unsubscribe({ value }: Params, { ids }: Connection): boolean {
    const [id, ...more] = Array.isArray(value) ? value : [];
    return typeof id === 'string' && more.length === 0 && ids.delete(id) && this.#subscriptions.remove(id);
  }
}
