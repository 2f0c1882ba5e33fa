import type {
  DeriveAddressesRequest,
  DeriveAddressesResponse,
  GetDescriptorInfoRequest,
  GetDescriptorInfoResponse,
} from '../../../../gen/ts/dfi/node/v1/util.js';
import { rawJson } from '../../../rpc/bind.js';
import type { Handler } from '../../../rpc/handler.js';
import { destinationOf, encodeDestination } from '../../../script/address.js';
import type { Descriptor } from '../../../script/descriptor.js';
import { checkChecksum } from '../../../script/descriptor-checksum.js';
import { parseDescriptor } from '../../../script/descriptor-parser.js';
import { invalidParameter, NodeError } from '../../../util/errors.js';
import { inSlices, type Steps } from '../../../util/slicer.js';
import { type IndexRange, readRange } from '../../format/descriptor-range.js';
import { type ScriptParams, scriptOptions } from '../../format/script.js';
import type { NodeModules } from '../modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params'> };

export const getDescriptorInfo: Handler<Modules, GetDescriptorInfoRequest, GetDescriptorInfoResponse> = ({ chain }, request) => {
  const text = request.descriptorText;
  const descriptor = parseDescriptor(text, chain.params.address, scriptOptions(chain.params));
  return {
    descriptorText: descriptor.format(),
    checksum: checkChecksum(text, { required: false }).checksum,
    isrange: descriptor.isRange,
    issolvable: descriptor.isSolvable,
    hasprivatekeys: descriptor.hasPrivateKeys,
  };
};

/** Index range of a descriptor without a wildcard. */
const SINGLE: IndexRange = { first: 0, last: 0 };

export const deriveAddresses: Handler<Modules, DeriveAddressesRequest, DeriveAddressesResponse> = ({ chain }, request, call) =>
  inSlices(derive(request, chain.params), call);

function* derive(request: DeriveAddressesRequest, params: ScriptParams): Steps<DeriveAddressesResponse> {
  const text = request.descriptorText;
  const range = readRange(request);
  const descriptor = parseDescriptor(text, params.address, { requireChecksum: true, ...scriptOptions(params) });
  // Null counts as a range, that of the first index.
  const isSpecified = range !== undefined || rawJson(request, 'range') === null;
  if (isSpecified && !descriptor.isRange) throw invalidParameter('Range should not be specified for an un-ranged descriptor');
  if (!isSpecified && descriptor.isRange) throw invalidParameter('Range must be specified for a ranged descriptor');
  const { first, last } = range ?? SINGLE;
  yield* descriptor.prepare();
  const addresses: string[] = [];
  for (let index = first; index <= last; index++) {
    addresses.push(...addressesAt(descriptor, index, params));
    yield;
  }
  return { addresses };
}

function addressesAt(descriptor: Descriptor, index: number, params: ScriptParams): string[] {
  const expansion = descriptor.expand(index);
  if (!expansion) throw new NodeError('invalid-address', 'Cannot derive script without private keys');
  return expansion.scripts.map((script) => {
    const destination = destinationOf(script, scriptOptions(params));
    if (!destination) throw new NodeError('invalid-address', 'Descriptor does not have a corresponding address');
    return encodeDestination(destination, params.address);
  });
}
