import { workerData } from 'node:worker_threads';
import { verifyCompact } from './ecdsa.js';
import { JobRing, type RingMemory } from './job-ring.js';

/** A thread that verifies signatures as long as the process lives. */
const ring = new JobRing(workerData as RingMemory);
for (;;) {
  ring.waitForWork();
  while (ring.work(({ publicKey, signature, hash }) => verifyCompact(publicKey, signature, hash))) {}
}
