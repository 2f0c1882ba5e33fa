import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Root of the repository. */
export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

const shared = process.env.DFI_SHARED ?? join(projectRoot, '..', 'shared');

/** Paths of the files below a folder whose names have this ending, sorted by their names in each folder. */
export function filesBelow(folder: string, ending = ''): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? filesBelow(path, ending) : name.endsWith(ending) ? [path] : [];
    });
}

/** A file of `docs/protocol/data/`. */
export function protocolData<T>(file: string): T {
  return JSON.parse(readFileSync(join(projectRoot, 'docs', 'protocol', 'data', file), 'utf8')) as T;
}

/**
 * A path in the folder of recordings and vectors next to the repository. If it is absent, undefined, and a line that starts with
 * `skipped:` is printed.
 */
export function sharedPath(...parts: string[]): string | undefined {
  const path = join(shared, ...parts);
  if (existsSync(path)) return path;
  console.log(`skipped: no ${parts.join('/')} beside the repository`);
  return undefined;
}

/** Recordings in a folder of `golden/`, by path. */
export function recordings(folder: string): string[] {
  const path = sharedPath('golden', folder);
  const found = path ? readdirSync(path).filter((name) => name.endsWith('.jsonl.gz')) : [];
  console.log(`found ${found.length} recordings in golden/${folder}`);
  return found.map((name) => join(path as string, name));
}

/** First line of a recording. */
export interface RecordingHeader {
  readonly name: string;
  /** Version of `defid`; absent in recordings of 3.2.8. */
  readonly version?: string;
  readonly flags: readonly string[];
  readonly blocks: number;
  readonly genesis: string;
}
export interface RecordedBlock {
  readonly block: number;
  readonly hash: string;
  readonly time: number;
  readonly hex: string;
}
export interface RecordedAnswer {
  readonly method: string;
  readonly params: unknown;
  /** Exact text of the answer of `defid`. */
  readonly result?: string;
  readonly error?: string;
  /** True if `defid` answered with its help text. */
  readonly usage?: boolean;
}
export interface RecordedCheck {
  readonly check: number;
  readonly answers: readonly RecordedAnswer[];
}

export interface Recording {
  readonly header: RecordingHeader;
  readonly steps: readonly (RecordedBlock | RecordedCheck)[];
}

export function readRecording(path: string): Recording {
  const [first = '{}', ...rest] = gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n');
  return { header: JSON.parse(first) as RecordingHeader, steps: rest.map((line) => JSON.parse(line) as RecordedBlock | RecordedCheck) };
}

export function writeRecording(path: string, { header, steps }: Recording): void {
  writeFileSync(path, gzipSync([header, ...steps].map((line) => `${JSON.stringify(line)}\n`).join('')));
}
