import type { EvmServiceServer } from '../../../gen/ts/dfi/evm/v1/evm.js';
import type { Handlers } from '../../rpc/handler.js';
import { getEvmBlock, getEvmReceipt, getEvmTransaction } from './blocks.js';
import { callEvm, estimateEvmGas, traceEvmTransaction } from './calls.js';
import { listEvmLogs, subscribeEvmLogs } from './logs.js';
import type { EvmModules } from './modules.js';

export const evmHandlers = {
  callEvm,
  estimateEvmGas,
  getEvmBlock,
  getEvmReceipt,
  getEvmTransaction,
  listEvmLogs,
  subscribeEvmLogs,
  traceEvmTransaction,
} satisfies Handlers<EvmServiceServer, EvmModules>;
