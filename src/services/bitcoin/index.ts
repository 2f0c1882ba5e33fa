import type { BitcoinServiceServer } from '../../../gen/ts/dfi/node/v1/bitcoin.js';
import type { Handlers } from '../../rpc/handler.js';
import type { BitcoinModules } from './modules.js';

/** Operations that are declared but not implemented yet. */
type NotImplemented = 'spvFundAddress';

export const bitcoinHandlers = {} satisfies Handlers<BitcoinServiceServer, BitcoinModules, NotImplemented>;
