import { workerData } from 'node:worker_threads';
import { WitnessHashes } from '../script/sighash.js';
import { ScriptBell } from './script-bell.js';
import { decodeScriptJob, type ScriptJob } from './script-jobs.js';
import type { PoolMemory } from './script-pool.js';
import { ScriptRing } from './script-ring.js';
import { areScriptsValid } from './scripts.js';

/** Worker thread that verifies scripts until the process exits. */
const memory = workerData as PoolMemory;
const bell = new ScriptBell(memory.bell);
const rings = memory.rings.map((each) => new ScriptRing(each, bell));

/** The transaction decoded last: a large one has several jobs. */
let last: { readonly id: number; readonly job: ScriptJob; readonly hashes: WitnessHashes } | undefined;

function verify(ring: ScriptRing, index: number): boolean {
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

/** Processes a job of the first ring that has one. @returns false if none has */
function work(): boolean {
  const { first } = bell;
  for (let i = 0; i < rings.length; i++) {
    const ring = rings[(first + i) % rings.length] as ScriptRing;
    if (ring.work((index) => verify(ring, index))) return true;
  }
  return false;
}

for (;;) {
  const { count } = bell;
  while (work()) {}
  bell.wait(count);
}
