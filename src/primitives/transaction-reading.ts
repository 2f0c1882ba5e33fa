import { EMPTY_BYTES } from '../util/bytes.js';
import { type ByteReader, type Codec, compactSize, DecodeError, i32, u32 } from './codec.js';
import { outPoint } from './outpoint.js';
import { txidPreimage } from './preimage.js';
import type { TxIn, TxOut } from './transaction.js';
import { SerialisedWitness, skipItem, type WitnessStack } from './witness.js';

const NO_WITNESS: WitnessStack = [];
/** Witnesses with more items are kept as bytes: no script can use that many. */
const MANY_ITEMS = 1_200;
/** Items that are skipped in the time in which one element of a list is read. */
const SKIPPED_PER_ELEMENT = 32;

/** An input whose witness is still to be read. */
type OpenTxIn = { -readonly [K in keyof TxIn]: TxIn[K] };

/** Elements for which a list is allocated before they are read: a list that grows takes room for 17 at first. */
const ALLOCATED_ITEMS = 16;

function listFor<T>(count: number): T[] {
  return new Array<T>(Math.min(count, ALLOCATED_ITEMS));
}

/**
 * A transaction in the course of being read, so that a long one can be read in slices. No generator reads it, because short ones are read
 * by the thousand.
 */
export class TransactionReading {
  vin: OpenTxIn[] = [];
  vout: TxOut[] = [];
  version = 0;
  lockTime = 0;
  hasWitnesses = false;
  #start = 0;
  #coreStart = 0;
  #coreEnd = 0;
  #next: 'start' | 'inputs' | 'outputs' | 'witnesses' | 'end' = 'start';
  /** Elements of the list that is being read, and how many of them are. */
  #count = 0;
  #done = 0;
  #flags = 0;
  #isSuperfluous = false;
  /** The long witness that is being read. */
  #skipping: WitnessSkipping | undefined;
  #out: Codec<TxOut> | undefined;

  /** @param outputOf format of the outputs of a transaction of that version */
  constructor(
    private readonly r: ByteReader,
    private readonly outputOf: (version: number) => Codec<TxOut>,
    private readonly allowWitness: boolean,
  ) {}

  /** Reads on, but no more than about `items` elements of lists. @returns true at the end */
  advance(items: number): boolean {
    if (this.#next === 'start') this.#readStart();
    if (this.#next === 'inputs' && this.#readInputs(items)) this.#beginOutputs();
    if (this.#next === 'outputs' && this.#readOutputs(items)) this.#endCore();
    if (this.#next === 'witnesses' && this.#readWitnesses(items)) this.#readEnd();
    return this.#next === 'end';
  }

  /** Serialisation as it was read. */
  raw(): Uint8Array {
    return this.r.since(this.#start);
  }

  /** Bytes of the serialisation without witness data. */
  get strippedSize(): number {
    return this.hasWitnesses ? 8 + this.#coreEnd - this.#coreStart : this.#coreEnd + 4 - this.#start;
  }

  /** Serialisation without witness data, the preimage of the txid. @returns a view until the next one is asked for */
  stripped(raw: Uint8Array): Uint8Array {
    if (!this.hasWitnesses) return raw;
    return txidPreimage(raw, { start: this.#coreStart - this.#start, end: this.#coreEnd - this.#start });
  }

  #readStart(): void {
    const { r } = this;
    this.#start = r.position;
    this.version = i32.read(r);
    this.#out = this.outputOf(this.version);
    this.#beginInputs();
    if (this.#count > 0 || !this.allowWitness) return;
    this.#flags = r.u8();
    if (this.#flags !== 0) this.#beginInputs();
    // An empty list of outputs.
    else this.#endCore();
  }

  #beginInputs(): void {
    this.#coreStart = this.r.position;
    this.#beginList('inputs');
    this.vin = listFor(this.#count);
  }

  #beginOutputs(): void {
    this.#beginList('outputs');
    this.vout = listFor(this.#count);
  }

  #beginList(next: 'inputs' | 'outputs'): void {
    this.#next = next;
    this.#count = compactSize.read(this.r);
    this.#done = 0;
  }

  #readInputs(items: number): boolean {
    const { r, vin } = this;
    for (let i = 0; this.#done < this.#count; i++) {
      if (i >= items) return false;
      vin[this.#done++] = { prevout: outPoint.read(r), scriptSig: readScript(r), sequence: u32.read(r), witness: NO_WITNESS };
    }
    return true;
  }

  #readOutputs(items: number): boolean {
    const { r, vout } = this;
    const out = this.#out as Codec<TxOut>;
    for (let i = 0; this.#done < this.#count; i++) {
      if (i >= items) return false;
      vout[this.#done++] = out.read(r);
    }
    return true;
  }

  #endCore(): void {
    this.#coreEnd = this.r.position;
    this.hasWitnesses = (this.#flags & 1) === 1;
    this.#isSuperfluous = this.hasWitnesses;
    this.#done = 0;
    this.#next = 'witnesses';
  }

  #readWitnesses(items: number): boolean {
    const { r, vin } = this;
    if (!this.hasWitnesses) return true;
    for (let i = 0; this.#done < vin.length; i++) {
      if (i >= items) return false;
      if (this.#skipping) {
        if (!this.#skipping.advance(items * SKIPPED_PER_ELEMENT)) return false;
        this.#endWitness(this.#skipping.end());
        continue;
      }
      const count = compactSize.read(r);
      if (count > MANY_ITEMS) this.#skipping = new WitnessSkipping(r, count);
      else this.#endWitness(readWitness(r, count));
    }
    return true;
  }

  #endWitness(witness: WitnessStack): void {
    this.#skipping = undefined;
    if (witness.length > 0) this.#isSuperfluous = false;
    (this.vin[this.#done++] as OpenTxIn).witness = witness;
  }

  #readEnd(): void {
    if (this.#isSuperfluous) throw new DecodeError('Superfluous witness record');
    if ((this.#flags & ~1) !== 0) throw new DecodeError('Unknown transaction optional data');
    this.lockTime = u32.read(this.r);
    this.#next = 'end';
  }
}

/** Most inputs with a witness have an empty script. */
function readScript(r: ByteReader): Uint8Array {
  const size = compactSize.read(r);
  return size === 0 ? EMPTY_BYTES : r.bytes(size);
}

/** A long witness in the course of being read. Its items are only skipped. */
class WitnessSkipping {
  readonly #start: number;
  #lastAt = 0;
  #done = 0;

  constructor(
    private readonly r: ByteReader,
    private readonly count: number,
  ) {
    this.#start = r.position;
  }

  /** @returns true at the end */
  advance(items: number): boolean {
    const { r, count } = this;
    const stop = Math.min(count, this.#done + items);
    for (; this.#done < stop; this.#done++) {
      if (this.#done === count - 1) this.#lastAt = r.position;
      skipItem(r);
    }
    return this.#done === count;
  }

  end(): WitnessStack {
    return new SerialisedWitness(this.count, this.r.since(this.#start), this.#lastAt - this.#start);
  }
}

function readWitness(r: ByteReader, count: number): WitnessStack {
  if (count === 0) return NO_WITNESS;
  const stack = listFor<Uint8Array>(count);
  for (let i = 0; i < count; i++) stack[i] = r.bytes(compactSize.read(r));
  return stack;
}
