import { inSlices, type MaybePromise, withValue } from '../util/slicer.js';
import type { EthereumJson } from './json.js';
import type { EthereumModules } from './modules.js';
import { type Param, type Params, readParams, type Values } from './params.js';

/** Facts about a call. */
export interface EthereumCall {
  readonly signal: AbortSignal;
}

/** Method of Ethereum's JSON-RPC. */
export interface EthereumMethod {
  readonly name: string;
  readonly params: readonly Param<unknown>[];
  /** @throws {EthereumError} */
  run(modules: EthereumModules, params: Params, call: EthereumCall): MaybePromise<EthereumJson>;
}

/** Answers a call whose parameters were read. */
export type EthereumHandler<P extends readonly Param<unknown>[]> = (
  modules: EthereumModules,
  params: Values<P>,
  call: EthereumCall,
) => MaybePromise<EthereumJson>;

/** Declares a method: its parameters in order, and its handler. */
export function method<const P extends readonly Param<unknown>[]>(name: string, params: P, handler: EthereumHandler<P>): EthereumMethod {
  return {
    name,
    params,
    run: (modules, given, call) => {
      const values = inSlices(readParams(params, given, modules.isStrict), call);
      return withValue(values, (read) => handler(modules, read, call));
    },
  };
}
