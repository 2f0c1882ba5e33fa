import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './shared.js';

/** Rows of a file of `test/vectors/`; rows of a single text are comments and left out. */
export function vectorRows(name: string): readonly (readonly unknown[])[] {
  const rows = JSON.parse(readFileSync(join(projectRoot, 'test', 'vectors', name), 'utf8')) as (readonly unknown[])[];
  return rows.filter((row) => row.length > 1 || name === 'key_io_invalid.json');
}
