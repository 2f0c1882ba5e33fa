import type { Transaction } from '../../../src/primitives/transaction.js';
import { Op } from '../../../src/script/opcodes.js';
import { buildScript, scriptOps } from '../../../src/script/script.js';
import { concatBytes, EMPTY_BYTES } from '../../../src/util/bytes.js';
import { mutated, type Random } from '../mutate.js';
import { AMOUNTS, bytesOf, craftedBody } from './crafted.js';

/** Bytes before the body of a message: the marker and the type. */
const PREFIX_BYTES = 5;
/** Length of an id, with which many bodies begin. */
const ID_BYTES = 32;
/** Payloads that are kept. */
const MAX_PAYLOADS = 300;

/** Payloads of the messages of a chain, from which wrong ones are made. */
export class Payloads {
  readonly #all: Uint8Array[] = [];
  /** Ids of their transactions. */
  readonly #ids: Uint8Array[] = [];
  /** Scripts, keys and ids in them. */
  readonly #bytes: Uint8Array[] = [];

  constructor(private readonly random: Random) {}

  note(tx: Pick<Transaction, 'vout' | 'txid'>): void {
    const payload = payloadOf(tx);
    if (!payload) return;
    for (const [list, bytes] of [
      [this.#all, payload],
      [this.#ids, tx.txid],
      ...bytesOf(messageOf(payload)).map((bytes) => [this.#bytes, bytes] as const),
    ] as const) {
      list.push(bytes);
      if (list.length > MAX_PAYLOADS) list.splice(this.random.below(MAX_PAYLOADS), 1);
    }
  }

  any(): Uint8Array {
    return this.#all.length === 0 ? EMPTY_BYTES : this.random.pick(this.#all);
  }

  /** The payload with another body, most of the time. */
  changed(payload: Uint8Array): Uint8Array {
    const { random } = this;
    const [prefix, body] = [payload.subarray(0, PREFIX_BYTES), payload.subarray(PREFIX_BYTES)];
    const crafted = random.below(3) > 0 ? craftedBody(messageOf(payload), random, [...this.#bytes, ...this.#ids]) : undefined;
    if (crafted) return concatBytes(prefix, crafted);
    const kind = random.below(11);
    if (kind === 10 && body.length >= ID_BYTES && this.#ids.length > 0)
      return concatBytes(prefix, random.pick(this.#ids), body.subarray(ID_BYTES));
    if (kind === 0) return this.any();
    if (kind === 1) return mutated(payload, random, [payload, this.any()]);
    if (kind <= 4 && body.length >= 8) return concatBytes(prefix, this.#withAmount(body));
    if (kind <= 7 && body.length > 0) return concatBytes(prefix, this.#withByte(body));
    return concatBytes(prefix, mutated(body, random, [body, this.any().subarray(PREFIX_BYTES)]));
  }

  #withByte(body: Uint8Array): Uint8Array {
    const { random } = this;
    const copy = Uint8Array.from(body);
    copy[random.below(copy.length)] = random.below(random.pick([4, 256]));
    return copy;
  }

  /** Puts an amount at a random place of a body. */
  #withAmount(body: Uint8Array): Uint8Array {
    const copy = Buffer.from(body);
    copy.writeBigInt64LE(this.random.pick(AMOUNTS), this.random.below(copy.length - 7));
    return copy;
  }
}

/** Data of the first output if that is a message. */
export function payloadOf({ vout: [out] }: Pick<Transaction, 'vout'>): Uint8Array | undefined {
  if (!out) return undefined;
  const [first, push] = scriptOps(out.scriptPubKey);
  return first?.opcode === Op.RETURN && push?.data && push.data.length >= PREFIX_BYTES ? push.data : undefined;
}

function messageOf(payload: Uint8Array) {
  return { type: String.fromCharCode(typeOf(payload)), body: payload.subarray(PREFIX_BYTES) };
}

/** Type of the message of a payload. */
export function typeOf(payload: Uint8Array): number {
  return payload[PREFIX_BYTES - 1] as number;
}

/** Output script of a message. */
export function messageScript(payload: Uint8Array): Uint8Array {
  return buildScript(Op.RETURN, payload);
}
