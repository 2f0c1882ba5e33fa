import { setImmediate } from 'node:timers/promises';
import { parseHash256 } from '../primitives/hash.js';
import { toHex } from '../util/bytes.js';
import { type ErrorKind, NodeError } from '../util/errors.js';
import { JsonNumber, JsonObject, type JsonValue, parseJson, parseJsonInSlices, writeJson } from '../util/json.js';
import { asObject, asText, numberOf, type Resource, RestRefusal } from './defid-answer.js';
import { restTransaction } from './defid-transaction.js';
import type { HttpCall } from './http-call.js';
import type { RpcOperations } from './jsonrpc.js';
import { type Body, textOf } from './reply.js';
import { UnspentOutputs } from './unspent-outputs.js';

const MAX_HEADERS = 2000;
/** Characters from which an answer, such as a large transaction in hex, is parsed in slices. */
const LONG_ANSWER = 2 ** 20;
const UNLIMITED = { onValues: (): void => {} };
const HASH = /^[0-9a-fA-F]{64}$/;
/** Characters that `defid` leaves out where it repeats text of the caller. */
const UNSAFE_CHARACTERS = /[^A-Za-z0-9 .,;\-_/:?@()]/g;
const MISSING: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['block-not-found', 'transaction-not-found', 'not-found']);

const ALL_FORMATS = '.bin, .hex, .json';

/** Resources of the REST interface of `defid`, built from the answers of JSON-RPC operations. One instance per request. */
export class DefidResources {
  /** By the path after `/rest/`; a longer prefix comes before a shorter one. */
  readonly #byPrefix: readonly (readonly [prefix: string, resource: (rest: string) => Resource])[] = [
    ['tx/', (id) => this.#transaction(id)],
    ['block/notxdetails/', (hash) => this.#block(hash, 1)],
    ['block/', (hash) => this.#block(hash, 2)],
    ['headers/', (rest) => this.#headers(rest)],
    ['chaininfo', () => ({ json: () => this.#written('getblockchaininfo'), formats: 'json' })],
    ['mempool/info', () => ({ json: () => this.#written('getmempoolinfo'), formats: 'json' })],
    ['mempool/contents', () => ({ json: () => this.#written('getrawmempool', true), formats: 'json' })],
    ['getutxos', (rest) => this.#outputs.find(rest, this.body)],
    ['blockhashbyheight/', (height) => this.#hashByHeight(height)],
  ];

  readonly #outputs: UnspentOutputs;

  /** @param tokenIds outputs are serialised with token id */
  constructor(
    readonly operations: RpcOperations,
    readonly call: HttpCall,
    readonly body: Uint8Array,
    tokenIds: boolean,
  ) {
    this.#outputs = new UnspentOutputs((method, ...args) => this.#call(method, ...args), tokenIds);
  }

  /** @param name path after `/rest/`, without format @returns undefined for a path that `defid` does not have */
  find(name: string): (() => Resource) | undefined {
    const entry = this.#byPrefix.find(([prefix]) => name.startsWith(prefix));
    return entry && (() => entry[1](name.slice(entry[0].length)));
  }

  #transaction(txid: string): Resource {
    requireHash(txid);
    const raw = () => this.#require(txid, 'getrawtransaction', txid, false);
    return {
      json: async () => restTransaction(await found(txid, this.#written('getrawtransaction', txid, true))),
      hex: async () => asText(await raw()),
      formats: ALL_FORMATS,
      requireSubject: raw,
    };
  }

  #block(hash: string, verbosity: number): Resource {
    requireHash(hash);
    const raw = () => this.#require(hash, 'getblock', hash, new JsonNumber('0'));
    return {
      json: () => found(hash, this.#written('getblock', hash, new JsonNumber(String(verbosity)))),
      hex: async () => asText(await raw()),
      formats: ALL_FORMATS,
      requireSubject: raw,
    };
  }

  #headers(rest: string): Resource {
    const [countText = '', hash, ...more] = rest.split('/');
    if (hash === undefined || more.length > 0) {
      throw new RestRefusal(400, 'No header count specified. Use /rest/headers/<count>/<hash>.<ext>.');
    }
    const count = Number.parseInt(countText, 10) || 0;
    if (count < 1 || count > MAX_HEADERS) throw new RestRefusal(400, `Header count out of range: ${countText}`);
    requireHash(hash);
    return {
      json: async () => writeJson(await this.#headersFrom(hash, count)),
      hex: async () => {
        const parts: string[] = [];
        for (const header of await this.#headersFrom(hash, count)) {
          parts.push(asText(await this.#call('getblockheader', asObject(header).get('hash') ?? null, false)));
        }
        return parts.join('');
      },
      formats: '.bin, .hex', // `defid` does not list JSON here, although it answers it
    };
  }

  /** Headers of the active chain from a block on; empty if the block is unknown or not in the active chain. */
  async #headersFrom(hash: string, count: number): Promise<JsonValue[]> {
    const headers: JsonValue[] = [];
    let next: JsonValue | undefined = hash;
    while (typeof next === 'string' && headers.length < count) {
      const header: JsonValue | undefined = await this.#call('getblockheader', next, true).catch(undefinedIfMissing);
      if (!(header instanceof JsonObject) || numberOf(header.get('confirmations')) < 0) break;
      headers.push(header);
      next = header.get('nextblockhash');
      if (headers.length % 100 === 0) await setImmediate();
    }
    return headers;
  }

  #hashByHeight(text: string): Resource {
    const height = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    const isHeight = height >= 0 && height <= 0x7fff_ffff;
    if (!isHeight) throw new RestRefusal(400, `Invalid height: ${text.replace(UNSAFE_CHARACTERS, '')}`);
    const hash = async (): Promise<string> => {
      try {
        return asText(await this.#call('getblockhash', new JsonNumber(String(height))));
      } catch (error) {
        throw error instanceof NodeError && error.kind === 'out-of-range' ? new RestRefusal(404, 'Block height out of range') : error;
      }
    };
    return {
      json: async () => writeJson(new JsonObject([['blockhash', await hash()]])),
      // `bin` is in internal byte order, hex in display order.
      hex: async (format) => (format === 'bin' ? toHex(parseHash256(await hash())) : hash()),
      formats: ALL_FORMATS,
      requireSubject: hash,
    };
  }

  /** Result of an operation about `subject`. @throws {RestRefusal} 404 if it does not exist */
  #require(subject: string, method: string, ...args: JsonValue[]): Promise<JsonValue> {
    return found(subject, this.#call(method, ...args));
  }

  async #call(method: string, ...args: JsonValue[]): Promise<JsonValue> {
    const text = textOf(await this.#written(method, ...args));
    return text.length < LONG_ANSWER ? parseJson(text) : parseJsonInSlices(text, UNLIMITED);
  }

  /** Result of an operation as JSON text. */
  async #written(method: string, ...args: JsonValue[]): Promise<Body> {
    this.operations.requireAccess(method, this.call.caller);
    return this.operations.answer(method, args, this.call);
  }
}

/** Translates errors about a missing or pruned `subject` into 404. */
async function found<T>(subject: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (MISSING.has(error.kind)) throw new RestRefusal(404, `${subject} not found`);
    if (/pruned/.test(error.message)) throw new RestRefusal(404, `${subject} not available (pruned data)`);
    throw error;
  }
}

function requireHash(text: string): void {
  if (!HASH.test(text)) throw new RestRefusal(400, `Invalid hash: ${text}`);
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof NodeError && MISSING.has(error.kind)) return undefined;
  throw error;
}
