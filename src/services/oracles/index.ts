import type { OraclesServiceServer } from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import type { Handlers } from '../../rpc/handler.js';
import { getFixedIntervalPrice, listFixedIntervalPrices } from './fixed-prices.js';
import type { OraclesModules } from './modules.js';
import { getOracleData, listOracles } from './oracles.js';
import { getPrice, listLatestRawPrices, listPrices } from './prices.js';
import { getDusdSwapBlock, getFutureSwapBlock } from './swap-blocks.js';

export type { OraclesModules } from './modules.js';

/** They make transactions, which takes a wallet. */
type NotBuilt = 'appointOracle' | 'removeOracle' | 'setOracleData' | 'updateOracle';

export const oraclesHandlers = {
  getDusdSwapBlock,
  getFixedIntervalPrice,
  getFutureSwapBlock,
  getOracleData,
  getPrice,
  listFixedIntervalPrices,
  listLatestRawPrices,
  listOracles,
  listPrices,
} satisfies Handlers<OraclesServiceServer, OraclesModules, NotBuilt>;
