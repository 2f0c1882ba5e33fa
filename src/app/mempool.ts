import { join } from 'node:path';
import { replacedFile } from '../mempool/dump-file.js';
import { DvmGate } from '../mempool/dvm-gate.js';
import { FeePersistence } from '../mempool/fee-persistence.js';
import { Mempool } from '../mempool/mempool.js';
import { mempoolOptions } from '../mempool/options.js';
import { MempoolPersistence } from '../mempool/persistence.js';
import { observeMempool } from '../metrics/mempool.js';
import type { StartedChain } from './chain.js';
import type { StartParts } from './parts.js';

/** Mempool of a running node. */
export interface StartedMempool {
  readonly mempool: Mempool;
  readonly mempoolPersistence: MempoolPersistence;
}

/** Starts the mempool; the saved transactions are accepted after it has returned. */
export async function startMempool(
  { config, clock, log, registry, lifecycle }: StartParts,
  { chain, memory }: StartedChain,
): Promise<StartedMempool> {
  const { mempool: settings, paths } = config;
  const deps = { chain, clock, log: log.child('mempool') };
  const mempool = new Mempool(mempoolOptions(settings), { ...deps, memory, gate: new DvmGate(chain) });
  const fees = new FeePersistence({
    estimator: mempool.feeEstimator,
    file: replacedFile(join(paths.networkDir, 'fee_estimates.dat')),
    log: deps.log,
  });
  await fees.start();
  lifecycle.onStop('fee estimates', () => fees.stop());
  mempool.start();
  lifecycle.onStop('mempool', () => mempool.stop());
  const file = replacedFile(join(paths.networkDir, 'mempool.dat'));
  const keeping = { persist: settings.persist, expirySec: settings.expirySec, format: chain.params.txFormat };
  const mempoolPersistence = new MempoolPersistence(keeping, { ...deps, mempool, file });
  void mempoolPersistence.start();
  lifecycle.onStop('mempool file', () => mempoolPersistence.stop());
  observeMempool(registry, mempool);
  return { mempool, mempoolPersistence };
}
