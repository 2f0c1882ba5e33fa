import { isActive, type NetworkParams } from '../../params/network.js';
import { ATTRIBUTES_BEFORE_METACHAIN } from '../attributes/eras.js';
import type { AttributeKey } from '../attributes/key.js';
import { attributeGroup, attributeRow, attributeType, groupCode, rowOf, typeCode } from '../attributes/lookup.js';
import { attributeAt } from '../attributes/path.js';
import { LIVE_TYPE } from '../attributes/table.js';
import { TxRejected } from '../kernel/rejected.js';

const PARAMS = typeCode('params');
const BITCOIN_SWAP = groupCode('params', 'dfip2201');
/** A known key of each type, or group of `params`, whose unknown keys have the gates of that one. */
const LIKE = {
  locks: attributeAt('v0/locks/token/0'),
  oracles: attributeAt('v0/oracles/splits/1'),
  gov: attributeAt('v0/gov/proposals/quorum'),
  feature: attributeAt('v0/params/feature/gov'),
  foundation: attributeAt('v0/params/foundation/members'),
  dfip2203: attributeAt('v0/params/dfip2203/active'),
  dfip2206a: attributeAt('v0/params/dfip2206a/dusd_loan_burn'),
  dfip2206f: attributeAt('v0/params/dfip2206f/active'),
  startBlock: attributeAt('v0/params/dfip2203/start_block'),
};

/**
 * Checks a key that has no path before Metachain. `defid` 3.2.8 knows the members of types with tokens and pools; those of groups it
 * mostly knows by their upgrade alone. Only a variable that is set for a later height before Fort Canning Crunch can contain such keys.
 * @param lastHeight height of the parent block
 * @throws {TxRejected}
 */
export function checkUnknownAttribute(key: AttributeKey, lastHeight: number, params: NetworkParams): void {
  const { type } = key;
  const requireLike = (known: AttributeKey) => requireGates(known, lastHeight, params);
  if (type === LIVE_TYPE.code) return;
  if (type === PARAMS) checkParam(key, requireLike);
  else if (type === LIKE.gov.type) requireLike(LIKE.gov);
  else if (type === LIKE.locks.type) {
    requireLike(LIKE.locks);
    throw new TxRejected('Unrecognised locks id');
  } else if (type === LIKE.oracles.type) {
    requireLike(LIKE.oracles);
    throw new TxRejected('Unsupported key');
  } else checkMember(key);
}

function requireGates(known: AttributeKey, lastHeight: number, params: NetworkParams): void {
  for (const { upgrade, refusal } of rowOf(known, ATTRIBUTES_BEFORE_METACHAIN)?.gates ?? []) {
    if (!isActive(params, upgrade, lastHeight)) throw new TxRejected(refusal);
  }
}

function checkParam({ id, key }: AttributeKey, requireLike: (known: AttributeKey) => void): void {
  const { feature, foundation, startBlock, dfip2203, dfip2206a, dfip2206f } = LIKE;
  if (id === feature.id || id === foundation.id || key === foundation.key) requireLike(feature);
  else if (id === dfip2206a.id || id === dfip2206f.id || key === startBlock.key) requireLike(startBlock);
  else if (id === dfip2203.id) requireLike(dfip2203);
  else if (id !== BITCOIN_SWAP) throw new TxRejected('Unrecognised param id');
}

/** Keys of tokens and pools. Those that only the state machine writes are accepted. */
function checkMember({ type, id, key }: AttributeKey): void {
  const found = attributeType(type, ATTRIBUTES_BEFORE_METACHAIN);
  if (!found?.any) throw new TxRejected(`Unrecognised type (${type})`);
  const group = attributeGroup(found, id);
  if (!group || !attributeRow(group, key)) throw new TxRejected('Unsupported key');
}
