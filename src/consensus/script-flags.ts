import { isActive, knowsWitness, type NetworkParams } from '../params/network.js';
import { VerifyFlag, type VerifyFlags } from '../script/flags.js';

/** Script verification flags of a block at `height`. @see docs/protocol/chain.md 4.5, step 8 */
export function blockScriptFlags(height: number, params: NetworkParams): VerifyFlags {
  const { buried } = params;
  let flags: VerifyFlags = VerifyFlag.P2SH;
  // Witnesses are verified from genesis on, unless segwit is disabled altogether.
  if (knowsWitness(params)) flags |= VerifyFlag.WITNESS;
  if (height >= buried.bip66) flags |= VerifyFlag.DERSIG;
  if (height >= buried.bip65) flags |= VerifyFlag.CHECKLOCKTIMEVERIFY;
  if (height >= buried.csv) flags |= VerifyFlag.CHECKSEQUENCEVERIFY;
  if (height >= buried.segwit) flags |= VerifyFlag.NULLDUMMY;
  if (isActive(params, 'metachain', height)) flags |= VerifyFlag.METACHAIN;
  return flags | impersonationFlag(params);
}

/** The flag that permits impersonated owners, on networks that allow them. */
export function impersonationFlag({ allowsImpersonation }: Pick<NetworkParams, 'allowsImpersonation'>): VerifyFlags {
  return allowsImpersonation ? VerifyFlag.IMPERSONATION : 0;
}
