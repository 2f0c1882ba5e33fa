import { concatBytes } from '../util/bytes.js';

/** Accounts that belong to rules instead of keys, in the order of their numbers. */
export const SMART_CONTRACTS = ['DFIP2201', 'DFIP2203', 'DFIP2206F', 'TokenLock'] as const;
export type SmartContract = (typeof SMART_CONTRACTS)[number];

/** Script that owns the account: a witness program of version 0 whose 20 bytes are the number (spec: chain 1.7). */
export function smartContractScript(contract: SmartContract): Uint8Array {
  const program = new Uint8Array(20);
  program[19] = SMART_CONTRACTS.indexOf(contract);
  return concatBytes(Uint8Array.of(0, program.length), program);
}
