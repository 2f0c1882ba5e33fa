import type { ScanTxOutSetRequest } from '../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import type { RangedDescriptor } from '../../../gen/ts/dfi/types/v1/descriptor.js';
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
  request: Pick<ScanTxOutSetRequest, 'scanobjects'>,
  prefixes: DescriptorPrefixes,
  control: ScanControl,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const slicer = new Slicer(signal);
  const known = new KnownScripts();
  const described = new Map<string, string>();
  for (const { text, range } of scanObjects(request)) {
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

/** One after the other, so that the first that is wrong is told. */
function* scanObjects(request: Pick<ScanTxOutSetRequest, 'scanobjects'>): Iterable<ScanObject> {
  const given = givenJson(request, 'scanobjects');
  for (const [i, entry] of request.scanobjects.entries()) {
    const kind = Array.isArray(given) ? kindOf(given[i] ?? null) : undefined;
    const form = kind === undefined || kind === 'string' || kind === 'object' ? entry.form : undefined;
    if (!form) throw new NodeError('invalid-parameter', 'Scan object needs to be either a string or an object');
    yield form.$case === 'descriptor' ? { text: form.value, range: undefined } : readRanged(form.value);
  }
}

function readRanged(ranged: RangedDescriptor): ScanObject {
  // A missing member is told in words of its own, which reading it as a string would not.
  const isMissing = givenJson(ranged) === undefined ? ranged.desc === undefined : (givenJson(ranged, 'desc') ?? null) === null;
  if (isMissing) throw new NodeError('invalid-parameter', 'Descriptor needs to be provided in scan object');
  return { text: ranged.desc ?? '', range: readRange(ranged) };
}
