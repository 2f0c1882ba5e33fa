import { join } from 'node:path';
import { replacedFile } from '../mempool/dump-file.js';
import { DvmGate } from '../mempool/dvm-gate.js';
import { MempoolKeeper } from '../mempool/keeper.js';
import { Mempool } from '../mempool/mempool.js';
import { mempoolOptions } from '../mempool/options.js';
import { observeMempool } from '../metrics/mempool.js';
import type { StartedChain } from './chain.js';
import type { StartParts } from './parts.js';

export interface StartedMempool {
  readonly mempool: Mempool;
  readonly mempoolKeeper: MempoolKeeper;
}

export function startMempool({ config, clock, log, registry, lifecycle }: StartParts, { chain, memory }: StartedChain): StartedMempool {
  const { mempool: settings, paths } = config;
  const deps = { chain, clock, log: log.child('mempool') };
  const mempool = new Mempool(mempoolOptions(settings), { ...deps, memory, gate: new DvmGate(chain) });
  mempool.start();
  lifecycle.onStop('mempool', () => mempool.stop());
  const file = replacedFile(join(paths.networkDir, 'mempool.dat'));
  const keeping = { persist: settings.persist, expirySec: settings.expirySec, format: chain.params.txFormat };
  const mempoolKeeper = new MempoolKeeper(keeping, { ...deps, mempool, file });
  void mempoolKeeper.start();
  lifecycle.onStop('mempool file', () => mempoolKeeper.stop());
  observeMempool(registry, mempool);
  return { mempool, mempoolKeeper };
}
