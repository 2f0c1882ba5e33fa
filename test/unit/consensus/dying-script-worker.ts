import { workerData } from 'node:worker_threads';
import { ScriptBell } from '../../../src/consensus/script-bell.js';
import type { PoolMemory } from '../../../src/consensus/script-pool.js';
import { ScriptRing } from '../../../src/consensus/script-ring.js';

/** Thread that ends while it processes its first job. */
const { bell, rings } = workerData as PoolMemory;
for (;;) {
  for (const ring of rings) {
    new ScriptRing(ring, new ScriptBell(bell)).work(() => {
      throw new Error('out of memory');
    });
  }
}
