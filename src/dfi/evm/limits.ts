import type { StateView } from '../../storage/view.js';
import { storedAttributes, valueAs } from '../attributes/attributes.js';
import { attributeAt } from '../attributes/path.js';

const GAS_LIMIT = attributeAt('v0/evm/block/gas_limit');
const GAS_TARGET_FACTOR = attributeAt('v0/evm/block/gas_target_factor');

/** Gas limit of an EVM block while governance has not set it. */
export const DEFAULT_BLOCK_GAS_LIMIT = 30_000_000n;

/** Gas limit of an EVM block. Governance may change it. */
export function blockGasLimit(view: StateView): bigint {
  return valueAs(storedAttributes(view), GAS_LIMIT, 'u64') ?? DEFAULT_BLOCK_GAS_LIMIT;
}

/** Divisor of the gas limit that gives the target of the base fee. */
export function gasTargetFactor(view: StateView): bigint {
  return valueAs(storedAttributes(view), GAS_TARGET_FACTOR, 'u64') ?? 2n;
}
