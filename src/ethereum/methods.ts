import type { EthereumMethod } from './method.js';
import { accountMethods } from './methods/accounts.js';
import { blockMethods } from './methods/blocks.js';
import { callMethods } from './methods/calls.js';
import { debugMethods } from './methods/debug.js';
import { developmentMethods } from './methods/development.js';
import { feeMethods } from './methods/fees.js';
import { filterMethods } from './methods/filters.js';
import { logMethods } from './methods/logs.js';
import { networkMethods } from './methods/network.js';
import { poolMethods } from './methods/pool.js';
import { stateMethods } from './methods/state.js';
import { transactionMethods } from './methods/transactions.js';

/** All methods of Ethereum's JSON-RPC. */
export const ETHEREUM_METHODS: readonly EthereumMethod[] = [
  ...networkMethods,
  ...blockMethods,
  ...transactionMethods,
  ...stateMethods,
  ...logMethods,
  ...filterMethods,
  ...poolMethods,
  ...accountMethods,
  ...callMethods,
  ...feeMethods,
  ...debugMethods,
  ...developmentMethods,
];
