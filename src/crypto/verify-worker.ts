import { workerData } from 'node:worker_threads';
import { verifyCompact } from './ecdsa.js';
import { JobRing, type RingMemory } from './job-ring.js';

/** Worker thread that verifies signatures until the process exits. */
const ring = new JobRing(workerData as RingMemory);
for (;;) {
  ring.waitForWork();
  while (ring.work(({ publicKey, signature, hash }) => verifyCompact(publicKey, signature, hash))) {}
}
