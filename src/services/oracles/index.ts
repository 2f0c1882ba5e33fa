import type { OraclesServiceServer } from '../../../gen/ts/dfi/oracles/v1/oracles.js';
import type { Handlers } from '../../rpc/handler.js';

/** What the Oracles operations need of the node. */
export type OraclesModules = object;

/** Operations that are declared and not answered yet. */
type NotBuilt =
  | 'appointOracle'
  | 'getDusdSwapBlock'
  | 'getFixedIntervalPrice'
  | 'getFutureSwapBlock'
  | 'getOracleData'
  | 'getPrice'
  | 'listFixedIntervalPrices'
  | 'listLatestRawPrices'
  | 'listOracles'
  | 'listPrices'
  | 'removeOracle'
  | 'setOracleData'
  | 'updateOracle';

export const oraclesHandlers = {} satisfies Handlers<OraclesServiceServer, OraclesModules, NotBuilt>;
