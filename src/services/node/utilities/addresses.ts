import type { ValidateAddressRequest, ValidateAddressResponse } from '../../../../gen/ts/dfi/node/v1/util.js';
import type { Handler } from '../../../rpc/handler.js';
import { type Destination, encodeDestination, scriptOf } from '../../../script/address.js';
import { EVM_WITNESS_VERSION } from '../../../script/erc55.js';
import { reverseBytes, toHex } from '../../../util/bytes.js';
import { parseDestination } from '../../format/destination.js';
import type { NodeModules } from '../modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params' | 'tip'> };

export const validateAddress: Handler<Modules, ValidateAddressRequest, ValidateAddressResponse> = ({ chain }, request) => {
  const { address } = chain.params;
  const destination = parseDestination(request.address, chain);
  if (!destination) return { isvalid: false };
  return {
    isvalid: true,
    address: encodeDestination(destination, address),
    scriptpubkey: toHex(scriptOf(destination)),
    ...describe(destination),
  };
};

type Description = Pick<ValidateAddressResponse, 'isscript' | 'iswitness' | 'witnessVersion' | 'witnessProgram'>;

function describe(destination: Destination): Description {
  switch (destination.type) {
    case 'pkh':
    case 'sh':
      return { isscript: destination.type === 'sh', iswitness: false };
    case 'wpkh':
    case 'wsh':
      return {
        isscript: destination.type === 'wsh',
        iswitness: true,
        witnessVersion: 0,
        witnessProgram: toHex(destination.hash),
      };
    case 'evm':
      return {
        isscript: false,
        iswitness: true,
        witnessVersion: EVM_WITNESS_VERSION,
        witnessProgram: toHex(reverseBytes(destination.hash)),
      };
    case 'wunknown':
      return { iswitness: true, witnessVersion: destination.version, witnessProgram: toHex(destination.program) };
  }
}
