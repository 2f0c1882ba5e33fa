import type { EvmHeader } from '../codec/header.js';
import { EntryRefused } from './entry-error.js';

/** Base fee of the first block, and the least one: 10 gwei. */
export const INITIAL_BASE_FEE = 10_000_000_000n;
/** Largest base fee: the supply of DFI, wei per gas. */
const MAX_BASE_FEE = 120_000_000_000_000_000n;
const CHANGE_DIVISOR = 8n;

/**
 * Base fee of a block. @param parent undefined for the first block @param factor divisor of the gas limit that gives the target
 * @returns wei
 * @throws {EntryRefused} if governance made the target 0
 * @see docs/protocol/evm-engine.md 6.4
 */
export function nextBaseFee(parent: Pick<EvmHeader, 'baseFee' | 'gasUsed' | 'gasLimit'> | undefined, factor: bigint): bigint {
  if (!parent) return INITIAL_BASE_FEE;
  const { baseFee, gasUsed, gasLimit } = parent;
  const target = gasLimit / factor;
  if (gasUsed === target) return baseFee;
  if (target === 0n) throw new EntryRefused('Unsatisfied bounds calculating base_fee_per_gas_delta');
  const difference = gasUsed > target ? gasUsed - target : target - gasUsed;
  const change = (baseFee * difference) / target / CHANGE_DIVISOR;
  const step = change > 1n ? change : 1n;
  if (gasUsed > target) return baseFee + step < MAX_BASE_FEE ? baseFee + step : MAX_BASE_FEE;
  return baseFee - step > INITIAL_BASE_FEE ? baseFee - step : INITIAL_BASE_FEE;
}
