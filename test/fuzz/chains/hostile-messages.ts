import type { NetworkParams } from '../../../src/params/network.js';
import { parseAmount } from '../../../src/primitives/amount.js';
import { parseHash256 } from '../../../src/primitives/hash.js';
import { makeTransaction, SEQUENCE_FINAL, type Transaction, type TxIn, type TxOut } from '../../../src/primitives/transaction.js';
import { decodeDestination, scriptOf } from '../../../src/script/address.js';
import { EMPTY_BYTES, toHex } from '../../../src/util/bytes.js';
import type { NodeClient } from '../calls/node-client.js';
import type { Random } from '../mutate.js';
import type { KeyAddresses } from './draw.js';
import { messageScript, type Payloads, payloadOf, typeOf } from './payloads.js';

/** Satoshis. */
const FEE = 100_000n;
/** Transactions of each type that are kept as sources. */
const MAX_SOURCES = 20;

interface Unspent {
  readonly txid: string;
  readonly vout: number;
  readonly amount: number;
}

export interface HostileMessageParts {
  readonly params: NetworkParams;
  readonly node: NodeClient;
  readonly keys: readonly KeyAddresses[];
  readonly payloads: Payloads;
  /** Signs the inputs of a transaction. @param hex without signatures @returns signed as far as possible */
  readonly sign: (hex: string) => Promise<string>;
}

/** Makes transactions with wrong messages from those of a chain, with fresh inputs of the same owners. */
export class HostileMessages {
  /** By type, so that each type is as frequent. */
  readonly #sources = new Map<number, Transaction[]>();

  constructor(
    private readonly parts: HostileMessageParts,
    private readonly random: Random,
  ) {}

  note(tx: Transaction): void {
    const payload = payloadOf(tx);
    if (!payload) return;
    const type = typeOf(payload);
    const known = this.#sources.get(type) ?? [];
    this.#sources.set(type, known);
    known.push(tx);
    if (known.length > MAX_SOURCES) known.splice(this.random.below(MAX_SOURCES), 1);
  }

  /** A signed transaction, in hex; undefined if there is nothing to make it from. */
  async next(): Promise<string | undefined> {
    const { params, payloads, sign } = this.parts;
    if (this.#sources.size === 0) return undefined;
    const source = this.random.pick(this.random.pick([...this.#sources.values()]));
    const payload = payloadOf(source) ?? EMPTY_BYTES;
    const { vin, value } = await this.#inputs(payload);
    if (vin.length === 0) return undefined;
    const message: TxOut = { ...(source.vout[0] as TxOut), scriptPubKey: messageScript(payloads.changed(payload)) };
    // Some messages, those of ICX among them, allow no output but the change.
    const others = this.random.below(2) === 0 ? source.vout.slice(1, 2) : [];
    const change = value - FEE - [message, ...others].reduce((sum, out) => sum + out.value, 0n);
    const scriptPubKey = this.#scriptOf(this.random.pick(this.parts.keys));
    const vout = change > 0n ? [message, ...others, { value: change, scriptPubKey, tokenId: 0 }] : [message];
    return sign(toHex(makeTransaction({ version: source.version, vin, vout, lockTime: 0 }, params.txFormat).raw));
  }

  /** Inputs of the owners that the message mentions, and of another key. */
  async #inputs(payload: Uint8Array): Promise<{ readonly vin: readonly TxIn[]; readonly value: bigint }> {
    const { keys, node } = this.parts;
    const mentioned = keys.filter((key) => toHex(payload).includes(toHex(this.#scriptOf(key))));
    const owners = new Set([...mentioned.slice(0, 2), this.random.pick([keys[0] as KeyAddresses, this.random.pick(keys)])]);
    const spent: Unspent[] = [];
    for (const { native } of owners) {
      const coins = (await node.result('listunspent', [1, 9_999_999, [native]])) as readonly Unspent[];
      const largest = coins.toSorted((a, b) => b.amount - a.amount)[0];
      if (largest) spent.push(largest);
    }
    const vin = spent.map(({ txid, vout }) => ({
      prevout: { txid: parseHash256(txid), vout },
      scriptSig: EMPTY_BYTES,
      sequence: SEQUENCE_FINAL,
      witness: [],
    }));
    return { vin, value: spent.reduce((sum, { amount }) => sum + (parseAmount(amount.toFixed(8)) ?? 0n), 0n) };
  }

  #scriptOf({ native }: KeyAddresses): Uint8Array {
    const destination = decodeDestination(native, this.parts.params.address);
    if (!destination) throw new RangeError(`no address: ${native}`);
    return scriptOf(destination);
  }
}
