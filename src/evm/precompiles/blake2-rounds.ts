/**
 * Rounds of BLAKE2b as a WebAssembly module, put together here: its 64-bit words are forty times as fast as pairs of numbers, and a
 * block may ask for 30 million rounds.
 */

/** Words of the state that the rounds mix, and of the message. */
export const WORDS = 16;
const WORD_BYTES = 8;
/** Order of the message words in each round, then repeated. @see RFC 7693, 2.7 */
const SIGMA: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
/** Columns, then diagonals, of the four by four words that a round mixes. */
const MIXED: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

/** Bytes of WebAssembly. @see WebAssembly core specification, 5.4 and 5.5 */
const Wasm = {
  block: 0x02,
  loop: 0x03,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  load64: 0x29,
  store64: 0x37,
  const32: 0x41,
  const64: 0x42,
  isZero32: 0x45,
  subtract32: 0x6b,
  add64: 0x7c,
  xor64: 0x85,
  rotateRight64: 0x8a,
  noResult: 0x40,
  function: 0x60,
  int32: 0x7f,
  int64: 0x7e,
} as const;
const Section = { types: 1, functions: 3, memories: 5, exports: 7, code: 10 } as const;
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
/** Exponent of the alignment of a 64-bit word. */
const ALIGN_64 = 3;
/** Local variables: the count of rounds, the state, the message. */
const COUNT = 0;
const STATE = 1;
const MESSAGE = STATE + WORDS;

/** Rounds of one call, a multiple of ten. Only functions that are called often are compiled to fast code. */
const ROUNDS_PER_CALL = 1_000;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  mix(rounds: number): void;
}

/** The part of WebAssembly that is used; the types of Node.js have no values of it. */
const engine = (globalThis as unknown as { readonly WebAssembly: WasmEngine }).WebAssembly;
interface WasmEngine {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}

let loaded: { readonly mix: Exports['mix']; readonly words: BigUint64Array } | undefined;

/** Mixes a message of 16 words into a state of 16 words, in place. */
export function mixRounds(state: BigUint64Array, message: BigUint64Array, rounds: number): void {
  loaded ??= load();
  loaded.words.set(state);
  loaded.words.set(message, WORDS);
  for (let left = rounds; left > 0; left -= ROUNDS_PER_CALL) loaded.mix(Math.min(left, ROUNDS_PER_CALL));
  state.set(loaded.words.subarray(0, WORDS));
}

function load(): NonNullable<typeof loaded> {
  const { memory, mix } = new engine.Instance(new engine.Module(assemble())).exports;
  return { mix, words: new BigUint64Array(memory.buffer, 0, 2 * WORDS) };
}

/** The module: one page of memory with state and message, and `mix`, which reads and writes them. */
function assemble(): Uint8Array {
  const loads = Array.from({ length: 2 * WORDS }, (_, i) => [...load64(i), Wasm.localSet, STATE + i]);
  const stores = Array.from({ length: WORDS }, (_, i) => [
    ...[Wasm.const32, 0, Wasm.localGet, STATE + i],
    ...[Wasm.store64, ALIGN_64, ...unsigned(i * WORD_BYTES)],
  ]);
  const body = [
    ...[1, 2 * WORDS, Wasm.int64],
    ...loads.flat(),
    ...[Wasm.block, Wasm.noResult, Wasm.loop, Wasm.noResult],
    ...SIGMA.flatMap(round),
    ...[Wasm.br, 0, Wasm.end, Wasm.end],
    ...stores.flat(),
    Wasm.end,
  ];
  return Uint8Array.from([
    ...HEADER,
    ...section(Section.types, [1, Wasm.function, 1, Wasm.int32, 0]),
    ...section(Section.functions, [1, 0]),
    ...section(Section.memories, [1, 0, 1]),
    ...section(Section.exports, [2, ...name('memory'), 2, 0, ...name('mix'), 0, 0]),
    ...section(Section.code, [1, ...sized(body)]),
  ]);
}

/** One round, or the end of the loop if none is left. */
function round(sigma: readonly number[]): number[] {
  const stop = [Wasm.localGet, COUNT, Wasm.isZero32, Wasm.brIf, 1];
  const count = [Wasm.localGet, COUNT, Wasm.const32, 1, Wasm.subtract32, Wasm.localSet, COUNT];
  return [...stop, ...count, ...MIXED.flatMap((words, i) => mixWords(words, sigma[2 * i] as number, sigma[2 * i + 1] as number))];
}

/** Function G. @see RFC 7693, 3.1 */
function mixWords([a, b, c, d]: readonly [number, number, number, number], x: number, y: number): number[] {
  return [
    ...[...add(a, STATE + b), ...add(a, MESSAGE + x), ...rotate(d, a, 32), ...add(c, STATE + d), ...rotate(b, c, 24)],
    ...[...add(a, STATE + b), ...add(a, MESSAGE + y), ...rotate(d, a, 16), ...add(c, STATE + d), ...rotate(b, c, 63)],
  ];
}

function add(to: number, local: number): number[] {
  return [Wasm.localGet, STATE + to, Wasm.localGet, local, Wasm.add64, Wasm.localSet, STATE + to];
}

/** Rotates the exclusive or of two words of the state to the right; `bits` is below 64, so one byte holds it. */
function rotate(to: number, other: number, bits: number): number[] {
  const mixed = [Wasm.localGet, STATE + to, Wasm.localGet, STATE + other, Wasm.xor64];
  return [...mixed, Wasm.const64, bits, Wasm.rotateRight64, Wasm.localSet, STATE + to];
}

function load64(word: number): number[] {
  return [Wasm.const32, 0, Wasm.load64, ALIGN_64, ...unsigned(word * WORD_BYTES)];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function name(text: string): number[] {
  return sized([...Buffer.from(text, 'ascii')]);
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content];
}

/** Unsigned number, seven bits a byte, low bits first. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}
