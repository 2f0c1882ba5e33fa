import { workerData } from 'node:worker_threads';
import { WitnessHashes } from '../script/sighash.js';
import { decodeScriptJob, type ScriptJob } from './script-jobs.js';
import { type RingMemory, ScriptRing } from './script-ring.js';
import { areScriptsValid } from './scripts.js';

/** Worker thread that verifies scripts until the process exits. */
const ring = new ScriptRing(workerData as RingMemory);

/** The transaction decoded last: a large one has several jobs. */
let last: { readonly id: number; readonly job: ScriptJob; readonly hashes: WitnessHashes } | undefined;

function verify(index: number): boolean {
  const range = ring.jobAt(index);
  try {
    if (last?.id !== range.id) {
      const job = decodeScriptJob(ring.bytesOf(range));
      last = { id: range.id, job, hashes: new WitnessHashes(job.tx, job.format) };
    }
    return areScriptsValid(last.job, range, last.hashes);
  } catch {
    // The main thread checks the scripts again and meets the same error.
    return false;
  }
}

for (;;) {
  ring.waitForWork();
  while (ring.work(verify)) {}
}
