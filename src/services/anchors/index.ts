import type { AnchorsServiceServer } from '../../../gen/ts/dfi/node/v1/anchors.js';
import type { Handlers } from '../../rpc/handler.js';
import { spvGetTxConfirmations, spvSendRawTx, spvSetLastHeight, spvSyncStatus } from './chain.js';
import { spvCreateAnchor, spvCreateAnchorTemplate, spvEstimateAnchorCost } from './create.js';
import {
  spvListAnchorAuths,
  spvListAnchorRewardConfirms,
  spvListAnchorRewards,
  spvListAnchors,
  spvListAnchorsPending,
  spvListAnchorsUnrewarded,
} from './lists.js';
import type { AnchorsModules } from './modules.js';

export const anchorsHandlers = {
  spvCreateAnchor,
  spvCreateAnchorTemplate,
  spvEstimateAnchorCost,
  spvGetTxConfirmations,
  spvListAnchorAuths,
  spvListAnchorRewardConfirms,
  spvListAnchorRewards,
  spvListAnchors,
  spvListAnchorsPending,
  spvListAnchorsUnrewarded,
  spvSendRawTx,
  spvSetLastHeight,
  spvSyncStatus,
} satisfies Handlers<AnchorsServiceServer, AnchorsModules>;
