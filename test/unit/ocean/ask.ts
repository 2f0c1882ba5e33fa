import { OceanApi } from '../../../src/ocean/api/api.js';
import { OperationFailed } from '../../../src/ocean/api/errors.js';
import type { OceanModules } from '../../../src/ocean/modules.js';
import type { Operations } from '../../../src/ocean/node/operations.js';
import { TipCache } from '../../../src/ocean/node/tip-cache.js';
import { oceanRoutes } from '../../../src/ocean/routes/index.js';
import { networkParams } from '../../../src/params/index.js';
import { MemoryStore } from '../../../src/storage/memory.js';
import { parseJson } from '../../../src/util/json.js';
import { silentLogger } from '../../../src/util/logger.js';

/** Answers of operations: JSON text by method, or a function of the arguments as JSON text; an error has code and message. */
export type FakeOperations = Readonly<Record<string, Fake | ((params: string) => Fake)>>;
type Fake = string | { readonly code: number; readonly message: string };

export function fakeOperations(answers: FakeOperations): Operations {
  const callRaw = async (method: string, params: string): Promise<string> => {
    const given = answers[method];
    const answer = typeof given === 'function' ? given(params) : given;
    if (answer === undefined) throw new Error(`the test has no answer of ${method} ${params}`);
    if (typeof answer === 'string') return answer;
    throw new OperationFailed(method, answer.code, answer.message);
  };
  return {
    call: async (method, ...params) => parseJson(await callRaw(method, JSON.stringify(params))),
    callRaw: (method, params) => callRaw(method, JSON.stringify(params)),
  };
}

/** Status and parsed body of an answer. */
export interface Asked {
  readonly status: number;
  readonly body: { readonly data?: unknown; readonly page?: { readonly next: string }; readonly error?: { readonly message?: string } };
}

/** A regtest node for requests to the API. */
export function oceanNode(answers: FakeOperations, modules: Partial<OceanModules> = {}) {
  const tip = { hash: new Uint8Array(32), height: 100 };
  const chain = { params: networkParams({ network: 'regtest' }), tip } as unknown as OceanModules['chain'];
  const api = new OceanApi(
    {
      chain,
      operations: fakeOperations(answers),
      rows: { view: new MemoryStore(), position: undefined },
      txIndex: undefined,
      perTip: new TipCache(() => tip.hash),
      clock: { now: () => 1_700_000_000_000, seconds: () => 1_700_000_000 },
      ...modules,
    },
    oceanRoutes,
    { log: silentLogger, metrics: { answered() {} } },
  );
  /** @param path below `/v0/regtest/`; a body makes the request a POST */
  return async (path: string, body?: string): Promise<Asked> => {
    const method = body === undefined ? 'GET' : 'POST';
    const target = `/v0/regtest/${path}`;
    const reply = await api.answer({ method, target, body: async () => (body === undefined ? undefined : parseJson(body)) });
    return { status: reply.status, body: JSON.parse(reply.body) };
  };
}
