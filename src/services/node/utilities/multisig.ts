import type { CreateMultisigRequest, CreateMultisigResponse } from '../../../../gen/ts/dfi/node/v1/util.js';
import type { Handler } from '../../../rpc/handler.js';
import { encodeDestination } from '../../../script/address.js';
import { KEYS_TO_READ, multisigDestination, multisigRedeemScript } from '../../../script/multisig.js';
import { toHex } from '../../../util/bytes.js';
import { parsePublicKey } from '../../format/public-key.js';
import { requireMultisigType } from '../../wallet/format/parse.js';
import type { NodeModules } from '../modules.js';

type Modules = { readonly chain: Pick<NodeModules['chain'], 'params'> };

// The text of `defid` has a line break before the full stop.
const LINE_END = '\n.';

export const createMultisig: Handler<Modules, CreateMultisigRequest, CreateMultisigResponse> = ({ chain }, request) => {
  const { nrequired } = request;
  const keys = request.keys.slice(0, KEYS_TO_READ).map((text) => parsePublicKey(text, LINE_END));
  const type = requireMultisigType(request.addressType ?? 'legacy', keys, chain);
  const script = multisigRedeemScript(nrequired, keys, request.keys.length);
  const destination = multisigDestination(script, keys, type);
  return { address: encodeDestination(destination, chain.params.address), redeemscript: toHex(script) };
};
