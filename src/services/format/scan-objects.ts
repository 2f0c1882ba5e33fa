import type { DescriptorEntry, RangedDescriptor } from '../../../gen/ts/dfi/types/v1/descriptor.js';
import { rawJson } from '../../rpc/bind.js';
import type { Expansion } from '../../script/descriptor.js';
import { parseDescriptor } from '../../script/descriptor-parser.js';
import { invalidParameter, NodeError } from '../../util/errors.js';
import { type JsonValue, kindOf } from '../../util/json.js';
import { type Abortable, Slicer } from '../../util/slicer.js';
import { type IndexRange, readRange } from './descriptor-range.js';
import { type ScriptParams, scriptOptions } from './script.js';

/** Scan objects of a request: the messages and, over JSON-RPC, the JSON that they were read from. */
export interface ScanObjects {
  readonly entries: readonly DescriptorEntry[];
  readonly json: JsonValue | undefined;
}

/** Lets the caller stop the expansion. */
export interface ScanControl {
  /** True once the caller has aborted the scan; the remaining objects are skipped. */
  readonly aborted: boolean;
}

interface ScanObject {
  readonly text: string;
  /** Undefined for the default of ranged descriptors. */
  readonly range: IndexRange | undefined;
}

/** Limit of indexes of all objects together: each script takes up to 1 kB while the objects are in use. */
const MAX_INDEXES = 1_000_000;
const DEFAULT_RANGE: IndexRange = { first: 0, last: 1000 };
const SINGLE: IndexRange = { first: 0, last: 0 };

/**
 * Scripts and keys of descriptors, index by index. Works in slices.
 * @throws {NodeError} for the first invalid object
 * @see docs/protocol/rpc-chain.md 3.1.26
 */
export async function* expandScanObjects(
  objects: ScanObjects,
  params: ScriptParams,
  control: ScanControl,
  call?: Abortable,
): AsyncIterable<Expansion> {
  const slicer = new Slicer(call);
  let indexes = 0;
  for (const { text, range } of readScanObjects(objects)) {
    const descriptor = parseDescriptor(text, params.address, scriptOptions(params));
    const { first, last } = descriptor.isRange ? (range ?? DEFAULT_RANGE) : SINGLE;
    indexes += last - first + 1;
    if (indexes > MAX_INDEXES) throw invalidParameter('Range is too large');
    await slicer.run(descriptor.prepare());
    for (let index = first; index <= last && !control.aborted; index++) {
      const paused = slicer.pause();
      if (paused) await paused;
      const expansion = descriptor.expand(index);
      if (!expansion) throw new NodeError('invalid-address', `Cannot derive script without private keys: '${text}'`);
      yield expansion;
    }
  }
}

/** Reads the objects lazily, so that the error of the first invalid one is thrown. */
function* readScanObjects({ entries, json }: ScanObjects): Iterable<ScanObject> {
  for (const [i, entry] of entries.entries()) {
    const kind = Array.isArray(json) ? kindOf(json[i] ?? null) : undefined;
    const form = kind === undefined || kind === 'string' || kind === 'object' ? entry.form : undefined;
    if (!form) throw invalidParameter('Scan object needs to be either a string or an object');
    yield form.$case === 'text' ? { text: form.value, range: undefined } : readRanged(form.value);
  }
}

function readRanged(ranged: RangedDescriptor): ScanObject {
  // A missing member has an error text of its own; reading it as a string would give another one.
  const isMissing = rawJson(ranged) === undefined ? ranged.desc === undefined : (rawJson(ranged, 'desc') ?? null) === null;
  if (isMissing) throw invalidParameter('Descriptor needs to be provided in scan object');
  return { text: ranged.desc ?? '', range: readRange(ranged) };
}
