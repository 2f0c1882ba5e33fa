import { readRecording } from '../../shared.js';
import { hasEvm } from './compare.js';
import { defidPath, withoutDefid } from './defid.js';

/**
 * Runs a comparison for each recording that a command line names, with the path of the `defid` of its version; says where there is none.
 * @throws {Error} if no recording is named
 */
export async function eachRecording(words: readonly string[], run: (recording: string, defid: string) => Promise<void>): Promise<void> {
  const recordings = words.filter((word) => word.endsWith('.jsonl.gz'));
  if (recordings.length === 0) throw new Error('name a recording, a file *.jsonl.gz');
  for (const recording of recordings) {
    const version = hasEvm(readRecording(recording)) ? '4.2.5' : '3.2.8';
    const defid = defidPath(version);
    if (defid === undefined) console.log(`skipped: ${withoutDefid(version)} for ${recording}`);
    else await run(recording, defid);
  }
}
