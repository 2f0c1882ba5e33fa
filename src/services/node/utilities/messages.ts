import type {
  SignMessageWithPrivKeyRequest,
  SignMessageWithPrivKeyResponse,
  VerifyMessageRequest,
  VerifyMessageResponse,
} from '../../../../gen/ts/dfi/node/v1/util.js';
import type { Handler } from '../../../rpc/handler.js';
import * as signedMessage from '../../../script/signed-message.js';
import { decodeBase64, encodeBase64 } from '../../../util/base64.js';
import { NodeError } from '../../../util/errors.js';
import { parseDestination } from '../../format/destination.js';
import { parsePrivateKey } from '../../format/private-key.js';
import type { NodeModules } from '../modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params'> };

export const signMessageWithPrivKey: Handler<Modules, SignMessageWithPrivKeyRequest, SignMessageWithPrivKeyResponse> = (
  { chain },
  request,
) => {
  const { privkey, message } = request;
  const key = parsePrivateKey(privkey, chain.params);
  if (!key) throw new NodeError('invalid-address', 'Invalid private key');
  return { signature: encodeBase64(signedMessage.signMessage(message, key)) };
};

export const verifyMessage: Handler<Modules, VerifyMessageRequest, VerifyMessageResponse> = ({ chain }, request) => {
  const { address, signature, message } = request;
  const destination = parseDestination(address, chain);
  if (!destination) throw new NodeError('type', 'Invalid address');
  if (destination.type !== 'pkh') throw new NodeError('type', 'Address does not refer to key');
  const bytes = decodeBase64(signature);
  if (!bytes) throw new NodeError('invalid-address', 'Malformed base64 encoding');
  return { verified: signedMessage.verifyMessage(message, bytes, destination.hash) };
};
