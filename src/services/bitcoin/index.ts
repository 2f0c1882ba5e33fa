import type { BitcoinServiceServer } from '../../../gen/ts/dfi/node/v1/bitcoin.js';
import type { Handlers } from '../../rpc/handler.js';
import { spvDumpPrivKey, spvGetAddressPubkey, spvGetAllAddresses, spvGetNewAddress, spvValidateAddress } from './addresses.js';
import { spvClaimHtlc, spvRefundHtlc, spvRefundHtlcAll } from './htlc-spends.js';
import { spvCreateHtlc, spvDecodeHtlcScript, spvGetHtlcSeed, spvListHtlcOutputs } from './htlcs.js';
import type { BitcoinModules } from './modules.js';
import { spvFundAddress, spvGetBalance, spvGetFeeRate, spvSendToAddress } from './payments.js';
import { spvGetPeers, spvGetRawTransaction, spvListReceivedByAddress, spvListTransactions, spvRescan } from './transactions.js';

export const bitcoinHandlers = {
  spvClaimHtlc,
  spvCreateHtlc,
  spvDecodeHtlcScript,
  spvDumpPrivKey,
  spvFundAddress,
  spvGetAddressPubkey,
  spvGetAllAddresses,
  spvGetBalance,
  spvGetFeeRate,
  spvGetHtlcSeed,
  spvGetNewAddress,
  spvGetPeers,
  spvGetRawTransaction,
  spvListHtlcOutputs,
  spvListReceivedByAddress,
  spvListTransactions,
  spvRefundHtlc,
  spvRefundHtlcAll,
  spvRescan,
  spvSendToAddress,
  spvValidateAddress,
} satisfies Handlers<BitcoinServiceServer, BitcoinModules>;
