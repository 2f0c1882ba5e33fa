import type { CreateMultisigRequest, CreateMultisigResponse } from '../../../gen/ts/dfi/node/v1/util.js';
import { isPublicKey } from '../../crypto/ecdsa.js';
import type { Handler } from '../../rpc/handler.js';
import { encodeDestination } from '../../script/address.js';
import { ADDRESS_TYPES, type AddressType, multisigDestination, multisigRedeemScript } from '../../script/multisig.js';
import { fromHex, isHex, toHex } from '../../util/bytes.js';
import { NodeError } from '../../util/errors.js';
import type { NodeModules } from './modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params'> };

export const createMultisig: Handler<Modules, CreateMultisigRequest, CreateMultisigResponse> = ({ chain }, request) => {
  const { nrequired } = request;
  const keys = request.keys.map(parsePublicKey);
  const type = parseAddressType(request.addressType ?? 'legacy');
  const script = multisigRedeemScript(nrequired, keys);
  const destination = multisigDestination(script, keys, type);
  return { address: encodeDestination(destination, chain.params.address), redeemscript: toHex(script) };
};

const KEY_DIGITS: readonly number[] = [66, 130];

function parsePublicKey(text: string): Uint8Array {
  // The line end before the full stop is in the reference's text.
  if (!isHex(text) || !KEY_DIGITS.includes(text.length)) throw new NodeError('invalid-address', `Invalid public key: ${text}\n.`);
  const key = fromHex(text);
  if (!isPublicKey(key)) throw new NodeError('invalid-address', `Invalid public key: ${text}`);
  return key;
}

function parseAddressType(text: string): AddressType {
  const type = ADDRESS_TYPES.find((each) => each === text);
  if (!type) throw new NodeError('invalid-address', `Unknown address type '${text}'`);
  return type;
}
