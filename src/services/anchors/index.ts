import type { AnchorsServiceServer } from '../../../gen/ts/dfi/node/v1/anchors.js';
import type { Handlers } from '../../rpc/handler.js';
import type { AnchorsModules } from './modules.js';

type NotImplemented =
  | 'spvCreateAnchor'
  | 'spvCreateAnchorTemplate'
  | 'spvEstimateAnchorCost'
  | 'spvSendRawTx'
  | 'spvSyncStatus'
  | 'spvGetTxConfirmations'
  | 'spvSetLastHeight'
  | 'spvListAnchors'
  | 'spvListAnchorsPending'
  | 'spvListAnchorsUnrewarded'
  | 'spvListAnchorRewards'
  | 'spvListAnchorAuths'
  | 'spvListAnchorRewardConfirms';

export const anchorsHandlers = {} satisfies Handlers<AnchorsServiceServer, AnchorsModules, NotImplemented>;
