import type { MaybePromise } from '../util/slicer.js';
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

const TOO_MANY_SUBSCRIPTIONS = -32006;

/** Ethereum's JSON-RPC as servers use it. */
export class EthereumRpc {
  readonly #table: MethodTable;
  readonly #subscriptions: Subscriptions;

  constructor(private readonly parts: EthereumRpcParts) {
    this.#table = new MethodTable(parts);
    this.#subscriptions = new Subscriptions(parts.modules, parts.log);
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
    const ids = new Set<string>();
    return {
      call: (name, params, call) => {
        if (name === 'eth_subscribe') return outcomeOf(() => this.#subscribe(params, ids, notify));
        if (name === 'eth_unsubscribe') return outcomeOf(() => this.#unsubscribe(params, ids));
        return this.call(name, params, call);
      },
      close: () => {
        for (const id of ids) this.#subscriptions.remove(id);
      },
    };
  }

  #subscribe(params: Params, ids: Set<string>, notify: Notify): string {
    const { maxSubscriptions } = this.parts;
    if (ids.size >= maxSubscriptions) for (const id of ids) if (!this.#subscriptions.has(id)) ids.delete(id);
    if (ids.size >= maxSubscriptions) {
      const limit = `Exceeded max limit of ${maxSubscriptions}`;
      throw new EthereumError(TOO_MANY_SUBSCRIPTIONS, 'Too many subscriptions on the connection', limit);
    }
    const id = this.#subscriptions.add(params, notify);
    ids.add(id);
    return `"${id}"`;
  }

  /** False for parameters that are no id, as in `defid`. */
  #unsubscribe({ value }: Params, ids: Set<string>): string {
    const [id, ...more] = Array.isArray(value) ? value : [];
    return String(typeof id === 'string' && more.length === 0 && ids.delete(id) && this.#subscriptions.remove(id));
  }
}

function outcomeOf(run: () => string): Outcome {
  try {
    return { result: run() };
  } catch (error) {
    if (error instanceof EthereumError) return { error };
    throw error;
  }
}
