import type { BitcoinServiceServer } from '../../../gen/ts/dfi/node/v1/bitcoin.js';
import type { Handlers } from '../../rpc/handler.js';
import { spvDumpPrivKey, spvGetAddressPubkey, spvGetAllAddresses, spvGetNewAddress, spvValidateAddress } from './addresses.js';
import type { BitcoinModules } from './modules.js';
import { spvFundAddress, spvGetBalance, spvGetFeeRate, spvSendToAddress } from './payments.js';
import { spvGetPeers, spvGetRawTransaction, spvListReceivedByAddress, spvListTransactions } from './transactions.js';

export const bitcoinHandlers = {
  spvDumpPrivKey,
  spvFundAddress,
  spvGetAddressPubkey,
  spvGetAllAddresses,
  spvGetBalance,
  spvGetFeeRate,
  spvGetNewAddress,
  spvGetPeers,
  spvGetRawTransaction,
  spvListReceivedByAddress,
  spvListTransactions,
  spvSendToAddress,
  spvValidateAddress,
} satisfies Handlers<BitcoinServiceServer, BitcoinModules>;
