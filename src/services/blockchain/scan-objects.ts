import type { DescriptorEntry, RangedDescriptor } from '../../../gen/ts/dfi/types/v1/descriptor.js';
import { givenJson } from '../../rpc/bind.js';
import { type DescriptorPrefixes, parseDescriptor } from '../../script/descriptor-parser.js';
import { inferDescriptor } from '../../script/infer.js';
import { KnownScripts } from '../../script/known-scripts.js';
import { toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import { kindOf } from '../../util/json.js';
import { Slicer } from '../../util/slicer.js';
import { type IndexRange, readRange } from '../format/descriptor-range.js';

interface ScanObject {
  readonly text: string;
  /** Undefined: the default of ranged descriptors. */
  readonly range: IndexRange | undefined;
}

const DEFAULT_RANGE: IndexRange = { first: 0, last: 1000 };
const SINGLE: IndexRange = { first: 0, last: 0 };

export interface ScanControl {
  /** Whether the scan has been called off: then the rest of the objects is left out. */
  readonly aborted: boolean;
}

/**
 * Scripts that scan objects stand for. Works in slices.
 * @returns by the hex of a script its descriptor with checksum, told by the keys of the objects up to the one that brings it
 * @throws {NodeError} for the first object that is wrong
 */
export async function readScanObjects(
  entries: readonly DescriptorEntry[],
  prefixes: DescriptorPrefixes,
  control: ScanControl,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const slicer = new Slicer(signal);
  const known = new KnownScripts();
  const described = new Map<string, string>();
  for (const entry of entries) {
    const { text, range } = readEntry(entry);
    const descriptor = parseDescriptor(text, prefixes);
    const { first, last } = descriptor.isRange ? (range ?? DEFAULT_RANGE) : SINGLE;
    for (let index = first; index <= last && !control.aborted; index++) {
      const paused = slicer.pause();
      if (paused) await paused;
      const expansion = descriptor.expand(index);
      if (!expansion) throw new NodeError('invalid-address', `Cannot derive script without private keys: '${text}'`);
      known.add(expansion);
      for (const script of expansion.scripts) {
        const hex = toHex(script);
        if (!described.has(hex)) described.set(hex, inferDescriptor(script, known, prefixes).format());
      }
    }
  }
  return described;
}

function readEntry(entry: DescriptorEntry): ScanObject {
  const json = givenJson(entry);
  const isEither = json === undefined || kindOf(json) === 'string' || kindOf(json) === 'object';
  const form = isEither ? entry.form : undefined;
  if (!form) throw new NodeError('invalid-parameter', 'Scan object needs to be either a string or an object');
  return form.$case === 'descriptor' ? { text: form.value, range: undefined } : readRanged(form.value);
}

function readRanged(ranged: RangedDescriptor): ScanObject {
  // A missing member is told in words of its own, which reading it as a string would not.
  const isMissing = givenJson(ranged) === undefined ? ranged.desc === undefined : (givenJson(ranged, 'desc') ?? null) === null;
  if (isMissing) throw new NodeError('invalid-parameter', 'Descriptor needs to be provided in scan object');
  return { text: ranged.desc ?? '', range: readRange(ranged) };
}
