import { formatErc55 } from '../../script/erc55.js';
import { toHex } from '../../util/bytes.js';
import { withValue } from '../../util/slicer.js';
import { transactionRequestReader } from '../calls/call-request.js';
import { type EthereumMethod, method } from '../method.js';
import { required } from '../params.js';
import { publishRequest } from '../publish.js';
import { accountsOf, signRequest } from '../sign.js';

const asked = required('req', transactionRequestReader);

/** Methods about accounts of the node's wallets. @see docs/protocol/evm-engine.md 10.3, 10.5 */
export const accountMethods: readonly EthereumMethod[] = [
  method('eth_accounts', [], (modules) => accountsOf(modules).map(formatErc55)),
  // Without `0x`, as `defid` answers.
  method('eth_signTransaction', [asked], (modules, [request], call) =>
    withValue(signRequest(modules, request, call), ({ raw }) => toHex(raw)),
  ),
  method('eth_sendTransaction', [asked], (modules, [request], call) => publishRequest(modules, request, call)),
];
