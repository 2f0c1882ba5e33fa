import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './shared.js';

/** A file of `test/vectors/`. */
export function vectorFile<T>(name: string): T {
  return JSON.parse(readFileSync(join(projectRoot, 'test', 'vectors', name), 'utf8')) as T;
}

/** Rows of a file of `test/vectors/`; rows with a single string are comments and left out. */
export function vectorRows(name: string): readonly (readonly unknown[])[] {
  const rows = vectorFile<(readonly unknown[])[]>(name);
  return rows.filter((row) => row.length > 1 || name === 'key_io_invalid.json');
}
