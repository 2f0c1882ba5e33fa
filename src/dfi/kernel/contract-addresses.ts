import { knowsEvm, type NetworkParams } from '../../params/network.js';

/** Account whose balances only the protocol moves. Its script pays to a small constant as witness program, whose private key is unknown. */
export interface SmartContract {
  readonly name: string;
  /** Name of the contract in the operations that call it. */
  readonly call: string;
  readonly script: Uint8Array;
}

function contractScript(number: number): Uint8Array {
  return Uint8Array.of(0x00, 0x14, ...new Uint8Array(19), number);
}

/** Raw `scriptPubKey` of each contract. @see docs/protocol/oracles-governance.md 5.7 */
export const CONTRACT = {
  dfip2201: contractScript(0),
  dfip2203: contractScript(1),
  dfip2206f: contractScript(2),
  tokenLock: contractScript(3),
} as const;

/** Contracts of a network, sorted by name. */
export function smartContracts(params: NetworkParams): readonly SmartContract[] {
  const contracts: SmartContract[] = [
    { name: 'DFIP2201', call: 'dbtcdfiswap', script: CONTRACT.dfip2201 },
    { name: 'DFIP2203', call: 'DFIP2203', script: CONTRACT.dfip2203 },
    { name: 'DFIP2206F', call: 'DFIP2206F', script: CONTRACT.dfip2206f },
  ];
  if (knowsEvm(params)) contracts.push({ name: 'TokenLock', call: 'TokenLock', script: CONTRACT.tokenLock });
  return contracts;
}
