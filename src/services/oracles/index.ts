import type { OraclesServiceServer } from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import type { Handlers } from '../../rpc/handler.js';
import { appointOracle, removeOracle, setOracleData, updateOracle } from './changes.js';
import { getFixedIntervalPrice, listFixedIntervalPrices } from './fixed-prices.js';
import type { OraclesModules, ReportingModules } from './modules.js';
import { getOracleData, listOracles } from './oracles.js';
import { getPrice, listLatestRawPrices, listPrices } from './prices.js';
import { getDusdSwapBlock, getFutureSwapBlock } from './swap-blocks.js';

export const oraclesHandlers = {
  appointOracle,
  getDusdSwapBlock,
  getFixedIntervalPrice,
  getFutureSwapBlock,
  getOracleData,
  getPrice,
  listFixedIntervalPrices,
  listLatestRawPrices,
  listOracles,
  listPrices,
  removeOracle,
  setOracleData,
  updateOracle,
} satisfies Handlers<OraclesServiceServer, OraclesModules & ReportingModules>;
