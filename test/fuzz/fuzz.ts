import { existsSync, readFileSync } from 'node:fs';
import { equalBytes } from '../../src/util/bytes.js';
import type { Decoder } from './decoder.js';
import { nextInput, type Random } from './mutate.js';
import { builtSeeds } from './seeds.js';

/** One input may take no longer, on a machine that does other things as well. */
const HANG_MS = 2_000;
/** Memory of large size takes time to fill: after less than this nobody needs to look. */
const MEMORY_CHECK_MS = 25;
/** Inputs are small. What they make, together with what is not collected yet, has to stay below this. */
const MAX_MEMORY_BYTES = 512 * 2 ** 20;

/** What is wrong with what a decoder makes of these bytes; undefined if nothing is. */
export function faultOf(decoder: Decoder, bytes: Uint8Array): string | undefined {
  const startedMs = performance.now();
  let value: unknown;
  try {
    value = decoder.decode(bytes);
  } catch (error) {
    return decoder.isOwnError(error) ? excess(startedMs) : `threw ${String(error)}`;
  }
  return excess(startedMs) ?? (decoder.encode ? writingFault(decoder, bytes, value) : undefined);
}

/** Time or memory beyond what is allowed. */
function excess(startedMs: number): string | undefined {
  const ms = performance.now() - startedMs;
  if (ms > HANG_MS) return `took ${ms.toFixed(0)} ms`;
  if (ms < MEMORY_CHECK_MS) return undefined;
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const bytes = heapUsed + arrayBuffers;
  return bytes > MAX_MEMORY_BYTES ? `holds ${Math.round(bytes / 2 ** 20)} MiB` : undefined;
}

/**
 * What was read is written as the same bytes. A format that has several spellings of one value, such as any byte but 0 for true or
 * a list with an entry twice, is written in one of them, and that one stays what it is.
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

/** What mutation starts from: what the corpus holds, and values that our own encoders write. */
export function seedsOf({ name }: Pick<Decoder, 'name'>): readonly Uint8Array[] {
  return [...corpusOf(name), ...(builtSeeds.get(name) ?? [])];
}

/** Whether the decoder takes these bytes. */
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

/** Feeds a decoder its seeds, then random and mutated bytes as long as `goesOn` says so. */
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
