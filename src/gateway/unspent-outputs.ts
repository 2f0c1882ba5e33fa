import { bool, DecodeError, decode, encode, i32, list, restBytes, struct, u32, varBytes } from '../primitives/codec.js';
import { formatHash, hash256, parseHash256 } from '../primitives/hash.js';
import { outPoint } from '../primitives/outpoint.js';
import { type TxOut, transaction, txOut } from '../primitives/transaction.js';
import { parseDecimal } from '../rpc/shapes.js';
import { fromHex, toHex } from '../util/bytes.js';
import { JsonNumber, JsonObject, type JsonValue, writeJson } from '../util/json.js';
import { asObject, asText, numberOf, type Resource, RestRefusal } from './defid-answer.js';

const MAX_OUTPOINTS = 15;
/** Height of outputs in the mempool. */
const MEMPOOL_HEIGHT = 0x7fff_ffff;

type Call = (method: string, ...args: JsonValue[]) => Promise<JsonValue>;

/** An outpoint. */
interface Point {
  /** Hex in display order. */
  readonly txid: string;
  readonly n: number;
}

/** A parsed request. */
interface OutputsRequest {
  readonly withMempool: boolean;
  readonly points: readonly Point[];
}

/** Result of a search: the chain at that moment, and for each requested outpoint the output if it is unspent. */
interface Lookup {
  readonly height: number;
  readonly tip: string;
  readonly outputs: readonly (Unspent | undefined)[];
}

interface Unspent extends Point {
  readonly height: number;
  readonly value: JsonValue;
  readonly scriptPubKey: JsonObject;
}

/** Binary request, with its length in front: mempool flag and outpoints; trailing bytes are ignored. */
const requestBytes = struct<{ withMempool: boolean; points: readonly { txid: Uint8Array; vout: number }[]; rest: Uint8Array }>({
  withMempool: bool,
  points: list(outPoint),
  rest: restBytes,
});

/**
 * `getutxos` of the REST interface of `defid` (BIP64): unspent outputs among given outpoints, which are in the path or in the body of a
 * binary request.
 * @see docs/protocol/rpc-chain.md 1.15
 */
export class UnspentOutputs {
  readonly #answer: ReturnType<typeof answerBytes>;

  /** @param tokenIds outputs are serialised with token id */
  constructor(
    readonly call: Call,
    readonly tokenIds: boolean,
  ) {
    this.#answer = answerBytes(tokenIds);
  }

  /** @param path path after `getutxos`, without format */
  find(path: string, body: Uint8Array): Resource {
    const parts = path.length > 1 ? path.slice(1).split('/') : [];
    if (parts.length === 0 && body.length === 0) throw emptyRequest();
    const inPath = parts.length > 0 ? readPath(parts) : undefined;
    return {
      json: async () => writeJson(await this.#json(inPath ?? refuse(emptyRequest()))),
      hex: async (format) => this.#hex(readRequest(format === 'hex' ? leadingHex(body) : body, inPath)),
      formats: '.bin, .hex, .json',
    };
  }

  async #json(request: OutputsRequest): Promise<JsonValue> {
    const { height, tip, outputs } = await this.#lookUp(request);
    const utxos = outputs.flatMap((output) => (output ? [jsonOf(output)] : []));
    return new JsonObject([
      ['chainHeight', new JsonNumber(String(height))],
      ['chaintipHash', tip],
      ['bitmap', outputs.map((output) => (output ? '1' : '0')).join('')],
      ['utxos', utxos],
    ]);
  }

  async #hex(request: OutputsRequest): Promise<string> {
    const { height, tip, outputs } = await this.#lookUp(request);
    const bitmap = new Uint8Array(Math.ceil(outputs.length / 8));
    const coins: Coin[] = [];
    // Requested outputs are often those of one transaction.
    const known = new Map<string, readonly TxOut[]>();
    const tokenOf = async (output: Unspent): Promise<number> => {
      const outputs = known.get(output.txid) ?? (await this.#outputsOf(output));
      known.set(output.txid, outputs);
      return outputs[output.n]?.tokenId ?? 0;
    };
    for (const [i, output] of outputs.entries()) {
      if (!output) continue;
      bitmap[i >> 3] = (bitmap[i >> 3] ?? 0) | (1 << (i & 7));
      const { value, scriptPubKey } = output;
      const out = {
        value: parseDecimal(value instanceof JsonNumber ? value.text : ''),
        scriptPubKey: fromHex(asText(scriptPubKey.get('hex') ?? null)),
        tokenId: this.tokenIds ? await tokenOf(output) : 0,
      };
      coins.push({ version: 0, height: output.height, out });
    }
    return toHex(encode(this.#answer, { height, tip: parseHash256(tip), bitmap, coins }));
  }

  async #lookUp({ withMempool, points }: OutputsRequest): Promise<Lookup> {
    if (points.length > MAX_OUTPOINTS) {
      throw new RestRefusal(400, `Error: max outpoints exceeded (max: ${MAX_OUTPOINTS}, tried: ${points.length})`);
    }
    const tip = asText(await this.call('getbestblockhash'));
    const height = numberOf(await this.call('getblockcount'));
    const outputs: (Unspent | undefined)[] = [];
    for (const { txid, n } of points) {
      const found = await this.call('gettxout', txid, new JsonNumber(String(n)), withMempool);
      outputs.push(found instanceof JsonObject ? unspent({ txid, n }, found, height) : undefined);
    }
    return { height, tip, outputs };
  }

  /** Outputs of the transaction of an output; only they contain its token id. */
  async #outputsOf({ txid, height }: Unspent): Promise<readonly TxOut[]> {
    const block = height === MEMPOOL_HEIGHT ? [] : [await this.call('getblockhash', new JsonNumber(String(height)))];
    const hex = asText(await this.call('getrawtransaction', txid, false, ...block));
    return decode(transaction({ tokenIds: true }), fromHex(hex)).vout;
  }
}

interface Coin {
  /** Formerly the version of the transaction; always 0. */
  readonly version: number;
  readonly height: number;
  readonly out: TxOut;
}

function answerBytes(tokenIds: boolean) {
  const coin = struct<Coin>({ version: u32, height: u32, out: txOut(tokenIds) });
  return struct<{ height: number; tip: Uint8Array; bitmap: Uint8Array; coins: readonly Coin[] }>({
    height: i32,
    tip: hash256,
    bitmap: varBytes,
    coins: list(coin),
  });
}

function emptyRequest(): RestRefusal {
  return new RestRefusal(400, 'Error: empty request');
}

function refuse(refusal: RestRefusal): never {
  throw refusal;
}

function readPath(parts: readonly string[]): OutputsRequest {
  const withMempool = parts[0] === 'checkmempool';
  const points = parts.slice(withMempool ? 1 : 0).map(parsePoint);
  if (points.length === 0) throw emptyRequest();
  return { withMempool, points };
}

/**
 * Parses `<txid>-<n>` as `defid` does: a txid that is too short is padded, one that is too long is cut, and a text without dash is both
 * txid and number.
 */
function parsePoint(text: string): Point {
  const dash = text.indexOf('-');
  const id = dash < 0 ? text : text.slice(0, dash);
  const index = text.slice(dash + 1);
  const n = /^[+-]?\d+$/.test(index) ? Number(index) : Number.NaN;
  const isIndex = n >= -0x8000_0000 && n <= 0x7fff_ffff;
  if (!isIndex || !/^(?:[0-9a-fA-F]{2})+$/.test(id)) throw new RestRefusal(400, 'Parse error');
  return { txid: id.slice(-64).padStart(64, '0').toLowerCase(), n };
}

/**
 * Reads the body of a request. `defid` puts the length of the body in front before it decodes both: the length is the mempool flag, and the
 * body must begin with the number of outpoints. A body in the form of BIP64, which begins with the flag, is misread.
 */
function readRequest(bytes: Uint8Array, inPath: OutputsRequest | undefined): OutputsRequest {
  if (bytes.length === 0) return inPath ?? { withMempool: false, points: [] };
  if (inPath) throw new RestRefusal(400, 'Combination of URI scheme inputs and raw post data is not allowed');
  try {
    const { withMempool, points } = decode(requestBytes, encode(varBytes, bytes));
    return { withMempool, points: points.map(({ txid, vout }) => ({ txid: formatHash(txid), n: vout | 0 })) };
  } catch (error) {
    throw error instanceof DecodeError ? new RestRefusal(400, 'Parse error') : error;
  }
}

/** Bytes of the hex digits at the start of a text; white space between bytes is ignored. */
function leadingHex(text: Uint8Array): Uint8Array {
  const [digits = ''] = /^(?:[ \t-\r]*[0-9a-fA-F]{2})*/.exec(Buffer.from(text).toString('latin1')) ?? [];
  return fromHex(digits.replace(/[ \t-\r]/g, ''));
}

function unspent(point: Point, output: JsonObject, tipHeight: number): Unspent {
  const confirmations = numberOf(output.get('confirmations'));
  return {
    ...point,
    height: confirmations === 0 ? MEMPOOL_HEIGHT : tipHeight - confirmations + 1,
    value: output.get('value') ?? null,
    scriptPubKey: asObject(output.get('scriptPubKey') ?? null),
  };
}

function jsonOf({ height, value, scriptPubKey }: Unspent): JsonObject {
  return new JsonObject([
    ['height', new JsonNumber(String(height))],
    ['value', value],
    ['scriptPubKey', scriptPubKey],
  ]);
}
