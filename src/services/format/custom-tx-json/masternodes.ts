import type { CustomTxField } from '../../../../gen/ts/dfi/blockchain/v1/blockchain.js';
import { COLLATERAL_OUTPUT } from '../../../dfi/context/auth.js';
import { type KeyType, masternodeCollateral, P2PKH, P2SH, P2WPKH } from '../../../dfi/masternodes/columns.js';
import { createMasternode, resignMasternode } from '../../../dfi/masternodes/transactions.js';
import { type MasternodeUpdate, MasternodeUpdateType, updateMasternode } from '../../../dfi/masternodes/updates.js';
import { formatHash } from '../../../primitives/hash.js';
import { keyAddress } from '../masternode.js';
import { addressOf as scriptAddress } from '../owner.js';
import { amount, type CustomTxJson, type ShowContext, shows, text } from './define.js';

/** Names of timelocks, by weeks. */
const TIMELOCK_NAMES: Readonly<Record<number, string>> = { 260: 'FIVEYEARTIMELOCK', 520: 'TENYEARTIMELOCK' };

/** JSON of the custom transactions of masternodes, in any order. */
export const masternodeJson: readonly CustomTxJson[] = [
  shows(createMasternode, ({ operatorType, operatorKey, timelock }, shown) => [
    amount('collateralamount', masternodeCollateral(shown.height, shown.params)),
    text('masternodeoperator', addressOf(operatorType, operatorKey, shown)),
    text('timelock', TIMELOCK_NAMES[timelock ?? 0] ?? 'NONE'),
  ]),
  shows(resignMasternode, ({ nodeId }) => [text('id', formatHash(nodeId))]),
  shows(updateMasternode, ({ nodeId, updates }, shown) => [
    text('id', formatHash(nodeId)),
    ...updates.flatMap((update) => updateField(update, shown)),
  ]),
];

function updateField({ updateType, addressType, address }: MasternodeUpdate, shown: ShowContext): CustomTxField[] {
  switch (updateType) {
    case MasternodeUpdateType.owner: {
      const output = shown.tx.vout[COLLATERAL_OUTPUT];
      const address = output && scriptAddress(output.scriptPubKey, shown.params);
      return address === undefined ? [] : [text('ownerAddress', address)];
    }
    case MasternodeUpdateType.operator:
      return [text('operatorAddress', addressOf(addressType, address, shown))];
    case MasternodeUpdateType.setReward:
      return [text('rewardAddress', addressOf(addressType, address, shown))];
    case MasternodeUpdateType.removeReward:
      return [text('rewardAddress', '')];
    default:
      return [];
  }
}

/** Address of a key. `defid` shows any unknown type as a witness key, and before Metachain script hashes too. */
function addressOf(type: KeyType, key: Uint8Array, { params, isMetachain }: ShowContext): string {
  return keyAddress(type === P2PKH || (isMetachain && type === P2SH) ? type : P2WPKH, key, params.address);
}
