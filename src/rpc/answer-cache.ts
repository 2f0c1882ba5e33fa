import { NodeError } from '../util/errors.js';
import { Lru } from '../util/lru.js';
import type { MaybePromise } from '../util/slicer.js';
import type { Operation } from './catalogue.js';
import { LASTING_ERRORS, statusOf } from './errors.js';
import { grpcStatusName } from './grpc-status.js';
import type { CallContext } from './handler.js';
import type { CallObserver, CallOrigin } from './invoke.js';
import type { JsonAnswer } from './json-sink.js';
import { KnownRequests } from './known-requests.js';
import { Source } from './options.js';
import { mayHoldPrivateKey } from './private-keys.js';

/** Generation of each source: a value that changes whenever the source does. */
export interface Generations {
  tip(): unknown;
  blocks(): unknown;
  mempool(): unknown;
  wallets(): unknown;
  indexes(): unknown;
  clock(): unknown;
  warnings(): unknown;
  minting(): unknown;
  network(): unknown;
}

const generationOf: Readonly<Record<Exclude<Source, typeof Source.NONE>, keyof Generations>> = {
  [Source.TIP]: 'tip',
  [Source.BLOCKS]: 'blocks',
  [Source.MEMPOOL]: 'mempool',
  [Source.WALLETS]: 'wallets',
  [Source.INDEXES]: 'indexes',
  [Source.CLOCK]: 'clock',
  [Source.WARNINGS]: 'warnings',
  [Source.MINTING]: 'minting',
  [Source.NETWORK]: 'network',
};

/** Estimated memory of an entry besides its key and answer, bytes. */
const ENTRY_BYTES = 250;
/** Estimated memory of a piece of bytes besides its content. */
const PIECE_BYTES = 150;
/** Longer answers are kept as bytes, shorter ones as text. */
const LONG_TEXT = 16 * 1024;
/** Pieces up to this size together are joined, bytes. */
const ONE_PIECE = 1 << 20;
/** Share of the cache that a single answer may take. */
const MAX_SHARE = 1 / 8;
/** Share of the cache for texts of requests. */
const REQUEST_SHARE = 1 / 8;

/** Answer of a call, or the error that it ends with. */
export type Outcome = JsonAnswer | NodeError;

/** Call whose outcome is kept, unless the handler says otherwise. */
type KeepableCall = CallOrigin & Pick<CallContext, 'isMomentary'>;

interface Entry {
  readonly outcome: Outcome;
  readonly bytes: number;
}

/** Answers of the operations that declare the same sources. All are of one generation. */
class Group {
  readonly entries = new Lru<string, Entry>(Number.POSITIVE_INFINITY);
  bytes = 0;
  /** Replaced when a source changes. */
  generation: object = {};
  readonly #readings: readonly (() => unknown)[];
  readonly #values: unknown[];

  constructor(readings: readonly (() => unknown)[]) {
    this.#readings = readings;
    this.#values = readings.map((read) => read());
  }

  /** Drops all answers if a source changed since the last call. */
  refresh(): void {
    let changed = false;
    for (let i = 0; i < this.#readings.length; i++) {
      const value = (this.#readings[i] as () => unknown)();
      if (value === this.#values[i]) continue;
      this.#values[i] = value;
      changed = true;
    }
    if (!changed) return;
    this.entries.clear();
    this.bytes = 0;
    this.generation = {};
  }

  drop(entry: Entry | undefined): void {
    if (entry) this.bytes -= entry.bytes;
  }
}

/**
 * Answers of calls and their errors, kept while nothing changes that their operations declare to read. An operation that declares nothing is not cached.
 * The caller's rights are checked before a look-up, and a call that names a wallet is not looked up at all.
 */
export class AnswerCache {
  /** Requests that were answered from the cache. */
  readonly requests: KnownRequests;
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<Operation, Group | undefined>();
  #generations: Generations | undefined;
  #hits = 0;
  #misses = 0;

  constructor(
    readonly maxBytes: number,
    private readonly observer: CallObserver,
  ) {
    this.requests = new KnownRequests(maxBytes * REQUEST_SHARE);
  }

  /** Answers given from the cache so far. */
  get hits(): number {
    return this.#hits;
  }

  /** Calls so far that the cache had no answer to. */
  get misses(): number {
    return this.#misses;
  }

  /** Estimated memory of requests, keys and answers. */
  get bytes(): number {
    let bytes = this.requests.bytes;
    for (const group of this.#groups.values()) bytes += group.bytes;
    return bytes;
  }

  /** Begins to keep answers, once all sources can be read. */
  start(generations: Generations): void {
    this.#generations = generations;
  }

  /** True if the answer of a call may be in the cache. */
  holds(op: Operation, call: Pick<CallContext, 'wallet'>): boolean {
    return call.wallet === undefined && this.#group(op) !== undefined;
  }

  /**
   * Answers a call from the cache, or runs it and keeps its outcome. A call with an argument that could be a private key is only run, because
   * keys must not stay in memory.
   * @param found called if the outcome is in the cache
   * @throws {NodeError} as the call does
   */
  answer(
    op: Operation,
    key: string,
    call: KeepableCall,
    run: () => MaybePromise<JsonAnswer>,
    found?: () => void,
  ): MaybePromise<JsonAnswer> {
    if (op.takesSecrets && mayHoldPrivateKey(key)) return run();
    const known = this.find(op, key);
    if (known === undefined) return this.#run(op, key, call, run);
    this.count(op, known, call);
    found?.();
    if (known instanceof NodeError) throw known;
    return known;
  }

  /**
   * Looks up the outcome of a call, which may not be used.
   * @param key the operation's name, the arguments, and everything else about the request that the answer depends on
   */
  find(op: Operation, key: string): Outcome | undefined {
    const group = this.#group(op);
    if (!group) return undefined;
    group.refresh();
    return group.entries.get(key)?.outcome;
  }

  /** Counts an outcome from the cache as a call of the operation. */
  count(op: Operation, outcome: Outcome, call: CallOrigin): void {
    this.#hits += 1;
    const code = outcome instanceof NodeError ? grpcStatusName(statusOf[outcome.kind].grpc) : 'OK';
    this.observer.finished(call, op.name, code, 0);
  }

  /** Runs a call that is not in the cache. Its outcome is kept unless a source changes before it is complete, or it is momentary. */
  #run(op: Operation, key: string, call: KeepableCall, run: () => MaybePromise<JsonAnswer>): MaybePromise<JsonAnswer> {
    this.#misses += 1;
    // The calls of a batch share one object.
    call.isMomentary = false;
    const group = this.#group(op);
    const generation = group?.generation;
    const keep = (outcome: Outcome): Outcome => {
      if (call.isMomentary) return outcome;
      group?.refresh();
      return group && group.generation === generation ? this.#keep(group, key, outcome) : outcome;
    };
    const keepAnswer = (answer: JsonAnswer): JsonAnswer => keep(answer) as JsonAnswer;
    const keepError = (error: unknown): never => {
      if (error instanceof NodeError && LASTING_ERRORS.has(error.kind)) keep(error);
      throw error;
    };
    try {
      const answer = run();
      return answer instanceof Promise ? answer.then(keepAnswer, keepError) : keepAnswer(answer);
    } catch (error) {
      return keepError(error);
    }
  }

  #keep(group: Group, key: string, given: Outcome): Outcome {
    const outcome = given instanceof NodeError ? given : compact(given);
    const bytes = ENTRY_BYTES + key.length + weightOf(outcome);
    if (bytes > this.maxBytes * MAX_SHARE) return given;
    group.drop(group.entries.get(key));
    group.entries.set(key, { outcome, bytes });
    group.bytes += bytes;
    while (this.bytes > this.maxBytes) this.#dropOldest();
    return outcome;
  }

  /** Drops the least recently used answer of the largest group. */
  #dropOldest(): void {
    let largest: Group | undefined;
    for (const group of this.#groups.values()) if (group.bytes > (largest?.bytes ?? 0)) largest = group;
    largest?.drop(largest.entries.deleteOldest());
  }

  #group(op: Operation): Group | undefined {
    const known = this.#groupOf.get(op);
    if (known || this.#groupOf.has(op)) return known;
    const generations = this.#generations;
    if (!generations) return undefined;
    const group = op.reads.length === 0 || op.streams ? undefined : this.#groupFor(op.reads, generations);
    this.#groupOf.set(op, group);
    return group;
  }

  #groupFor(reads: readonly Source[], generations: Generations): Group {
    const name = [...reads].sort().join();
    let group = this.#groups.get(name);
    if (!group) {
      group = new Group(
        reads.flatMap((source) => {
          if (source === Source.NONE) return [];
          const reading = generationOf[source];
          return [() => generations[reading]()];
        }),
      );
      this.#groups.set(name, group);
    }
    return group;
  }
}

/**
 * A compact copy of an answer: text without the parts from which V8 joined it, or bytes in one piece without the rest of a shared buffer.
 */
function compact(answer: JsonAnswer): JsonAnswer {
  if (typeof answer !== 'string') return sizeOf(answer) <= ONE_PIECE && !isWhole(answer) ? [joined(answer)] : answer;
  const bytes = Buffer.from(answer);
  return answer.length > LONG_TEXT ? [bytes] : bytes.toString();
}

/** True for a single piece that has its memory for itself. */
function isWhole([piece, ...more]: readonly Uint8Array[]): boolean {
  return more.length === 0 && piece?.length === piece?.buffer.byteLength;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(sizeOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Estimated memory of an outcome. */
function weightOf(outcome: Outcome): number {
  if (outcome instanceof NodeError) return PIECE_BYTES + outcome.message.length * 2;
  return sizeOf(outcome) + (typeof outcome === 'string' ? 0 : outcome.length * PIECE_BYTES);
}

function sizeOf(answer: JsonAnswer): number {
  return typeof answer === 'string' ? answer.length * 2 : answer.reduce((sum, piece) => sum + piece.length, 0);
}
