import { existsSync, readFileSync } from 'node:fs';
import { equalBytes } from '../../src/util/bytes.js';
import type { Decoder } from './decoder.js';
import { nextInput, type Random } from './mutate.js';
import { builtSeeds } from './seeds.js';

/** Most processor time for one input. It is looked at if an input takes as long by the clock, which a busy machine alone can cause. */
const HANG_MS = 2_000;
/** Allocating much memory takes time: memory is not checked after a shorter run. */
const MEMORY_CHECK_MS = 25;
/** Limit of the heap, garbage included: inputs are small, and so must be the values made from them. */
const MAX_MEMORY_BYTES = 512 * 2 ** 20;

interface Start {
  readonly ms: number;
  readonly cpu: NodeJS.CpuUsage;
}

/** Description of the fault that these bytes cause in a decoder; undefined if there is none. */
export function faultOf(decoder: Decoder, bytes: Uint8Array): string | undefined {
  const started: Start = { ms: performance.now(), cpu: process.cpuUsage() };
  let value: unknown;
  try {
    value = decoder.decode(bytes);
  } catch (error) {
    return decoder.isOwnError(error) ? excess(started) : `threw ${String(error)}`;
  }
  return excess(started) ?? (decoder.encode ? writingFault(decoder, bytes, value) : undefined);
}

/** Description of excessive time or memory; undefined if both are within the limits. */
function excess(started: Start): string | undefined {
  const ms = performance.now() - started.ms;
  if (ms < MEMORY_CHECK_MS) return undefined;
  if (ms > HANG_MS) {
    const { user, system } = process.cpuUsage(started.cpu);
    const cpuMs = (user + system) / 1_000;
    if (cpuMs > HANG_MS) return `took ${cpuMs.toFixed(0)} ms`;
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const bytes = heapUsed + arrayBuffers;
  return bytes > MAX_MEMORY_BYTES ? `holds ${Math.round(bytes / 2 ** 20)} MiB` : undefined;
}

/**
 * Checks that the value encodes to the same bytes. If a format has several encodings of one value, such as any byte but 0 for true or a
 * list with duplicates, the encoder picks one, and decoding and encoding that must not change it.
 */
function writingFault(decoder: Decoder, bytes: Uint8Array, value: unknown): string | undefined {
  const write = decoder.encode as NonNullable<Decoder['encode']>;
  try {
    const written = write(value);
    if (equalBytes(written, bytes)) return undefined;
    if (decoder.isExact) return `is written as ${hex(written)}`;
    const again = write(decoder.decode(written));
    return equalBytes(again, written) ? undefined : `does not settle: ${hex(written)}, then ${hex(again)}`;
  } catch (error) {
    return `cannot write what it read, or read that again: ${String(error)}`;
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function corpusPath(name: string): URL {
  return new URL(`corpus/${name}.hex`, import.meta.url);
}

/** Saved inputs of a decoder, a line of hex each. */
export function corpusOf(name: string): Uint8Array[] {
  const path = corpusPath(name);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => Buffer.from(line, 'hex'));
}

/** Seeds of mutation: the corpus, and values that our own encoders write. */
export function seedsOf({ name }: Pick<Decoder, 'name'>): readonly Uint8Array[] {
  return [...corpusOf(name), ...(builtSeeds.get(name) ?? [])];
}

/** True if the decoder accepts these bytes. */
export function isDecoded(decoder: Decoder, bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export interface Fault {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Runs a decoder on its seeds, then on random and mutated bytes while `goesOn` returns true. */
export function fuzz(decoder: Decoder, random: Random, goesOn: (tried: number) => boolean): { tried: number; fault: Fault | undefined } {
  const seeds = seedsOf(decoder);
  let tried = 0;
  for (; tried < seeds.length || goesOn(tried); tried++) {
    const bytes = seeds[tried] ?? nextInput(random, seeds);
    const text = faultOf(decoder, bytes);
    if (text !== undefined) return { tried, fault: { bytes, text } };
  }
  return { tried, fault: undefined };
}
