import { answerTooLong } from '../util/answer-limit.js';
import { NodeError } from '../util/errors.js';
import type { Logger } from '../util/logger.js';
import { inSlices, type MaybePromise, withValue } from '../util/slicer.js';
import { customError, EthereumCode, EthereumError } from './errors.js';
import { AnswerTooLong, type EthereumJson, writeAnswer } from './json.js';
import type { EthereumCall, EthereumMethod } from './method.js';
import type { EthereumModules } from './modules.js';
import type { Params } from './params.js';

/** Outcome of a call: the result as JSON text, or an error. */
export type Outcome = { readonly result: string } | { readonly error: Pick<EthereumError, 'code' | 'message' | 'data'> };

/** Methods, and what they run with. */
export interface MethodTableParts {
  readonly modules: EthereumModules;
  readonly methods: readonly EthereumMethod[];
  /** Maximum length of a result in bytes. */
  readonly maxResultBytes: number;
  readonly metrics: { finished(transport: string, method: string, code: string, seconds: number): void };
  readonly log: Logger;
}

const METHOD_NOT_FOUND: Outcome = { error: new EthereumError(EthereumCode.methodNotFound, 'Method not found') };

/** Calls methods by name. */
export class MethodTable {
  readonly #methods: ReadonlyMap<string, EthereumMethod>;

  constructor(private readonly parts: MethodTableParts) {
    this.#methods = new Map(parts.methods.map((each) => [each.name, each]));
  }

  /** Runs a method. Failures are outcomes; the promise never rejects. */
  call(name: string, params: Params, call: EthereumCall): MaybePromise<Outcome> {
    const known = this.#methods.get(name);
    return known ? this.answer(name, () => known.run(this.parts.modules, params, call), call) : METHOD_NOT_FOUND;
  }

  /** Answers a call with the result of its work. Failures are outcomes; the promise never rejects. */
  answer(name: string, work: () => MaybePromise<EthereumJson>, call: EthereumCall): MaybePromise<Outcome> {
    const startedMs = performance.now();
    const finished = (outcome: Outcome): Outcome => {
      const code = 'result' in outcome ? 'OK' : String(outcome.error.code);
      this.parts.metrics.finished('ethereum', name, code, (performance.now() - startedMs) / 1000);
      return outcome;
    };
    try {
      const result = withValue(work(), (value) => this.#write(value, call));
      if (!(result instanceof Promise)) return finished({ result });
      return result.then(
        (text) => finished({ result: text }),
        (error) => finished(this.#failed(name, error)),
      );
    } catch (error) {
      return finished(this.#failed(name, error));
    }
  }

  #write(value: EthereumJson, call: EthereumCall): MaybePromise<string> {
    return inSlices(writeAnswer(value, this.parts.maxResultBytes), call);
  }

  #failed(method: string, thrown: unknown): Outcome {
    if (thrown instanceof EthereumError) return { error: thrown };
    if (thrown instanceof AnswerTooLong) {
      const { code, message, data } = answerTooLong(this.parts.maxResultBytes);
      return { error: new EthereumError(code, message, data) };
    }
    if (thrown instanceof NodeError && thrown.kind !== 'unexpected') return { error: customError(thrown.message) };
    const stack = thrown instanceof Error ? thrown.stack : String(thrown);
    this.parts.log.error('Ethereum method failed unexpectedly', { method, stack });
    return { error: new EthereumError(EthereumCode.internal, 'Internal error') };
  }
}
