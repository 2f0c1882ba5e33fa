import type { Rejected } from '../metrics/rpc.js';
import { type Caller, requireAccess } from '../rpc/access.js';
import type { Catalogue, Operation } from '../rpc/catalogue.js';
import type { CallContext } from '../rpc/handler.js';
import type { JsonAnswer } from '../rpc/json-sink.js';
import { NodeError } from '../util/errors.js';
import type { JsonObject, JsonValue } from '../util/json.js';
import type { MaybePromise } from '../util/slicer.js';
import type { Documents } from './documents/documents.js';
import type { HttpCall } from './http-call.js';
import type { RpcOperation, RpcOperations } from './jsonrpc.js';

/** Runs an operation: in this process, or by asking another node. */
export interface CallInvoker {
  /** What the node is busy with before it can answer; undefined once it can. */
  readonly warmup: string | undefined;
  /** Whether the call's wallet is there; left out by an invoker that finds out when it is asked. @throws {NodeError} */
  admit?(op: Operation, call: CallContext): void;
  invoke(op: Operation, request: object, call: CallContext): unknown;
}

/** The operations of the catalogue, bound to an invoker. Writers are compiled when an operation is first called. */
export class OperationTable implements RpcOperations {
  readonly #bound = new Map<string, RpcOperation>();

  constructor(
    readonly catalogue: Catalogue,
    readonly invoker: CallInvoker,
    documents: Documents,
    readonly rejected: Rejected,
  ) {
    this.#bound.set('rpc.discover', discover(documents));
  }

  get warmup(): string | undefined {
    return this.invoker.warmup;
  }

  find(method: string): RpcOperation | undefined {
    const bound = this.#bound.get(method);
    if (bound) return bound;
    const op = this.catalogue.byName(method);
    if (!op || op.streams) return undefined;
    const made = new BoundOperation(op, this);
    this.#bound.set(method, made);
    return made;
  }

  /** @throws {NodeError} `permission-denied` */
  requireAccess(method: string, caller: Caller): void {
    try {
      requireAccess(method, this.catalogue.byName(method), caller);
    } catch (error) {
      this.rejected('permission');
      throw error;
    }
  }

  /** @throws {NodeError} `permission-denied`, else as the invoker */
  invoke(op: Operation, request: object, call: HttpCall): unknown {
    this.requireAccess(op.name, call.caller);
    return this.invoker.invoke(op, request, call);
  }
}

class BoundOperation implements RpcOperation {
  constructor(
    readonly op: Operation,
    readonly table: OperationTable,
  ) {}

  admit(call: HttpCall): void {
    this.table.invoker.admit?.(this.op, call);
  }

  bindPositional(args: readonly JsonValue[]): object {
    return this.op.codec.bindPositional(args);
  }

  bindNamed(params: JsonObject): object {
    return this.op.codec.bindNamed(params);
  }

  invoke(request: object, call: HttpCall): unknown {
    return this.table.invoke(this.op, request, call);
  }

  write(response: unknown, call: HttpCall): MaybePromise<JsonAnswer> {
    return this.op.codec.write(response, call);
  }
}

/** OpenRPC's service discovery: the one method that is no operation. */
function discover(documents: Documents): RpcOperation {
  const noParams = (count: number): object => {
    if (count > 0) throw new NodeError('invalid-params', 'rpc.discover takes no parameters');
    return {};
  };
  return {
    bindPositional: (args) => noParams(args.length),
    bindNamed: (params) => noParams(params.entries.length),
    invoke: () => undefined,
    write: () => documents.openRpc,
  };
}
