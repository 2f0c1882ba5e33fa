import type { Chain } from '../../src/chain/chain.js';
import { VerifiedScripts } from '../../src/consensus/script-cache.js';
import { SignatureCache } from '../../src/consensus/signature-cache.js';
import { Mempool } from '../../src/mempool/mempool.js';
import { type MempoolSettings, mempoolOptions } from '../../src/mempool/options.js';
import { MempoolPersistence } from '../../src/mempool/persistence.js';
import type { Clock } from '../../src/util/clock.js';
import { silentLogger } from '../../src/util/logger.js';

/** Default settings of mainnet and regtest. */
export const defaultSettings: MempoolSettings = {
  maxBytes: 300_000_000,
  expirySec: 336 * 3600,
  evmExpirySec: 3 * 3600,
  acceptNonStandard: false,
  dustRelayFeeRate: 3000n,
  minRelayFeeRate: 1000n,
  incrementalRelayFeeRate: 1000n,
  permitBareMultisig: true,
  dataCarrierBytes: { beforeMetachain: 4_000, sinceMetachain: 65_536 },
  bytesPerSigOp: 20,
  limits: { ancestorCount: 25, ancestorBytes: 101_000, descendantCount: 25, descendantBytes: 101_000 },
};

/** Opens a mempool that follows a chain, with a file that stores nothing. */
export function openPool(chain: Chain, clock: Clock, settings: Partial<MempoolSettings> = {}) {
  const options = mempoolOptions({ ...defaultSettings, ...settings });
  const memory = { signatures: new SignatureCache(), scripts: new VerifiedScripts() };
  const mempool = new Mempool(options, { chain, clock, log: silentLogger, memory });
  mempool.start();
  const file = { read: async () => undefined, replace: async () => {} };
  const keeping = { persist: false, expirySec: options.expirySec, format: chain.params.txFormat };
  const mempoolPersistence = new MempoolPersistence(keeping, { mempool, file, clock, log: silentLogger });
  void mempoolPersistence.start();
  return { mempool, mempoolPersistence };
}
