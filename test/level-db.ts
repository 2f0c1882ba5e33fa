import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the files of a LevelDB. One that was opened only once has no tables. */
export const LEVEL_FILES = {
  young: ['000003.log', 'CURRENT', 'LOCK', 'MANIFEST-000002'],
  old: ['000005.ldb', '000006.log', 'CURRENT', 'LOCK', 'MANIFEST-000004'],
} as const;

/** Writes files with the names and the pointer of a LevelDB, such as `defid` has. */
export function writeLevelDb(directory: string, age: keyof typeof LEVEL_FILES): void {
  mkdirSync(directory, { recursive: true });
  for (const name of LEVEL_FILES[age]) writeFileSync(join(directory, name), name === 'LOCK' ? '' : `content of ${name}`);
  writeFileSync(join(directory, 'CURRENT'), `${LEVEL_FILES[age].at(-1)}\n`);
}

/** Paths below a directory, in order, each with the content if it is a file: to compare before and after. */
export function contentsOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        join(entry.parentPath, entry.name) + (entry.isFile() ? ` ${readFileSync(join(entry.parentPath, entry.name), 'latin1')}` : ''),
    )
    .sort();
}
