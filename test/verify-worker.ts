import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { projectRoot } from './shared.js';

/** The program of a verification thread, bundled for this run because threads cannot load TypeScript. */
export function verifyWorkerProgram(): URL {
  const folder = mkdtempSync(join(projectRoot, 'node_modules', '.verify-worker-'));
  const outfile = join(folder, 'verify-worker.mjs');
  buildSync({
    entryPoints: [join(projectRoot, 'src/crypto/verify-worker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  return pathToFileURL(outfile);
}
